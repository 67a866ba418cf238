"""Requests for windows of load: moves of whole matches, made before they are needed, and requests that repeat."""

import asyncio
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

from tests.bench.games import options_of
from tests.bench.matches import GAMES, Caller, Table, get_request, play, read_back, requests_of, start_tables
from tests.bench.rig import Api, Generator, Rig, Run

MOST_CLIENTS: Final = 64
WARM_SECONDS: Final = 0.5
"""Time before the measuring, in which every token is looked up and every table loaded."""
_GUESS: Final = 1500.0
"""Moves per second to be ready for before anything was measured."""
_TABLES_AT_ONCE: Final = 40
_TRIES: Final = 5
_NOOP_BODY: Final = b'{"game":"hearts","decision":41,"move":{"type":"play","card":"QS"}}'

Window = Callable[[int, float], Run]
"""Measures one window: with so many clients, for so many seconds."""


class Moves:
    """The moves of one game. Matches are added while windows are prepared, never while one is measured."""

    def __init__(self, rig: Rig, key: str, *, name: str = "moves", most: int = 2000) -> None:
        self.tables: list[Table] = []
        self.name = f"{name} {key}"
        self._rig = rig
        self._key = key
        self._most = most
        self._left: list[int] = []
        self._rate = _GUESS
        rig.generator.lanes(self.name, [])

    def window(
        self, clients: int, seconds: float, *, warm: float = WARM_SECONDS, connections: int = 1, api: Api | None = None
    ) -> Run:
        """Measure one window in which no client runs out of moves."""
        for _ in range(_TRIES):
            self.refill(clients, seconds + warm)
            run = self._rig.generator.run(
                self.name, api or self._rig.api, clients=clients, seconds=seconds, warm=warm, connections=connections
            )
            self._left = list(run.left)
            self._rate = max(1.3 * run.rate, self._rate if run.cut else _GUESS)
            if not run.cut:
                return run
            self._rate *= 2
        raise RuntimeError(f"there are never enough {self.name}")

    def refill(self, clients: int, seconds: float) -> None:
        """Add matches until every client has a table, and another one whenever a match ends."""
        while not self._enough(clients, self._rate * seconds):
            tables = asyncio.run(
                start_tables(self._rig.api.address, GAMES[self._key], _TABLES_AT_ONCE, options=options_of(self._key))
            )
            lanes = scripts(
                self._rig.database_url,
                tables,
                len(self.tables),
                self._most,
                named=self._rig.checkout.moves_name_their_game,
            )
            self._rig.generator.lanes(self.name, lanes)
            self.tables += tables
            self._left += map(len, lanes)

    def _enough(self, clients: int, moves: float) -> bool:
        """Whether so many moves are left besides those of matches that the other clients may be holding."""
        longest_first = sorted(self._left, reverse=True)
        return len(longest_first) >= clients and sum(longest_first[clients - 1 :]) >= moves


def scripts(
    database_url: str, tables: Sequence[Table], seed: int, most: int, *, named: bool = True
) -> list[list[bytes]]:
    """Play matches out on two cores; return each one's requests, which name the game or, for old versions, do not."""
    with ProcessPoolExecutor(2) as pool:
        halves = [pool.submit(_half, database_url, tables[part::2], seed + part, most, named) for part in range(2)]
        return [lane for half in halves for lane in half.result()]


def _half(database_url: str, tables: Sequence[Table], seed: int, most: int, named: bool) -> list[list[bytes]]:
    lives = asyncio.run(read_back(database_url, list(tables)))
    return [
        requests_of(table, play(live, seed + 2 * number, most), named=named)
        for number, (table, live) in enumerate(zip(tables, lives, strict=True))
    ]


def repeated(generator: Generator, name: str, lanes: Sequence[Sequence[bytes]], api: Api) -> Window:
    """Hand over lanes that begin again at their end; return what measures a window of them."""
    generator.lanes(name, lanes, repeat=True)

    def window(clients: int, seconds: float) -> Run:
        return generator.run(name, api, clients=clients, seconds=seconds, warm=WARM_SECONDS)

    return window


def noop_post() -> bytes:
    """Return a POST that does nothing, with the headers and the body of a move."""
    head = (
        f"POST /noop HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer bw_{'x' * 43}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(_NOOP_BODY)}\r\n\r\n"
    )
    return head.encode() + _NOOP_BODY


def noop_moves(rig: Rig, key: str) -> Window:
    """Return what measures requests that cost what every move of a game pays: token, body, size of the answer."""
    requests, size = asyncio.run(_moves_and_size(rig, key))
    line = b"POST /noop/%b/%d HTTP/1.1" % (key.encode(), size)
    lane = [line + request[request.index(b"\r\n") :] for request in requests]
    return repeated(rig.generator, f"no-op of {key}", [lane] * MOST_CLIENTS, rig.api)


async def _moves_and_size(rig: Rig, key: str) -> tuple[list[bytes], int]:
    """Play the beginning of a match; return its moves as requests, and the median size of their answers."""
    tables = await start_tables(rig.api.address, GAMES[key], 1, options=options_of(key))
    (live,) = await read_back(rig.database_url, tables)
    caller = await Caller.connect(rig.api.address)
    requests, sizes = [], []
    for request in requests_of(tables[0], play(live, 1, 60)):
        _, _, answer = await caller.ask(request)
        if b"/moves " in request.partition(b"\r\n")[0]:
            requests.append(request)
            sizes.append(len(answer))
    caller.close()
    return requests, int(statistics.median(sizes))


def noop_get() -> bytes:
    """Return a GET that does nothing, with the headers of a look at a table."""
    return get_request("/noop", "bw_" + "x" * 43)


def views(rig: Rig, key: str) -> tuple[Window, Window]:
    """Start tables, play a few moves; return windows of changed views and of unchanged ones (304).

    One lane for each table, in which its seats look in turn.
    """
    supply = Moves(rig, key, name="opening", most=30)
    supply.refill(MOST_CLIENTS, 0)
    rig.generator.finish(supply.name, rig.api, clients=16)
    changed, unchanged = asyncio.run(_looks(rig, supply.tables[:MOST_CLIENTS]))
    return (
        repeated(rig.generator, f"views {key}", changed, rig.api),
        repeated(rig.generator, f"unchanged {key}", unchanged, rig.api),
    )


async def _looks(rig: Rig, tables: Sequence[Table]) -> tuple[list[Any], list[Any]]:
    caller = await Caller.connect(rig.api.address)
    changed, unchanged = [], []
    for table in tables:
        path = f"/v1/tables/{table.id}"
        tags = [(await caller.ask(get_request(path, token)))[1]["etag"] for token in table.tokens]
        changed.append([get_request(path, token, f'"1.0-{seat}"') for seat, token in enumerate(table.tokens)])
        unchanged.append([get_request(path, token, tag) for token, tag in zip(table.tokens, tags, strict=True)])
    caller.close()
    return changed, unchanged
