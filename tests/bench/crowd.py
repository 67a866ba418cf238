"""A crowd: a load generator whose clients may be refused and come back, in a process of its own.

Like `tests.bench.load` it works through lanes of requests and follows JSON lines on standard input; each answer is a
JSON line on standard output:

    {"do": "lanes", "file": "..."}
    {"do": "run", "address": ["127.0.0.1", 8000], "clients": 500, "warm": 1.0, "seconds": 3.0, "rate": null,
     "patient": true, "watched": [[4711], [4712, 4713]]}

Every client has a connection and a lane of its own. Without a rate each sends its next request when the last one was
answered. With a rate so many requests a second are begun by clients that are idle, however the others fare, and
latencies count from when a request was due. A request that is refused stays the next one of its lane: patient clients
send it again after `Retry-After`, others at once. `watched` are groups of processes whose processor time is measured.
"""

import asyncio
import json
import os
import pickle
import re
import resource
import sys
from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

import msgspec
import uvloop
from msgspec import Struct

from tests.bench.cpu import cpu_seconds, machine_seconds
from tests.bench.load import Lane

_OK: Final = b"HTTP/1.1 200"
_UNAVAILABLE: Final = b"HTTP/1.1 503"
_OVERLOADED: Final = b'"overloaded"'
_LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_RETRY_AFTER: Final = re.compile(rb"\r\nretry-after: (\d+)", re.IGNORECASE)
_CODE: Final = re.compile(rb'"code":"(\w+)"')
_TICK_SECONDS: Final = 0.001
_CONNECTING: Final = 100
"""Connections that are opened at the same time."""
_LAST_SECONDS: Final = 30.0
"""How long the last answers may take."""


class Latencies(Struct, frozen=True):
    """How long answers of one kind took."""

    count: int
    median_ms: float
    p99_ms: float


class Seen(Struct, frozen=True):
    """What one run measured."""

    seconds: float
    accepted: Latencies
    refused: Latencies
    failed: dict[str, int]
    """Answers that are neither, by status and code, of the whole run."""
    unsent: int
    """Requests that were due while no client was idle."""
    starved: bool
    """Whether a client had nothing left to send."""
    cores: tuple[float, ...]
    """Cores that each of the watched groups used, then this process, then everything else."""


@dataclass
class Window:
    """What one run has seen so far, shared by its clients."""

    lanes: deque[Lane]
    patient: bool
    at_rate: bool
    measuring: bool = False
    stopping: bool = False
    starved: bool = False
    accepted: "array[float]" = field(default_factory=lambda: array("d"))
    refused: "array[float]" = field(default_factory=lambda: array("d"))
    failed: dict[str, int] = field(default_factory=dict)
    unsent: int = 0
    idle: deque["Client"] = field(default_factory=deque)
    """Those who wait for a request to be due."""
    working: int = 0
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the run ends and nobody waits for an answer."""

    def fail(self, said: str) -> None:
        """Count an answer that is neither a success nor a refusal."""
        self.failed[said] = self.failed.get(said, 0) + 1

    def finished(self) -> None:
        """One client has its answer, or never gets it."""
        self.working -= 1
        if self.stopping and not self.working:
            self.done.set()


class Client(asyncio.Protocol):
    """One connection, with a lane."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._lane: Lane | None = None
        self._transport: Any = None
        self._rest = b""
        self._since = 0.0
        self._working = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def send(self, since: float) -> None:
        """Send the next request, which was due then."""
        window = self._window
        request = None if self._lane is None else self._lane.take()
        while request is None:
            if not window.lanes:
                self._lane, window.starved = None, True
                return
            self._lane = window.lanes.popleft()
            request = self._lane.take()
        self._working, self._since = True, since
        window.working += 1
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
        head = data.find(b"\r\n\r\n")
        length = _LENGTH.search(data, 0, head + 2) if head >= 0 else None
        if head < 0 or (length is not None and len(data) < head + 4 + int(length[1])):
            self._rest = data
            return
        self._rest = b""
        self._finish(self._judged(data, perf_counter() - self._since, head))

    def _judged(self, data: bytes, seconds: float, head: int) -> float:
        """Count an answer; return how long to wait before the next request."""
        window = self._window
        if data.startswith(_OK):
            if window.measuring:
                window.accepted.append(seconds)
            return 0.0
        if self._lane is not None:
            self._lane.next -= 1
        if not data.startswith(_UNAVAILABLE) or _OVERLOADED not in data:
            code = _CODE.search(data, head)
            window.fail(f"{data[9:12].decode()} {code[1].decode() if code else ''}")
        elif window.measuring:
            window.refused.append(seconds)
        retry = _RETRY_AFTER.search(data, 0, head + 2)
        return float(retry[1]) if window.patient and retry is not None else 0.0

    def _finish(self, pause: float) -> None:
        self._working = False
        self._window.finished()
        if self._window.at_rate:
            self._window.idle.append(self)
        elif pause:
            asyncio.get_running_loop().call_later(pause, self._go_on)
        else:
            self._go_on()

    def _go_on(self) -> None:
        if not self._window.stopping:
            self.send(perf_counter())

    def connection_lost(self, error: Exception | None) -> None:
        if self._transport.is_closing() and self._lane is None:
            return
        self._window.fail(f"connection closed: {error}")
        if self._working:
            self._working = False
            self._window.finished()

    def close(self) -> None:
        """Give the lane back and close the connection."""
        if self._lane is not None:
            self._window.lanes.append(self._lane)
            self._lane = None
        self._transport.close()


async def run(
    lanes: deque[Lane],
    address: tuple[str, int],
    *,
    clients: int,
    warm: float,
    seconds: float,
    rate: float | None,
    patient: bool,
    watched: Sequence[Sequence[int]] = (),
) -> Seen:
    """Let clients work through lanes; return what was measured after the warm-up."""
    window = Window(lanes, patient, at_rate=rate is not None)
    crowd = await _connected(window, address, clients)
    beginning = None
    if rate is None:
        for client in crowd:
            client.send(perf_counter())
    else:
        window.idle.extend(crowd)
        beginning = asyncio.create_task(_begin_at(rate, window))
    await asyncio.sleep(warm)
    window.measuring = True
    begun, before = perf_counter(), _used(watched)
    await asyncio.sleep(seconds)
    lasted, after = perf_counter() - begun, _used(watched)
    window.measuring, window.stopping = False, True
    if beginning is not None:
        await beginning
    if window.working:
        await asyncio.wait_for(window.done.wait(), _LAST_SECONDS)
    for client in crowd:
        client.close()
    await asyncio.sleep(0)
    accepted, refused = _latencies(window.accepted), _latencies(window.refused)
    *ours, machine = [(end - start) / lasted for start, end in zip(before, after, strict=True)]
    cores = (*ours, max(0.0, machine - sum(ours)))
    return Seen(lasted, accepted, refused, window.failed, window.unsent, window.starved, cores)


def _used(watched: Sequence[Sequence[int]]) -> list[float]:
    """Return the processor time of each group, of this process and of the machine."""
    return [*map(cpu_seconds, watched), cpu_seconds([os.getpid()]), machine_seconds()]


async def _connected(window: Window, address: tuple[str, int], clients: int) -> list[Client]:
    loop = asyncio.get_running_loop()
    crowd: list[Client] = []
    while len(crowd) < clients:
        some = min(_CONNECTING, clients - len(crowd))
        made = await asyncio.gather(*[loop.create_connection(lambda: Client(window), *address) for _ in range(some)])
        crowd += [client for _, client in made]
    return crowd


async def _begin_at(rate: float, window: Window) -> None:
    """Begin so many requests a second until the run ends."""
    begun, number = perf_counter(), 0
    while not window.stopping:
        due = int((perf_counter() - begun) * rate)
        while number < due:
            if window.idle:
                window.idle.popleft().send(begun + number / rate)
            elif window.measuring:
                window.unsent += 1
            number += 1
        await asyncio.sleep(_TICK_SECONDS)


def _latencies(seconds: "array[float]") -> Latencies:
    ordered = sorted(seconds)
    if not ordered:
        return Latencies(0, 0.0, 0.0)
    return Latencies(len(ordered), ordered[len(ordered) // 2] * 1000, ordered[len(ordered) * 99 // 100] * 1000)


def main() -> None:
    """Follow the instructions on standard input until it ends."""
    _, files_max = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files_max, files_max))  # a connection is an open file
    lanes: deque[Lane] = deque()
    for line in sys.stdin:
        order = json.loads(line)
        answer: Any = None
        if order.pop("do") == "lanes":
            with open(order["file"], "rb") as file:
                lanes.extend(Lane(requests, repeat=False) for requests in pickle.load(file))  # noqa: S301 - ours
        else:
            host, port = order.pop("address")
            answer = uvloop.run(run(lanes, (host, port), **order))
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
