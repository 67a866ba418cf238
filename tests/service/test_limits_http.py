"""What one caller may do, over HTTP: refused with 429 beyond it, and told when it goes on."""

import asyncio
import random
import time
from collections.abc import Iterator
from uuid import UUID

import httpx
import pytest
from msgspec.structs import replace
from redis import Redis

from service.composition import Services
from service.jobs.turns import Turns
from service.limits.addresses import limit_of_address
from service.limits.local import LocalBuckets
from service.runtime.settings import Settings
from tests.projections.dumped import prefix_of
from tests.service.api_process import api_process
from tests.service.client import Player, choose_hearts, new_key, play_match
from tests.service.running import running_service, settings_for
from tests.service.test_tables_http import code_of

LIMITS = ("guests_ipv4=6/3600", "guests_ipv6=2/3600", "tokens=4", "audits=2/3600", "renames=2/3600", "moves=5/3600")


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    return settings_for(database_url, redis_url, limits=LIMITS, trusted_proxies=("127.0.0.1",))


@pytest.fixture
def url(settings: Settings) -> Iterator[str]:
    """A service with few of everything."""
    with running_service(settings) as running:
        yield running
        Player.close_all()


def then_is_refused(answer: httpx.Response, name: str, policy: str) -> None:
    """It is 429 with what a client needs to know."""
    assert (answer.status_code, code_of(answer)) == (429, "rate_limited"), answer.text
    assert answer.headers["ratelimit-policy"] == f'"{name}";{policy}'
    assert answer.headers["ratelimit"].startswith(f'"{name}";r=0')
    assert int(answer.headers["retry-after"]) > 0


def guest(url: str, address: str, key: str | None = None) -> httpx.Response:
    """Ask for an account through a proxy that says who asks."""
    headers = {"Idempotency-Key": key or new_key(), "X-Forwarded-For": address}
    return httpx.post(f"{url}/v1/players", headers=headers, json={"name": "Ada"}, timeout=30)


def test_an_address_makes_so_many_accounts_and_those_it_has_go_on(settings: Settings) -> None:
    first = new_key()
    with api_process(settings) as api:
        made = [guest(api.url, "203.0.113.7", first if number == 0 else None) for number in range(7)]
        assert [answer.status_code for answer in made] == [201] * 6 + [429]
        then_is_refused(made[6], "guests_ipv4", "q=6;w=3600")
        network = [guest(api.url, f"2001:db8:0:1::{number}") for number in range(3)]
        assert [answer.status_code for answer in network] == [201, 201, 429]
        then_is_refused(network[2], "guests_ipv6", "q=2;w=3600")
        again = guest(api.url, "203.0.113.7", first)
        assert again.json() == made[0].json(), "not a new one"
        token = {"Authorization": f"Bearer {again.json()['token']}"}
        assert httpx.get(f"{api.url}/v1/me", headers=token).status_code == 200
        assert guest(api.url, "203.0.113.8").status_code == 201, "another address"
        assert guest(api.url, "2001:db8:0:2::1").status_code == 201, "another network"
        assert guest(api.url, "198.51.100.1, 203.0.113.7").status_code == 429, "what a client claims does not count"


def test_addresses_are_believed_of_trusted_proxies_alone(settings: Settings) -> None:
    with api_process(replace(settings, trusted_proxies=("10.0.0.1",))) as api:
        made = [guest(api.url, f"203.0.113.{number}") for number in range(7)]
    assert [answer.status_code for answer in made] == [201] * 6 + [429]


def test_limits_hold_across_restarts(settings: Settings) -> None:
    statuses: list[int] = []
    for _ in range(2):
        with running_service(settings, worker=False) as url:
            statuses += [guest(url, "").status_code for _ in range(4)]
    assert statuses == [201] * 6 + [429] * 2


def test_redis_knows_no_address(url: str, redis_url: str) -> None:
    guest(url, "203.0.113.7")
    with Redis.from_url(redis_url) as redis:
        buckets = [key.decode() for key in redis.scan_iter("bw:*:bucket:*")]
        assert len(buckets) == 1
        assert "127.0.0.1" not in buckets[0]
        assert 0 < redis.ttl(buckets[0]) <= 3600


def test_an_account_has_so_many_tokens_on_pages(url: str) -> None:
    ada = Player(url, "Ada")
    keys = [new_key() for _ in range(4)]
    made = [ada.post("/v1/me/tokens", {"label": "phone"}, key=key) for key in keys]
    assert [answer.status_code for answer in made] == [201, 201, 201, 429]
    then_is_refused(made[3], "tokens", "q=4")
    assert ada.post("/v1/me/tokens", {"label": "phone"}, key=keys[0]).json() == made[0].json()
    page = ada.http.get("/v1/me/tokens", params={"limit": 3})
    assert len(page.json()["items"]) == 3
    (last,) = ada.http.get(page.links["next"]["url"]).json()["items"]
    assert (last["label"], last["current"]) == ("first", True)
    assert ada.http.delete(f"/v1/me/tokens/{made[1].json()['token_id']}").status_code == 204
    assert ada.post("/v1/me/tokens", {"label": "phone"}, key=keys[3]).status_code == 201


def test_names_change_so_often(url: str) -> None:
    ada, ben = Player(url, "Ada"), Player(url, "Ben")
    changed = [ada.http.patch("/v1/me", json={"name": f"Ada {number}"}) for number in range(3)]
    assert [answer.status_code for answer in changed] == [200, 200, 429]
    then_is_refused(changed[2], "renames", "q=2;w=3600")
    assert ben.http.patch("/v1/me", json={"name": "Ben L."}).status_code == 200


def test_moves_are_counted_for_each_account(url: str) -> None:
    ada, ben = Player(url, "Ada"), Player(url, "Ben")
    made = [ada.move(ada.create("hearts"), 1, {"type": "play", "card": "2C"}) for _ in range(6)]
    assert [answer.status_code for answer in made] == [409] * 5 + [429]
    then_is_refused(made[5], "moves", "q=5;w=3600")
    assert ben.move(ben.create("hearts"), 1, {"type": "play", "card": "2C"}).status_code == 409


def test_audits_and_texts_are_counted_and_what_is_not_there_is_not(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url, limits=("audits=2/3600",))
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = ada.create("hearts", options={"target_score": 1}, seats=3, bots=[1, 2])
        assert ada.http.get(f"/v1/tables/{UUID(int=1)}/audit").status_code == 404
        ada.start(table)
        play_match([ada], table, choose_hearts, random.Random(1))
        text = {"Accept": "text/plain"}
        asked = [ada.http.get(f"/v1/tables/{table}/audit"), ada.http.get(f"/v1/tables/{table}/record", headers=text)]
        assert [answer.status_code for answer in asked] == [200, 200]
        then_is_refused(ada.http.get(f"/v1/tables/{table}/audit"), "audits", "q=2;w=3600")
        then_is_refused(ada.http.get(f"/v1/tables/{table}/record", headers=text), "audits", "q=2;w=3600")
        assert ada.http.get(f"/v1/tables/{table}/record").status_code == 200, "a document is no audit"
        Player.close_all()


def test_an_account_sits_at_so_many_open_tables_and_so_many_with_bots(database_url: str, redis_url: str) -> None:
    limits = ("open_tables=4", "bot_tables=2")
    with running_service(settings_for(database_url, redis_url, limits=limits)) as url:
        ada, ben = Player(url, "Ada"), Player(url, "Ben")
        with_bots, bot = {"game": "hearts", "bots": [1]}, {"seat": 2, "bot": True}
        first = new_key()
        tables = [ada.post("/v1/tables", with_bots, key=first).json()["table"], ada.create("hearts", bots=[1])]
        then_is_refused(ada.post("/v1/tables", with_bots, keyed=True), "bot_tables", "q=2")
        assert ada.post("/v1/tables", with_bots, key=first).json()["table"] == tables[0], "a retry makes none"
        tables += [ada.create("hearts"), ada.create("hearts")]
        then_is_refused(ada.post("/v1/tables", {"game": "hearts"}, keyed=True), "open_tables", "q=4")
        then_is_refused(ada.post(f"/v1/tables/{tables[2]}/seats", bot, keyed=True), "bot_tables", "q=2")
        assert ada.post(f"/v1/tables/{tables[0]}/seats", bot, keyed=True).status_code == 201
        other = ben.create("hearts")
        then_is_refused(ada.post(f"/v1/tables/{other}/seats", {}, keyed=True), "open_tables", "q=4")
        assert ada.http.delete(f"/v1/tables/{tables[0]}/seats/me").status_code == 204
        ada.sit(other)
        ada.sit(other, client_seed="00" * 32)
        Player.close_all()


@pytest.mark.parametrize("hogs", [1, 3])
async def test_no_table_waits_long_behind_those_of_other_accounts(database_url: str, redis_url: str, hogs: int) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url, Redis.from_url(redis_url) as redis:
        for number in range(hogs):
            hog = Player(url, f"Hog {number}")
            for _ in range(45 // hogs):
                hog.start(hog.create("hearts", bots=[1, 2, 3]))
        ada = Player(url, "Ada")
        table = ada.create("hearts", bots=[1, 2, 3])
        ada.start(table)
        waiting = f"{prefix_of(redis)}:1:bots"
        assert redis.zcard(waiting) == 46
        services = Services(settings)
        await services.open()
        working = asyncio.create_task(services.worker.run())
        async with asyncio.timeout(30):
            while redis.zscore(waiting, table) is not None and not working.done():  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.001)
        left = redis.zcard(waiting)
        assert not working.done(), working.exception()
        working.cancel()
        await asyncio.wait([working])
        await services.close()
        Player.close_all()
    assert left >= 30, "of the tables of others"


async def test_accounts_take_turns() -> None:
    turns, had = Turns(), list[str]()

    async def wait(account: str, name: str) -> None:
        async with turns.of(account):
            await asyncio.sleep(0)
            had.append(name)

    waiting = [
        asyncio.create_task(wait(account, name))
        for account, name in (("a", "1"), ("a", "2"), ("a", "gone"), ("b", "3"), ("", "4"), ("a", "5"))
    ]
    await asyncio.sleep(0)
    waiting[2].cancel()
    await asyncio.wait(waiting)
    assert had == ["1", "2", "3", "4", "5"]
    async with asyncio.timeout(1), turns.of("a"):
        pass


def test_without_redis_each_process_counts(database_url: str) -> None:
    with running_service(settings_for(database_url, "redis://127.0.0.1:1/0", limits=LIMITS), worker=False) as url:
        ada = Player(url, "Ada")
        changed = [ada.http.patch("/v1/me", json={"name": f"Ada {number}"}) for number in range(3)]
        assert [answer.status_code for answer in changed] == [200, 200, 429]
        Player.close_all()


def test_a_bucket_fills_up_steadily(settings: Settings) -> None:
    async def taken() -> list[bool]:
        services = Services(settings)
        await services.open()
        try:
            got = [await services.redis.buckets.take("test", "ada", 5, 1) == 0 for _ in range(6)]
            await asyncio.sleep(0.5)
            return got + [await services.redis.buckets.take("test", "ada", 5, 1) == 0 for _ in range(2)]
        finally:
            await services.close()

    assert asyncio.run(taken()) == [True] * 5 + [False, True, True]
    bucket = LocalBuckets(5, 1)
    assert [bucket.take("ada") == 0 for _ in range(6)] == [True] * 5 + [False]
    time.sleep(0.5)
    assert [bucket.take("ada") == 0 for _ in range(3)] == [True, True, False]
    assert bucket.take("ben") == 0


@pytest.mark.parametrize(
    ("host", "limit", "subject"),
    [
        ("203.0.113.7", "guests_ipv4", "203.0.113.7"),
        ("::ffff:203.0.113.7", "guests_ipv4", "203.0.113.7"),
        ("2001:db8::1:2:3:4", "guests_ipv6", "2001:db8::/64"),
        ("fe80::1%eth0", "guests_ipv6", "fe80::/64"),
        ("", "guests_ipv4", ""),
    ],
)
def test_an_ipv6_network_is_one_caller(host: str, limit: str, subject: str) -> None:
    assert limit_of_address("guests", host) == (limit, subject)
