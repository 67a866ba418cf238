"""What the figures of saturation rest on: refused requests come again in order, and every answer is counted once."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.bench.crowd import run
from tests.bench.load import Lane
from tests.bench.saturation import Windows

ACCEPTED = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
OVERLOADED = b'HTTP/1.1 503 x\r\nRetry-After: 0\r\ncontent-length: 21\r\n\r\n{"code":"overloaded"}'
UNAVAILABLE = b'HTTP/1.1 503 x\r\ncontent-length: 22\r\n\r\n{"code":"unavailable"}'


@asynccontextmanager
async def served(answer: Callable[[bytes], bytes]) -> AsyncIterator[tuple[str, int]]:
    """A server whose answer follows from the path."""

    talking: list[asyncio.Future[None]] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.read(4096):
            await asyncio.sleep(0.002)
            writer.write(answer(head.split()[1]))
        writer.close()
        await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.append(asyncio.ensure_future(talk(reader, writer)))

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield host, port
        await asyncio.gather(*talking)


def lane(name: str, length: int = 10_000) -> Lane:
    return Lane([b"GET /%s-%d HTTP/1.1\r\n\r\n" % (name.encode(), number) for number in range(length)], repeat=False)


async def test_a_refused_request_comes_again_before_the_next_one() -> None:
    asked: list[bytes] = []

    def answer(path: bytes) -> bytes:
        asked.append(path)
        return ACCEPTED if asked.count(path) == 2 else OVERLOADED

    async with served(answer) as address:
        seen = await run(deque([lane("a")]), address, clients=1, warm=0.0, seconds=0.3, rate=None, patient=True)
    assert len(asked) > 4
    assert asked == [b"/a-%d" % (number // 2) for number in range(len(asked))]
    assert abs(seen.accepted.count - seen.refused.count) <= 1
    assert (seen.failed, seen.starved) == ({}, False)
    assert 2 <= seen.accepted.median_ms <= seen.accepted.p99_ms


async def test_what_is_neither_success_nor_refusal_is_counted_by_its_code() -> None:
    async with served(lambda path: UNAVAILABLE if path == b"/a-3" else ACCEPTED) as address:
        lanes = deque([lane("a", 4), lane("b")])
        seen = await run(lanes, address, clients=1, warm=0.0, seconds=0.2, rate=None, patient=True)
    assert list(seen.failed) == ["503 unavailable"]
    assert seen.accepted.count == 3


async def test_requests_are_begun_at_the_rate_and_those_that_nobody_can_send_are_counted() -> None:
    times: Counter[bytes] = Counter()

    def answer(path: bytes) -> bytes:
        times[path] += 1
        return ACCEPTED

    lanes = deque([lane("a"), lane("b")])
    async with served(answer) as address:
        seen = await run(lanes, address, clients=2, warm=0.0, seconds=0.3, rate=20_000, patient=False)
    assert set(times.values()) == {1}
    assert seen.unsent > seen.accepted.count > 0


async def test_a_run_without_enough_requests_says_so() -> None:
    async with served(lambda _: ACCEPTED) as address:
        seen = await run(deque([lane("a", 3)]), address, clients=1, warm=0.0, seconds=0.1, rate=None, patient=True)
    assert seen.starved
    assert seen.accepted.count == 3


async def test_figures_are_medians_over_windows_and_failures_their_sum() -> None:
    windows = Windows()
    async with served(lambda path: UNAVAILABLE if path == b"/a-1" else ACCEPTED) as address:
        for _ in range(2):
            lanes = deque([lane("a", 2)])
            seen = await run(
                lanes, address, clients=1, warm=0.0, seconds=0.1, rate=None, patient=True, watched=[[1], [1]]
            )
            windows.seen.append(seen)
    cells = windows.cells(peak=2 * windows.rate)
    assert cells["ratio"] == 0.5
    assert windows.failed == cells["failed"] == sum(seen.failed["503 unavailable"] for seen in windows.seen)
    assert len(windows.cores) == 4
