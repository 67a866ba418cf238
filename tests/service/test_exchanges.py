"""What a caller may not see takes the same exchanges with PostgreSQL and Redis as what does not exist, on every
operation of the contract; so do tokens that are not valid any more and those that never were.

Each request is sent twice, about something that exists and about something that does not, each time by an account of
its own. What is compared are statements and commands in their order, how much was answered, and the response: status,
headers, length and body.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import pytest
from msgspec import Struct
from redis import Redis

from service.accounts.accounts import Account, NewAccount, digest_of
from service.api.operation import Operation
from service.api.routes import HANDLERS
from service.contract.examples import bodies
from service.runtime.settings import Settings
from tests.service.asked import Asked
from tests.service.in_process import Answered, Client, one_process
from tests.service.running import settings_for

HIDDEN: Final = ("table", "dispute", "token")
"""Parameters that name what may be hidden from a caller."""
OTHERS: Final = {
    "game": "hearts",
    "player": str(UUID(int=1)),
    "seat": "1",
    "draft": "p1",
    "slug": "not-found",
    "from": "1",
}
"""Values of the other parameters that a request has to have: what they name everybody knows, or is in a table."""
TABLES: Final = ("lobby", "running", "closed")
MODES: Final = ("in memory", "in Redis", "in the log alone", "Redis away")
TOKENS: Final = ("revoked", "expired", "erased")
_PARAMETER: Final = re.compile(r"\{(\w+):\w+\}")
_BY_ID: Final = {one.id: one for one in HANDLERS}


class World(Struct, frozen=True):
    """What is hidden from everybody who is asked about it."""

    tables: dict[str, str]
    """Private tables by their status."""
    dispute: str
    token: str
    """The id of somebody's token."""
    host: str
    """The token of the host of all tables."""


def parameters_of(operation: Operation) -> list[str]:
    """The parameters of an operation that it has to have, or that may be hidden."""
    query = [] if operation.query is None else list(operation.query.__struct_encode_fields__)
    needed = ("from", *HIDDEN)
    return [*_PARAMETER.findall(operation.path), *(name for name in query if name in needed)]


def hidden_of(operation: Operation) -> str | None:
    """The parameter of an operation that names what may be hidden; None if there is none."""
    found = [name for name in parameters_of(operation) if name in HIDDEN]
    assert len(found) <= 1
    return found[0] if found else None


def address(operation: Operation, values: dict[str, str]) -> str:
    """The path and query of a request. KeyError for a parameter that nobody has said anything about."""
    values = OTHERS | values
    path = _PARAMETER.sub(lambda match: values[match[1]], operation.path)
    in_path = _PARAMETER.findall(operation.path)
    query = "&".join(f"{name}={values[name]}" for name in parameters_of(operation) if name not in in_path)
    return f"{path}?{query}" if query else path


def body_of(operation: Operation) -> Any:
    """The first body of an operation in the contract's examples."""
    return next(iter(bodies().get(operation.id, {}).values()), None)


async def answered(client: Client, operation: Operation, values: dict[str, str], token: str | None) -> Answered:
    """What comes of an operation with these values of hidden parameters."""
    return await client.answered(operation.method, address(operation, values), token, body_of(operation))


async def a_world(client: Client) -> World:
    """Private tables of two people, and a dispute of theirs."""
    ada, ben = await client.stranger(), await client.stranger()
    tables: dict[str, str] = {}
    for status in TABLES:
        new = {"game": "romme", "visibility": "private", "seats": 2}
        tables[status] = (await client.made("/v1/tables", ada.token, new))["table"]
    code = (await client.made(f"/v1/tables/{tables['running']}/join-code", ada.token))["code"]
    await client.made("/v1/join", ben.token, {"code": code})
    await client.made(f"/v1/tables/{tables['running']}/start", ada.token, {"round": 1}, 200)
    assert (await client.send("DELETE", f"/v1/tables/{tables['closed']}/seats/me", ada.token)).status_code == 204
    disputed = {"version": 3, "claim": "other", "text": "Was it shuffled?"}
    dispute = (await client.made(f"/v1/tables/{tables['running']}/disputes", ada.token, disputed))["dispute"]
    return World(tables, dispute, str(ada.token_id), ada.token)


async def dead_tokens(client: Client, database_url: str) -> dict[str, Callable[[], Awaitable[str]]]:
    """How to get tokens that were valid a moment ago, by what ended them, and some that never were."""
    accounts = client.services.accounts

    async def used() -> tuple[NewAccount, Account]:
        eve = await client.stranger()
        assert (await client.send("GET", "/v1/me", eve.token)).status_code == 200
        return eve, Account(str(eve.id), "player", eve.token_id)

    async def revoked() -> str:
        eve, account = await used()
        await accounts.revoke(account, eve.token_id)
        return eve.token

    async def expired() -> str:
        eve = await client.stranger()
        async with await psycopg.AsyncConnection.connect(database_url) as connection:
            await connection.execute("update tokens set expires_at = now() where sha256 = %s", (digest_of(eve.token),))
        return eve.token

    async def erased() -> str:
        eve, account = await used()
        await accounts.erase(account)
        return eve.token

    async def unknown() -> str:
        return f"bw_{uuid4().hex}{uuid4().hex[:11]}"

    return {"revoked": revoked, "expired": expired, "erased": erased, "unknown": unknown}


class Compared:
    """What came of all requests, by operation and case: about what exists, and about what does not."""

    def __init__(self) -> None:
        self.hidden: dict[tuple[str, str, str], tuple[Answered, Answered]] = {}
        """By operation, mode and status of the table."""
        self.visitors: dict[tuple[str, str], tuple[Answered, Answered]] = {}
        """By operation and status of the table, without a token."""
        self.tokens: dict[tuple[str, str], tuple[Answered, Answered]] = {}
        """By operation and what ended the token."""

    async def collect(self, settings: Settings, asked: Asked) -> None:
        async with one_process(settings, asked) as client:
            world = await a_world(client)
            for mode in MODES[:3]:
                await self._collect_hidden(client, world, mode)
            await self._collect_visitors(client, world)
            await self._collect_tokens(client, settings)
        away = settings_for(settings.database_dsn, "redis://127.0.0.1:9")
        async with one_process(away, asked) as client:
            for table in world.tables.values():
                assert (await client.send("GET", f"/v1/tables/{table}", world.host)).status_code in (200, 404)
            await self._collect_hidden(client, world, MODES[3])

    async def _collect_hidden(self, client: Client, world: World, mode: str) -> None:
        redis = client.services.settings.redis_dsn
        for operation in HANDLERS:
            hidden = hidden_of(operation)
            if hidden is None:
                continue
            existing = world.tables if hidden == "table" else {"": getattr(world, hidden)}
            found: dict[str, Answered] = {}
            for status, id_ in {**existing, "unknown": str(uuid4())}.items():
                await _prepare(client, world, mode, redis)
                eve = await client.stranger()
                found[status] = await answered(client, operation, {hidden: id_}, eve.token)
            for status in existing:
                self.hidden[operation.id, mode, status] = found[status], found["unknown"]

    async def _collect_visitors(self, client: Client, world: World) -> None:
        for operation in HANDLERS:
            if not operation.public_when_over:
                continue
            unknown = await answered(client, operation, {"table": str(uuid4())}, None)
            for status, table in world.tables.items():
                self.visitors[operation.id, status] = (
                    await answered(client, operation, {"table": table}, None),
                    unknown,
                )

    async def _collect_tokens(self, client: Client, settings: Settings) -> None:
        tokens = await dead_tokens(client, settings.database_dsn)
        values = {name: str(uuid4()) for name in HIDDEN}
        for operation in HANDLERS:
            if operation.public:
                continue
            found = {ended: await answered(client, operation, values, await tokens[ended]()) for ended in tokens}
            for ended in TOKENS:
                self.tokens[operation.id, ended] = found[ended], found["unknown"]


async def _prepare(client: Client, world: World, mode: str, redis_url: str) -> None:
    """Let the process, and Redis, have the world as far as the mode says."""
    services = client.services
    if mode == "in memory":
        for table in world.tables.values():
            await services.access.existing(UUID(table))
            assert services.cache.in_memory(UUID(table)) is not None
        return
    if mode == "Redis away":
        return
    services.cache.clear()
    if mode == "in the log alone":
        with Redis.from_url(redis_url) as redis:
            for table in world.tables.values():
                redis.delete(*redis.keys(f"*{table}*") or ["none"])


@pytest.fixture(scope="module")
def compared(module_database_url: str, module_redis_url: str) -> Compared:
    found = Compared()
    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(found.collect(settings_for(module_database_url, module_redis_url), Asked(monkeypatch)))
    return found


def are_the_same(pair: tuple[Answered, Answered]) -> None:
    existing, unknown = pair
    assert existing.exchanges == unknown.exchanges
    assert existing == unknown


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("id_", [one.id for one in HANDLERS if hidden_of(one)])
def test_what_is_hidden_is_as_if_it_did_not_exist(compared: Compared, id_: str, mode: str) -> None:
    for status in TABLES if hidden_of(_BY_ID[id_]) == "table" else ("",):
        existing, unknown = compared.hidden[id_, mode, status]
        assert existing.status == (404 if "player" in _BY_ID[id_].roles else 403), existing.body
        assert existing.exchanges[:-1], "at least the token was asked for"
        are_the_same((existing, unknown))


@pytest.mark.parametrize("id_", [one.id for one in HANDLERS if one.public_when_over])
def test_what_is_private_does_not_exist_for_visitors(compared: Compared, id_: str) -> None:
    for status in TABLES:
        existing, unknown = compared.visitors[id_, status]
        assert existing.status == 401, existing.body
        are_the_same((existing, unknown))


@pytest.mark.parametrize("id_", [one.id for one in HANDLERS if not one.public])
def test_a_token_that_was_valid_is_as_if_it_never_had_been(compared: Compared, id_: str) -> None:
    for ended in TOKENS:
        dead, unknown = compared.tokens[id_, ended]
        assert dead.status == 401, dead.body
        assert len(dead.exchanges) == 2, "the token is looked up, and the answer is sent"
        are_the_same((dead, unknown))


def test_every_parameter_is_either_hidden_or_known_to_everybody() -> None:
    for operation in HANDLERS:
        address(operation, dict.fromkeys(HIDDEN, ""))
        query = () if operation.query is None else operation.query.__struct_encode_fields__
        assert {name for name in query if name.endswith(("table", "dispute", "token"))} <= set(HIDDEN)
