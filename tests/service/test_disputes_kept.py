"""Disputes through faults: races, killed processes, an emptied Redis, a rebuilt list, erasure, damage."""

import asyncio
import hashlib
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import httpx
import psycopg
import pytest
from redis import Redis

from service.composition import Services
from service.records.audit import Damage
from service.runtime.settings import Settings
from tests.service.api_process import api_process
from tests.service.client import Player, choose_hearts, new_key, play_match
from tests.service.disputing import TEXT, act, begun, decide, dispute, end, evidence, got, of_role, opened, people, play
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_faults_http import moved_to
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service on the same servers, one worker."""
    with running_service(settings) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


@pytest.fixture(scope="module")
def arbiters(urls: tuple[str, str], settings: Settings) -> list[Player]:
    return [of_role(url, settings, "arbiter", "Iris") for url in urls]


def at_once(*requests: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Send requests at the same moment."""
    barrier = threading.Barrier(len(requests))

    def send(request: Callable[[], httpx.Response]) -> httpx.Response:
        barrier.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


def test_of_disputes_opened_at_once_one_counts(urls: tuple[str, str]) -> None:
    for seed in range(4):
        players = people(urls[0])
        table = begun(players)
        version = play(players, table, 6, seed)
        ways = [players[0], moved_to(players[0], urls[1])] * 3
        answers = at_once(*[partial(dispute, by, table, version) for by in ways])
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 5
        assert {code_of(answer) for answer in answers if answer.status_code == 409} == {"dispute_exists"}


def test_three_a_day_are_three_in_all_processes(urls: tuple[str, str]) -> None:
    players = people(urls[0])
    table = begun(players)
    version = play(players, table, 8)
    ways = [players[0], moved_to(players[0], urls[1])] * 3
    answers = at_once(*[partial(dispute, by, table, version - at) for at, by in enumerate(ways)])
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [429] * 3


def test_copies_of_one_request_open_one_dispute(urls: tuple[str, str]) -> None:
    players = people(urls[0])
    table, key = begun(players), new_key()
    version = play(players, table, 6)
    ways = [players[0], moved_to(players[0], urls[1])] * 3
    answers = at_once(*[partial(dispute, by, table, version, key=key) for by in ways])
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.text for answer in answers}) == 1


def test_of_two_arbiters_one_reviews_and_a_withdrawal_meets_a_decision(
    urls: tuple[str, str], arbiters: list[Player]
) -> None:
    for seed in range(4):
        players = people(urls[0])
        table = begun(players)
        disputed = opened(players[0], table, play(players, table, 4, seed))
        answers = at_once(*[partial(act, by, disputed, "review") for by in arbiters])
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        reviewer = arbiters[[answer.status_code for answer in answers].index(200)]
        end(players, table)
        decided, withdrawn = at_once(
            partial(decide, reviewer, disputed), partial(act, players[0], disputed, "withdrawal")
        )
        assert sorted([decided.status_code, withdrawn.status_code]) == [200, 409]
        status = got(players[1].http.get(f"/v1/disputes/{disputed}"))["status"]
        assert status == ("resolved" if decided.status_code == 200 else "withdrawn")


def test_decisions_of_one_table_at_once_are_all_recorded(urls: tuple[str, str], arbiters: list[Player]) -> None:
    players = people(urls[0])
    table = begun(players)
    version = play(players, table, 6)
    disputes = [opened(player, table, version) for player in players]
    for number, disputed in enumerate(disputes):
        got(act(arbiters[number % 2], disputed, "review"))
    end(players, table)
    final = players[0].view(table)["version"]
    answers = at_once(*[partial(decide, arbiters[n % 2], one, "void") for n, one in enumerate(disputes)])
    assert {answer.status_code for answer in answers} == {200}
    assert players[0].view(table)["version"] == final + 3
    assert got(players[0].http.get(f"/v1/tables/{table}/audit"))["ok"]


def test_nothing_is_lost_with_redis_and_the_list_is_made_again(
    urls: tuple[str, str], arbiters: list[Player], settings: Settings, module_redis_url: str, module_database_url: str
) -> None:
    players = people(urls[0])
    table = begun(players)
    version = play(players, table, 6)
    first, second = opened(players[0], table, version), opened(players[1], table, version)
    got(act(arbiters[0], first, "review"))
    got(evidence(arbiters[0], first, "all"))
    got(act(players[1], second, "withdrawal"))
    before = [got(players[2].http.get("/v1/disputes")), got(arbiters[0].http.get("/v1/disputes?limit=100"))]
    with Redis.from_url(module_redis_url) as connection:
        connection.flushall()
    asyncio.run(rebuild(settings))
    assert [got(players[2].http.get("/v1/disputes")), got(arbiters[0].http.get("/v1/disputes?limit=100"))] == before
    assert got(evidence(players[0], first, 0))["sound"]
    with psycopg.connect(module_database_url, autocommit=True) as connection_:
        connection_.execute("delete from disputes")
        assert got(players[2].http.get("/v1/disputes"))["items"] == []
        connection_.execute("select relist_disputes()")
    assert [got(players[2].http.get("/v1/disputes")), got(arbiters[0].http.get("/v1/disputes?limit=100"))] == before


# killed processes


def test_a_dispute_survives_processes_that_are_killed(
    urls: tuple[str, str], settings: Settings, arbiters: list[Player]
) -> None:
    rng = random.Random(7)
    players = people(urls[0])
    table, key = begun(players), new_key()
    version = play(players, table, 6)
    final, disputed = 0, ""
    steps: list[Callable[[Player, Player, str], httpx.Response]] = [
        lambda player, _, __: dispute(player, table, version, key=key),
        lambda _, arbiter, one: act(arbiter, one, "review"),
        lambda _, arbiter, one: evidence(arbiter, one, "all"),
        lambda _, arbiter, one: decide(arbiter, one, "upheld", annulled=True),
        lambda player, _, one: act(player, one, "appeal", {"text": "No."}),
    ]
    for number, step in enumerate(steps):
        if number == 3:
            end(players, table)
            final = players[0].view(table)["version"]
        with api_process(settings) as api:
            there = moved_to(players[0], api.url), moved_to(arbiters[0], api.url)
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(step, *there, disputed)
                time.sleep(rng.random() * 0.02)
                api.children[0].kill()
                with suppress(httpx.TransportError):
                    assert asked.result().status_code in (200, 201)
        again = step(players[0], arbiters[0], disputed)
        assert again.status_code in (200, 201), again.text
        disputed = again.json()["dispute"]
    seen = got(players[0].http.get(f"/v1/disputes/{disputed}"))
    assert (seen["status"], len(seen["resolutions"]), len(got(players[0].http.get("/v1/disputes"))["items"])) == (
        "appealed",
        1,
        1,
    )
    assert players[0].view(table)["version"] == final + 1


# erasure and audit


def audited(settings: Settings) -> Damage | None:
    async def audit() -> Damage | None:
        services = Services(settings)
        await services.open()
        try:
            found: list[Damage] = []
            await services.audit.check_all(lambda _: None, found.append)
            return found[0] if found else None
        finally:
            await services.close()

    return asyncio.run(audit())


def test_an_erased_account_leaves_disputes_that_verify(
    urls: tuple[str, str], arbiters: list[Player], settings: Settings, module_database_url: str
) -> None:
    players = people(urls[0])
    table, key = begun(players), new_key()
    written = "Nobody else is to read what Ada wrote here."
    disputed = got(dispute(players[0], table, play(players, table, 6), text=written, key=key), 201)["dispute"]
    got(act(arbiters[0], disputed, "review"))
    end(players, table)
    got(decide(arbiters[0], disputed))
    got(act(players[0], disputed, "appeal", {"text": written + "!"}))
    before = got(players[1].http.get(f"/v1/disputes/{disputed}"))
    assert (before["text"]["text"], before["appeal"]["text"]["text"]) == (written, written + "!")
    assert players[0].http.delete("/v1/me").status_code == 204
    after = got(players[1].http.get(f"/v1/disputes/{disputed}"))
    erased = {"status": "erased", "text": None, "salt": None}
    assert after["text"] == before["text"] | erased
    assert after["appeal"]["text"] == before["appeal"]["text"] | erased
    assert {**after, "text": 0, "appeal": 0} == {**before, "text": 0, "appeal": 0}
    assert after["resolutions"][0]["reasons"]["status"] == "shown"
    with psycopg.connect(module_database_url) as connection:
        for name in ("events", "disputes", "dispute_texts"):
            rows = connection.execute(f"select {name}::text from {name}").fetchall()
            assert not [row for (row,) in rows if written in row]
    assert got(evidence(players[1], disputed, "all"))["sound"]
    assert audited(settings) is None


def test_the_texts_hash_is_that_of_salt_and_text(urls: tuple[str, str]) -> None:
    players = people(urls[0])
    table = begun(players)
    text = got(dispute(players[0], table, play(players, table, 4)), 201)["text"]
    content = b"blattwerk/text\0" + bytes.fromhex(text["salt"]) + TEXT.encode()
    assert (text["status"], text["hash"]) == ("shown", hashlib.sha256(content).hexdigest())


DAMAGES = {
    "the text is not the one": "update dispute_texts set text = 'Another text.' where dispute = %s and version = 1",
    "says something else of it": "update disputes set status = 'open' where dispute = %s",
    "is not in the list": "delete from disputes where dispute = %s",
    "the hash does not follow": "update events set envelope = replace(envelope, '\"illegal_move\"', '\"other\"') "
    "where stream = %s and version = 1",
    "the evidence cannot be read": "update events set sealed = replace(sealed, '\"legal\":[', '\"legal\":[1,') "
    "where stream = %s and version = 1",
    "the evidence is not what follows": "update events set sealed = replace(sealed, '\"pass\"', '\"fail\"') "
    "where stream = %s and version = 1",
    "not the canonical ones": "update events set envelope = replace(envelope, ',\"facts\"', ', \"facts\"') "
    "where stream = %s and version = 2",
}


@pytest.mark.parametrize("reason", list(DAMAGES))
def test_the_audit_finds_a_damaged_dispute(
    reason: str, urls: tuple[str, str], arbiters: list[Player], settings: Settings, module_database_url: str
) -> None:
    players = people(urls[0])
    table = begun(players)
    disputed = opened(players[0], table, play(players, table, 6))
    got(act(arbiters[0], disputed, "review"))
    end(players, table)
    got(decide(arbiters[0], disputed))
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        kept = [
            (name, connection.execute(f"select * from {name} where {key} = %s", (disputed,)).fetchall())
            for name, key in (("disputes", "dispute"), ("dispute_texts", "dispute"), ("events", "stream"))
        ]
        connection.execute("alter table events disable trigger never_changed")
        try:
            connection.execute(DAMAGES[reason], (disputed,))
            found = audited(settings)
        finally:
            for (name, rows), key in zip(kept, ("dispute", "dispute", "stream"), strict=True):
                connection.execute(f"delete from {name} where {key} = %s", (disputed,))
                for row in rows:
                    connection.execute(f"insert into {name} values ({','.join(['%s'] * len(row))})", row)
            connection.execute("alter table events enable always trigger never_changed")
    assert found is not None
    assert found.kind == "dispute"
    assert disputed in found.reason
    assert reason in found.reason
    assert audited(settings) is None


def test_the_service_itself_cannot_change_disputes(module_database_url: str) -> None:
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute("set role blattwerk_service")
        for statement in (
            "update disputes set status = 'open'",
            "delete from disputes",
            "insert into dispute_texts values (gen_random_uuid(), 1, gen_random_uuid(), null, null)",
            "update dispute_texts set text = 'x'",
            "delete from dispute_texts",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_an_annulled_match_leaves_the_standings_until_an_appeal_turns_it(
    urls: tuple[str, str], arbiters: list[Player]
) -> None:
    ada = people(urls[0], 1)[0]
    table = ada.create("hearts", seats=3, bots=[1, 2], options={"target_score": 1})
    ada.start(table)
    play_match([ada], table, choose_hearts, random.Random(3))
    _counted(ada, 1)
    disputed = opened(ada, table, 3)
    got(act(arbiters[0], disputed, "review"))
    got(decide(arbiters[0], disputed, "void", annulled=True))
    _counted(ada, 0)
    got(act(ada, disputed, "appeal", {"text": "It counts."}))
    got(act(arbiters[1], disputed, "review"))
    got(decide(arbiters[1], disputed, "rejected"))
    _counted(ada, 1)


def _counted(player: Player, matches: int) -> None:
    """Wait until so many matches of a player count."""
    for _ in range(300):
        statistics = got(player.http.get(f"/v1/players/{player.id}"))["statistics"]
        if sum(one["matches"] for one in statistics) == matches:
            return
        time.sleep(0.05)
    raise AssertionError(f"not {matches} matches: {statistics}")
