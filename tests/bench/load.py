"""The load generator: its own process, raw HTTP/1.1 over asyncio, every request written out beforehand.

It is told what to do in JSON lines on standard input and answers in JSON lines on standard output:

    {"do": "lanes", "name": "moves", "file": "...", "repeat": false}
    {"do": "run", "name": "moves", "address": ["127.0.0.1", 8000], "clients": 64, "warm": 0.4, "seconds": 1.5,
     "connections": 1}

Lanes are added to those of the same name. A lane is a list of requests that are sent one after the other, the
next one when the answer to the last one is complete. A client works on one lane at a time. Lanes with
`repeat` begin again at their end; of others each request is sent once, and a later run goes on where the one
before stopped. Without `seconds` everything that is left is sent, and every latency is returned in the order
of sending.
"""

import asyncio
import json
import pickle
import resource
import sys
from array import array
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

import uvloop

_OK: Final = (b"HTTP/1.1 200", b"HTTP/1.1 304")
_SAMPLE: Final = 2000
"""Latencies of a window that are handed back, evenly taken from the sorted ones."""


class Lane:
    """Requests in order, and how far they have been sent."""

    __slots__ = ("next", "repeat", "requests")

    def __init__(self, requests: list[bytes], repeat: bool) -> None:
        self.requests = requests
        self.repeat = repeat
        self.next = 0

    def take(self) -> bytes | None:
        """Return the next request, None at the end."""
        if self.next == len(self.requests):
            if not self.repeat:
                return None
            self.next = 0
        self.next += 1
        return self.requests[self.next - 1]


@dataclass
class Window:
    """What one run has seen so far, shared by its clients."""

    lanes: deque[Lane]
    measuring: bool = False
    stopping: bool = False
    starved: bool = False
    """Whether a client had nothing left to send."""
    running: int = 0
    sent: int = 0
    """Requests sent, also before and after the measuring."""
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    failures: list[str] = field(default_factory=list)
    cut: asyncio.Event = field(default_factory=asyncio.Event)
    """Set if the measuring has to end early: a failure, or a client has nothing left to send."""
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when no client runs any more."""

    def fail(self, reason: str) -> None:
        """End the run: an answer was not a success."""
        self.failures.append(reason)
        self.stopping = True
        self.cut.set()


class Client:
    """Sends a request, waits for the whole answer, sends the next one; over its connections in turn."""

    __slots__ = ("_lane", "_rest", "_sent", "_transports", "_turn", "_window")

    def __init__(self, window: Window) -> None:
        self._window = window
        self._lane: Lane | None = None
        self._transports: list[Any] = []
        self._turn = 0
        self._rest = b""
        self._sent = 0.0
        window.running += 1

    def connected(self, transport: Any) -> None:
        """Use this connection too."""
        self._transports.append(transport)

    def send(self) -> None:
        """Send the next request, or stop."""
        window = self._window
        if window.stopping:
            self._end()
            return
        request = None if self._lane is None else self._lane.take()
        while request is None:
            if not window.lanes:
                self._lane = None
                window.starved = True
                window.cut.set()
                self._end()
                return
            self._lane = window.lanes.popleft()
            request = self._lane.take()
        window.sent += 1
        self._turn = (self._turn + 1) % len(self._transports)
        self._sent = perf_counter()
        self._transports[self._turn].write(request)

    def received(self, data: bytes) -> None:
        """Take a piece of an answer."""
        if self._rest:
            data = self._rest + data
        head = data.find(b"\r\n\r\n")
        if head < 0 or len(data) < head + 4 + _length(data, head):
            self._rest = data
            return
        self._rest = b""
        window = self._window
        if window.measuring:
            window.latencies.append(perf_counter() - self._sent)
        if not data.startswith(_OK):
            window.fail(data.decode(errors="replace")[:600])
        self.send()

    def lost(self, error: Exception | None) -> None:
        """A connection is gone: at the end it should be, before it is a failure."""
        if self._transports:
            self._window.fail(f"the server closed a connection: {error}")
            self._end()

    def _end(self) -> None:
        window = self._window
        if self._lane is not None:
            window.lanes.appendleft(self._lane)
            self._lane = None
        transports, self._transports = self._transports, []
        for transport in transports:
            transport.close()
        window.running -= 1
        if not window.running:
            window.idle.set()


class Connection(asyncio.Protocol):
    """One connection of a client."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.data_received = client.received  # type: ignore[method-assign]  # saves a call for each answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._client.connected(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._client.lost(error)


def _length(data: bytes, head: int) -> int:
    place = data.find(b"content-length: ", 0, head)
    if place < 0:
        place = data.find(b"Content-Length: ", 0, head)
    return int(data[place + 16 : data.index(b"\r", place)]) if place >= 0 else 0


async def run(
    lanes: deque[Lane], address: tuple[str, int], *, clients: int, connections: int, warm: float, seconds: float | None
) -> dict[str, Any]:
    """Let clients work through lanes; return what was measured after the warm-up."""
    loop = asyncio.get_running_loop()
    window = Window(lanes)
    working = [Client(window) for _ in range(clients)]
    for client in working:
        for _ in range(connections):
            await loop.create_connection(lambda client=client: Connection(client), *address)  # type: ignore[misc]
    window.measuring = seconds is None
    start, used = perf_counter(), _cpu_seconds()
    for client in working:
        client.send()
    if seconds is not None:
        await asyncio.sleep(warm)
        window.measuring = True
        start, used = perf_counter(), _cpu_seconds()
        with suppress(TimeoutError):
            await asyncio.wait_for(window.cut.wait(), seconds)
        end, used = perf_counter(), _cpu_seconds() - used
        window.measuring = False
        window.stopping = True
        await asyncio.wait_for(window.idle.wait(), 60)
    else:
        await window.idle.wait()
        end, used = perf_counter(), _cpu_seconds() - used
    measured = sorted(window.latencies)
    kept = window.latencies if seconds is None else measured[:: max(1, len(measured) // _SAMPLE)]
    return {
        "requests": len(measured),
        "sent": window.sent,
        "seconds": end - start,
        "latencies_ms": [round(latency * 1000, 4) for latency in kept],
        "median_ms": measured[len(measured) // 2] * 1000 if measured else 0.0,
        "p99_ms": measured[len(measured) * 99 // 100] * 1000 if measured else 0.0,
        "generator_busy": used / (end - start),
        "failures": window.failures[:3],
        "cut": window.starved,
        "left": [len(lane.requests) - lane.next for lane in lanes],
    }


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Follow the instructions on standard input until it ends."""
    known: dict[str, deque[Lane]] = {}
    for line in sys.stdin:
        order = json.loads(line)
        answer: dict[str, Any] = {}
        if order.pop("do") == "lanes":
            with open(order["file"], "rb") as file:
                lanes = pickle.load(file)  # noqa: S301 - written by the process that runs us
            mine = known.setdefault(order["name"], deque())
            mine.extend(Lane(requests, order["repeat"]) for requests in lanes)
        else:
            lanes, (host, port) = known[order.pop("name")], order.pop("address")
            answer = uvloop.run(run(lanes, (host, port), **order))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
