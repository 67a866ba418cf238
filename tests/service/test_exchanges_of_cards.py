"""No card has a say in what a request asks of PostgreSQL and Redis: at tables that differ in nothing but their deal,
the same requests send the same statements and commands.

Every role asks, for every game: the seat on turn, another seat, a spectator; by two processes in turn, with Redis and
without; drafts and the order of the hand, a move and its retry, a new name.
"""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from msgspec import Struct

from domain.registry import CURRENT
from service.accounts.accounts import NewAccount
from tests.conformance.hooks import short_match
from tests.service.any_game import choose_any
from tests.service.asked import Asked
from tests.service.in_process import Answered, Client, one_process
from tests.service.running import settings_for

_REMEMBERED: Final = ("shared bytes", "accounts.names")
"""Lookups of tokens and names, which are left out: both are remembered for some seconds, whatever the cards are."""


class Table(Struct, frozen=True):
    """A match that has just begun, and who may ask about it."""

    id: str
    game: str
    acting: int
    """The seat on turn."""
    roles: dict[str, NewAccount]
    """The seat on turn, another one, a spectator."""


@asynccontextmanager
async def processes(urls: tuple[str, str], asked: Asked) -> AsyncIterator[tuple[Client, Client]]:
    async with (
        one_process(settings_for(*urls), asked) as first,
        one_process(settings_for(*urls), asked) as second,
    ):
        yield first, second


async def begun(client: Client, game: str) -> Table:
    """A table with people on all seats, and its match begun."""
    seats = short_match(CURRENT[game]).seats
    people = [await client.stranger() for _ in range(seats)]
    new = {"game": game, "seats": seats, "options": short_match(CURRENT[game]).options}
    table: str = (await client.made("/v1/tables", people[0].token, new))["table"]
    for person in people[1:]:
        await client.made(f"/v1/tables/{table}/seats", person.token, {})
    view = await client.made(f"/v1/tables/{table}/start", people[0].token, {"round": 1}, 200)
    acting = view["to_act"][0]
    roles = {"on turn": people[acting], "another seat": people[acting - 1], "spectator": await client.stranger()}
    return Table(table, game, acting, roles)


async def alike(client: Client, game: str) -> tuple[Table, Table]:
    """Two tables that differ in their deals alone: at both the same seat is on turn."""
    begun_by: dict[int, Table] = {}
    while True:
        table = await begun(client, game)
        if table.acting in begun_by:
            return begun_by[table.acting], table
        begun_by[table.acting] = table


async def requests(clients: tuple[Client, Client], table: Table) -> dict[str, Answered]:
    """What comes of every request about a table, by what is asked and the role; each role asks both processes."""
    found: dict[str, Answered] = {}
    path = f"/v1/tables/{table.id}"
    for round_, when in enumerate(("before a move", "after it")):
        for number, (role, account) in enumerate(table.roles.items()):
            client = clients[(number + round_) % 2]
            for what, answer in (await _asked_for(client, path, account.token, role)).items():
                found[f"{when}, {role}: {what}"] = answer
        if round_ == 0:
            found |= await _moved(clients, table, path)
    return found


async def _asked_for(client: Client, path: str, token: str, role: str) -> dict[str, Answered]:
    view = await client.answered("GET", path, token)
    tag = {"If-None-Match": dict(view.headers)["etag"]}
    reads = ["/events", "/events?after=1", "/replay", "/replay?from=1&to=20", "/head", "/drafts", "?since=1"]
    found = {what: await client.answered("GET", path + what, token) for what in reads}
    found |= {"view": view, "view that is known": await client.answered("GET", path, token, headers=tag)}
    if role != "spectator":
        seat = int(view.body.split('"you":{"seat":')[1][0])
        found["explain"] = await client.answered("GET", f"{path}/explain?seat={seat}", token)
    found["order"] = await client.answered("PUT", f"{path}/hand-order", token, {"type": "sort_hand", "by": "rank"})
    found["drafts gone"] = await client.answered("DELETE", f"{path}/drafts", token)
    return found


async def _moved(clients: tuple[Client, Client], table: Table, path: str) -> dict[str, Answered]:
    """A move, twice by each process: once it is made, and three times repeated."""
    token = table.roles["on turn"].token
    view: dict[str, Any] = (await clients[0].send("GET", path, token)).json()
    body = {"game": table.game, "decision": view["you"]["decision"], "move": _chosen(view)}
    found: dict[str, Answered] = {}
    for attempt in (1, 2):
        for number, client in enumerate(clients):
            answer = await client.answered("POST", f"{path}/moves", token, body)
            assert answer.status == 200, answer.body
            found[f"move, process {number}, attempt {attempt}"] = answer
    return found


def _chosen(view: dict[str, Any]) -> dict[str, Any]:
    """A legal move of a kind that may be made whatever the cards are: in Rommé a draw from the stock."""
    rng, kind = random.Random(1), max(entry["type"] for entry in view["you"]["legal"])
    return next(move for move in (choose_any(view, rng) for _ in range(1000)) if move["type"] == kind)


async def renamed(client: Client, table: Table) -> dict[str, Answered]:
    """A new name for everybody."""
    found: dict[str, Answered] = {}
    for role, account in table.roles.items():
        found[f"new name, {role}"] = await client.answered("PATCH", "/v1/me", account.token, {"name": f"New {role}"})
    return found


def exchanges_of(answers: dict[str, Answered]) -> dict[str, tuple[int, list[str]]]:
    """Status and exchanges by request."""
    return {
        what: (answer.status, [one for one in answer.exchanges if not one.startswith(_REMEMBERED)])
        for what, answer in answers.items()
    }


@pytest.mark.parametrize("redis", ["Redis", "Redis away"])
async def test_the_exchanges_of_a_request_depend_on_no_card(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch, redis: str
) -> None:
    urls = database_url, redis_url if redis == "Redis" else "redis://127.0.0.1:9"
    async with processes(urls, Asked(monkeypatch)) as clients:
        for game in sorted(CURRENT):
            tables = await alike(clients[0], game)
            first, second = [exchanges_of(await requests(clients, table)) for table in tables]
            assert len(first) > 60
            for what in first:
                assert second[what] == first[what], f"{game}, {what}"
            names = [exchanges_of(await renamed(clients[0], table)) for table in tables]
            assert names[0] == names[1]
