"""Whole matches written out as requests: set up over HTTP, read back from the log, played by chance."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec

from domain.decider import AnyGame, Seat, view_of
from domain.fairness import MatchChance
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import apply
from domain.table.model import Accepted, Facts, TableState
from service.api.types.per_game import members
from service.tables.live_table import LiveTable, fold
from tests.bench.games import seats_of
from tests.service.store.opened import opened_log

_encode: Final = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose match has been started over HTTP."""

    id: UUID
    tokens: tuple[str, ...]
    """Each seat's token."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a script: a move, or (seat 0) the start of the next round."""

    seat: Seat
    decision: int | None
    move: Any
    facts: Facts


async def start_tables(
    address: tuple[str, int], game: AnyGame, count: int, *, options: Mapping[str, object], at_once: int = 16
) -> list[Table]:
    """Create `count` tables with a person of its own in every seat, and start their matches."""
    places = asyncio.Queue[int]()
    for number in range(count):
        places.put_nowait(number)
    tables: list[Table] = []

    async def work() -> None:
        caller = await Caller.connect(address)
        while not places.empty():
            places.get_nowait()
            tables.append(await _start_table(caller, game, options))
        caller.close()

    await asyncio.gather(*[work() for _ in range(min(at_once, count))])
    return tables


async def _start_table(caller: "Caller", game: AnyGame, options: Mapping[str, object]) -> Table:
    seats = seats_of(game)
    tokens = [(await caller.post("/v1/players", {"name": "Bench"}))["token"] for _ in range(seats)]
    made = await caller.post("/v1/tables", {"game": game.key, "options": options, "seats": seats}, tokens[0])
    path = f"/v1/tables/{made['table']}"
    for token in tokens[1:]:
        await caller.post(f"{path}/seats", {"client_seed": "5e" * 32}, token)
    await caller.post(f"{path}/start", {"round": 1}, tokens[0])
    return Table(UUID(made["table"]), tuple(tokens))


async def read_back(database_url: str, tables: list[Table]) -> list[LiveTable]:
    """Fold tables from the log, secrets included."""
    async with opened_log(database_url) as log:
        return [fold(table.id, await log.secret(table.id), await log.read(table.id)) for table in tables]


def play(live: LiveTable, seed: int, most: int, *, bots: bool = False) -> Iterator[Step]:
    """Play on until the match ends or `most` commands are made; the table itself stays as it is.

    Moves are made by chance, or by the game's bots.
    """
    choose = random.Random(seed).randrange
    state, chance, secret = live.state, live.chance, live.secret.hex()
    for _ in range(most):
        step = _next_step(state, chance, secret, choose, bots)
        if step is None:
            return
        state = apply(state, step.seat, step.facts)
        yield step


def _next_step(
    state: TableState, chance: MatchChance, secret: str, choose: Callable[[int], int], bots: bool
) -> Step | None:
    game = state.setup.game
    if state.status == "between_rounds":
        host = state.host or 0
        started = _facts(rules.start(state, host, chance, secret))
        return Step(host, None, game.views.round_number(state.game_state) + 1, started)
    acting = [seat for seat, decision in enumerate(state.decisions) if decision is not None]
    if state.status != "running" or not acting:
        return None
    seat = acting[choose(len(acting))]
    decision = state.decisions[seat]
    view = view_of(game, state.game_state, seat)
    move = game.players.bot(view, choose(2**63)) if bots else game.players.sample(view, choose)
    return Step(seat, decision, move, _facts(rules.move(state, seat, decision or 0, move, chance, secret)))


def _facts(judged: Any) -> Facts:
    if isinstance(judged, Accepted):
        return judged.facts
    if not isinstance(judged, Facts):
        raise RuntimeError(f"a generated command was refused: {judged}")
    return judged


def requests_of(table: Table, steps: Iterator[Step], *, named: bool = True) -> list[bytes]:
    """Return the steps as complete HTTP requests; moves name their game if `named`."""
    heads = [
        f"POST /v1/tables/{table.id}/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        for token in table.tokens
    ]
    requests = []
    for step in steps:
        path = "start" if step.decision is None else "moves"
        raw = _encode({"round": step.move} if step.decision is None else _move_request(step, named))
        requests.append((heads[step.seat] % (path, len(raw))).encode() + raw)
    return requests


def _move_request(step: Step, named: bool) -> dict[str, Any]:
    game = {"game": _GAME_OF[type(step.move)]} if named else {}
    return game | {"decision": step.decision, "move": step.move}


_GAME_OF: Final = {move: key for key, game in CURRENT.items() for move in members(game.types.move)}


def get_request(path: str, token: str, etag: str | None = None) -> bytes:
    """Return a complete GET request."""
    condition = "" if etag is None else f"If-None-Match: {etag}\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n{condition}\r\n".encode()


class Caller:
    """A plain HTTP/1.1 client on one connection, for what is not measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connect(cls, address: tuple[str, int]) -> "Caller":
        """Open the connection."""
        return cls(*await asyncio.open_connection(*address))

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def post(self, path: str, body: Mapping[str, Any], token: str | None = None) -> dict[str, Any]:
        """Send a command and return the decoded answer. RuntimeError if it was refused."""
        raw = _encode(body)
        authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: bench\r\n{authorization}"
            f'Idempotency-Key: "{uuid4().hex}"\r\n'
            f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
        )
        status, _, answer = await self.ask(head.encode() + raw)
        if status not in (200, 201):
            raise RuntimeError(f"POST {path}: {status} {answer.decode()}")
        decoded: dict[str, Any] = json.loads(answer)
        return decoded

    async def ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a complete request; return status, headers in lower case and body."""
        self._writer.write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        status, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return int(status.split()[1]), headers, await self._reader.readexactly(int(headers.get("content-length", "0")))


GAMES: Final[Mapping[str, AnyGame]] = CURRENT
