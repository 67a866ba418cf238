"""A table that cannot be read has a problem of its own; everything else goes on."""

import asyncio
import random
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
import structlog
from redis import Redis
from structlog.testing import capture_logs

from service.composition import Services, opened
from service.records.audit import Damage
from service.runtime.settings import Settings
from tests.service.client import Player, choose_hearts, within
from tests.service.running import running_service, settings_for

CHANGES = {
    "unreadable bytes": ("update events set sealed = left(sealed, -1) where stream = %s and version = 3", "damaged"),
    "a fact that cannot be": (
        r"""update events set sealed = regexp_replace(sealed, '"seat":\d', '"seat":9', 'g')
        where stream = %s and version = 3 and sealed ~ '"seat":\d'""",
        "damaged",
    ),
    "a missing version": ("delete from events where stream = %s and version = 2", "damaged"),
    "a newer program's fact": (
        """update events set envelope = replace(envelope, '"game":[{"type":"', '"game":[{"type":"newer_')
        where stream = %s and version = 3 and strpos(envelope, '"game":[{"type":"') > 0""",
        "damaged",
    ),
    "a missing secret": ("delete from table_secret where stream = %s", "damaged"),
    "rules of a newer program": ("update events set rules = 'hearts/99' where stream = %s", "unknown"),
}


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def changed(settings: Settings) -> Iterator[dict[str, str]]:
    """Tables by what somebody did to them who owns the disk, and one that is sound; bots wait at all of them."""
    tables: dict[str, str] = {}
    with running_service(settings, worker=False) as url:
        ada = Player(url, "Ada")
        for name in (*CHANGES, "sound"):
            tables[name] = ada.create("hearts", bots=[1, 2, 3], options={"target_score": 1})
            ada.start(tables[name])
            view = ada.view(tables[name])
            move = choose_hearts(view, random.Random(1))
            assert ada.move(tables[name], view["you"]["decision"], move).status_code == 200
        tables["account"] = ada.token
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        for name in ("events", "table_secret"):
            connection.execute(f"alter table {name} disable trigger never_changed")
        for name, (change, _) in CHANGES.items():
            assert connection.execute(change, (tables[name],)).rowcount > 0, name
    with Redis.from_url(settings.redis_dsn) as redis:
        redis.flushall()
    yield tables
    Player.close_all()


@pytest.fixture(scope="module")
def urls(settings: Settings, changed: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Two API processes and two workers that find the tables so."""
    with running_service(settings) as first, running_service(settings) as second:
        yield first, second


def ada_at(url: str, changed: dict[str, str]) -> Player:
    player = Player(url, "Spare")
    player.http.headers["Authorization"] = f"Bearer {changed['account']}"
    return player


def expected_of(problem: dict[str, Any], name: str) -> None:
    """Hold a problem against what was done to the table."""
    if CHANGES[name][1] == "damaged":
        assert (problem["code"], problem["type"]) == ("table_damaged", "/problems/table-damaged")
        assert "rules" not in problem
    else:
        assert (problem["code"], problem["rules"]) == ("rules_unknown", "hearts/99")
        assert "hearts/99" in problem["detail"]
    assert problem["retry"] is False


@pytest.mark.parametrize("name", CHANGES)
def test_a_table_that_cannot_be_read_has_a_problem_of_its_own(
    name: str, changed: dict[str, str], urls: tuple[str, str]
) -> None:
    for url in urls:
        ada, table = ada_at(url, changed), changed[name]
        answers = [
            ada.http.get(f"/v1/tables/{table}"),
            ada.http.get(f"/v1/tables/{table}/events"),
            ada.http.get(f"/v1/tables/{table}/record"),
            ada.http.put(f"/v1/tables/{table}/ready", json={"ready": True}),
            ada.move(table, 2, {"type": "play", "card": "2C"}),
        ]
        if name != "a missing secret":
            answers.append(ada.http.get(f"/v1/tables/{table}/replay", params={"from": 1, "to": 4}))
        for answer in answers:
            assert answer.status_code == 503, answer.text
            assert "Retry-After" not in answer.headers
            expected_of(answer.json(), name)


def test_everything_else_goes_on(changed: dict[str, str], urls: tuple[str, str]) -> None:
    sound = changed["sound"]
    for url in urls:
        listed = ada_at(url, changed).http.get("/v1/tables", params={"status": "running"})
        assert listed.status_code == 200
        assert sound in [item["table"] for item in listed.json()["items"]]
    ada = ada_at(urls[0], changed)
    until = time.monotonic() + 20
    while (view := ada.view(sound))["you"]["decision"] is None:  # the bots pass, and play as far as they have to
        assert time.monotonic() < until
        time.sleep(0.02)
    assert view["version"] > 5


def test_an_account_that_sits_at_such_tables_can_be_renamed_and_erased(
    changed: dict[str, str], settings: Settings, urls: tuple[str, str]
) -> None:
    ben, cleo = Player(urls[0], "Ben"), Player(urls[1], "Cleo")
    table, sound = ben.create("hearts", bots=[1, 2, 3]), ben.create("hearts", bots=[2, 3])
    cleo.sit(sound)
    ben.start(sound)
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        connection.execute("update events set rules = 'hearts/99' where stream = %s", (table,))
    elsewhere = Player(urls[1], "Spare")
    elsewhere.http.headers["Authorization"] = f"Bearer {ben.token}"
    assert elsewhere.http.patch("/v1/me", json={"name": "Benno"}).status_code == 200
    assert within(2, lambda: cleo.view(sound)["seats"][0]["name"] == "Benno")
    assert elsewhere.http.delete("/v1/me").status_code == 204
    assert within(10, lambda: cleo.view(sound)["seats"][0]["kind"] == "bot")
    time.sleep(1)
    assert cleo.http.patch("/v1/me", json={"name": "Cleopatra"}).status_code == 200
    assert within(2, lambda: cleo.view(sound)["seats"][1]["name"] == "Cleopatra"), "the workers live on"


def test_the_audit_names_every_such_table_and_no_other(changed: dict[str, str], settings: Settings) -> None:
    async def audited() -> list[Damage]:
        services = Services(settings)
        await services.open()
        try:
            found: list[Damage] = []
            await services.audit.check_all(lambda _: None, found.append)
            return found
        finally:
            await services.close()

    damages = {str(damage.table): damage for damage in asyncio.run(audited())}
    assert {changed[name] for name in CHANGES} <= damages.keys()
    assert changed["sound"] not in damages
    assert damages[changed["unreadable bytes"]].kind == "fold"


def test_every_process_counts_the_tables_that_it_cannot_read(
    changed: dict[str, str], settings: Settings, urls: tuple[str, str]
) -> None:
    token = asyncio.run(operator_token(settings))
    for url in urls:
        ada = ada_at(url, changed)
        for name in CHANGES:
            assert ada.http.get(f"/v1/tables/{changed[name]}").status_code == 503
        lines = ada.http.get("/metrics", headers={"Authorization": f"Bearer {token}"}).text.splitlines()
        counts = [line for line in lines if line.startswith("blattwerk_tables_unreadable{")]
        damaged, unknown = (
            next(float(line.split()[-1]) for line in counts if f'code="{code}"' in line)
            for code in ("table_damaged", "rules_unknown")
        )
        assert damaged == len(CHANGES) - 1
        assert unknown >= 1


async def operator_token(settings: Settings) -> str:
    async with opened(settings) as services:
        return (await services.accounts.create_with_role("operator", "operator")).token


async def test_a_worker_reports_each_once_and_serves_the_others(changed: dict[str, str], settings: Settings) -> None:
    structlog.reset_defaults()
    services = Services(settings)
    await services.open()
    try:
        with capture_logs() as lines:
            for _ in range(2):
                for name in CHANGES:
                    assert await services.worker.bots.play(UUID(changed[name])) == 0
        damaged = {changed[name] for name in CHANGES}
        said = [line for line in lines if line.get("table") in damaged]  # services of other tests log here as well
        reported = [(line["table"], line["code"]) for line in said if line["event"] == "table cannot be read"]
        assert sorted(reported) == sorted(
            (changed[name], "table_damaged" if kind == "damaged" else "rules_unknown")
            for name, (_, kind) in CHANGES.items()
        )
        assert len(said) == len(reported)
        shown = services.metrics.text().decode()
        assert 'blattwerk_tables_unreadable{code="table_damaged"' in shown
        assert services.cache.unreadable.counts() == {"table_damaged": len(CHANGES) - 1, "rules_unknown": 1}
    finally:
        await services.close()


def test_a_table_behind_many_that_cannot_be_read_is_served_all_the_same(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url:
        ada = Player(url, "Ada")
        tables = [ada.create("hearts", bots=[1]) for _ in range(120)]
        sound = ada.create("hearts", bots=[1, 2, 3])
        ada.start(sound)
        with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
            connection.execute("alter table events disable trigger never_changed")
            connection.execute("update events set rules = 'hearts/99' where stream = any(%s::uuid[])", (tables,))
        with Redis.from_url(settings.redis_dsn) as redis:
            (bots,) = redis.scan_iter("bw:*:bots")
            redis.zadd(bots, {table: place for place, table in enumerate(tables)})
            for key in redis.scan_iter("bw:*:wake"):
                redis.delete(key)
    with running_service(settings) as first, running_service(settings) as second:
        until = time.monotonic() + 20
        for there in (first, second):
            while ada.http.get(f"{there}/v1/tables/{sound}").json()["to_act"] != [0]:
                assert time.monotonic() < until, "the bots do not pass their cards"
                time.sleep(0.1)
    Player.close_all()


def test_a_private_table_that_cannot_be_read_does_not_exist_for_strangers(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url:
        ada, ben = Player(url, "Ada"), Player(url, "Ben")
        tables = {name: ada.create("hearts", bots=[1, 2], visibility="private") for name in CHANGES}
        invited = Player(url, "Dora")
        for table in tables.values():
            ben.join(ada.code(table))
            invited.watch(ada.code(table, "spectator"))
            ada.start(table)
            view = ada.view(table)
            made = ada.move(table, view["you"]["decision"], choose_hearts(view, random.Random(1)))
            assert made.status_code == 200
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        for name in ("events", "table_secret"):
            connection.execute(f"alter table {name} disable trigger never_changed")
        for name, (change, _) in CHANGES.items():
            later = change.replace("version = 3", "version = 4")  # somebody sat down besides
            assert connection.execute(later, (tables[name],)).rowcount > 0, name
    with Redis.from_url(settings.redis_dsn) as redis:
        redis.flushall()
    with running_service(settings) as here, running_service(settings) as there:
        for url in (here, there):
            stranger = Player(url, "Cleo")
            for name, table in tables.items():
                answers = [
                    stranger.http.get(f"/v1/tables/{table}"),
                    stranger.http.get(f"/v1/tables/{table}/spectator-code"),
                    stranger.http.get(f"/v1/tables/{table}/events"),
                    stranger.http.get(f"/v1/tables/{table}/replay", params={"from": 1, "to": 2}),
                    stranger.http.get(f"/v1/tables/{table}/record"),
                    stranger.http.get(f"/v1/tables/{table}/head"),
                    stranger.http.get(f"/v1/tables/{table}/audit"),
                    stranger.http.put(f"/v1/tables/{table}/ready", json={"ready": True}),
                    stranger.http.delete(f"/v1/tables/{table}/seats/me"),
                    stranger.post(
                        f"/v1/tables/{table}/disputes", {"version": 1, "claim": "illegal_move", "text": "?"}, keyed=True
                    ),
                    stranger.move(table, 2, {"type": "play", "card": "2C"}),
                ]
                said = {(answer.request.url.path, answer.status_code, answer.json()["code"]) for answer in answers}
                assert {(status, code) for _, status, code in said} == {(404, "not_found")}, said
                sat_down = (ada, ben) if name != "a missing version" else (ada,)  # Ben sat down by that event
                for person in (*sat_down, invited):
                    stranger.http.headers["Authorization"], own = f"Bearer {person.token}", stranger.token
                    assert stranger.http.get(f"/v1/tables/{table}").status_code == 503
                    stranger.http.headers["Authorization"] = f"Bearer {own}"
