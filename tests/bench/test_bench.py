"""What the figures rest on: generated streams are real ones, requests are sent in order, aims are judged."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from domain import fairness
from service.tables.live_table import fold
from tests.bench.__main__ import QUICK
from tests.bench.beside import owed
from tests.bench.beside_functions import KINDS, alternate, passes
from tests.bench.load import Lane, run
from tests.bench.matches import GAMES, Table, play, requests_of
from tests.bench.report import Aim, Row, Section, text
from tests.bench.rig import HERE
from tests.bench.streams import generate


@pytest.mark.parametrize("key", GAMES)
def test_a_generated_stream_folds_and_its_chain_holds(key: str) -> None:
    stream = generate(GAMES[key], 3, options={}, most=60)
    live = fold(stream.id, stream.secret, stream.rows)
    assert live.state.version == len(stream.rows)
    linked = fairness.genesis(stream.id.bytes, GAMES[key].rules_id)
    for row in stream.rows:
        assert row.previous_hash == linked
        linked = fairness.link(linked, row.envelope.encode())
        assert row.hash == linked


def test_the_same_seed_gives_the_same_match() -> None:
    game = GAMES["hearts"]
    one, same, other = (generate(game, seed, options={}, most=30) for seed in (1, 1, 2))
    assert one == same
    assert [row.envelope for row in one.rows] != [row.envelope for row in other.rows]


def test_requests_carry_the_token_of_the_seat_that_moves() -> None:
    stream = generate(GAMES["hearts"], 1, options={}, most=0)
    live = fold(stream.id, stream.secret, stream.rows)
    table = Table(stream.id, ("token0", "token1", "token2", "token3"))
    steps = list(play(live, 1, 8))
    for step, request in zip(steps, requests_of(table, iter(steps)), strict=True):
        head, _, body = request.partition(b"\r\n\r\n")
        assert head.startswith(f"POST /v1/tables/{stream.id}/moves HTTP/1.1".encode())
        assert f"Bearer token{step.seat}\r\n".encode() in head
        assert f"Content-Length: {len(body)}".encode() in head
        assert b'"decision":%d' % (step.decision or 0) in body


async def test_a_lane_is_sent_in_order_and_goes_on_where_it_stopped() -> None:
    seen: list[bytes] = []
    lanes = deque([Lane([b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(6)], repeat=False)])
    async with _server(seen) as address:
        for _ in range(2):
            lane = lanes[0]
            kept, lane.requests = lane.requests, lane.requests[: lane.next + 3]
            answered = await run(lanes, address, clients=1, connections=1, warm=0, seconds=None)
            assert (answered["requests"], answered["failures"]) == (3, [])
            lane.requests = kept
            lanes.append(lane)
    assert seen == [b"/%d" % number for number in range(6)]


async def test_an_answer_that_is_no_success_ends_the_run_and_is_told() -> None:
    lanes = deque([Lane([b"GET /missing HTTP/1.1\r\n\r\n"], repeat=True)])
    async with _server([], status=b"404 Not Found") as address:
        answered = await run(lanes, address, clients=1, connections=1, warm=0, seconds=5)
    assert answered["failures"][0].startswith("HTTP/1.1 404")
    assert answered["seconds"] < 5


@asynccontextmanager
async def _server(seen: list[bytes], status: bytes = b"200 OK") -> AsyncIterator[tuple[str, int]]:
    """A server that notes the paths it is asked for and answers in two pieces."""
    answering: list[asyncio.Future[None]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.read(4096):
            seen.append(head.split()[1])
            writer.write(b"HTTP/1.1 %b\r\ncontent-length: 5\r\n\r\nhe" % status)
            await writer.drain()
            await asyncio.sleep(0.001)
            writer.write(b"llo")
        writer.close()
        await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.append(asyncio.ensure_future(answer(reader, writer)))

    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        yield host, port
        await asyncio.gather(*answering)


def test_an_aim_is_judged_by_its_bound() -> None:
    assert Aim("rate", 0.5, 0.5, at_least=True).reached
    assert not Aim("rate", 0.49, 0.5, at_least=True).reached
    assert Aim("ms", 50, 50, at_least=False).reached
    assert not Aim("ms", 50.1, 50, at_least=False).reached


def test_a_section_is_shown_as_aligned_columns() -> None:
    rows = (Row("a", {"n": 1234.5, "ratio": 0.5}), Row("longer", {"n": None}))
    shown = text(Section("key", "Title", "Note.", ("n", "ratio"), rows, (Aim("ratio", 0.4, 0.5, True),)))
    assert shown.splitlines() == [
        "Title       n  ratio",
        "--------------------",
        "a       1,234   0.50",
        "longer              ",
        "Note.",
        "  NOT REACHED ratio: 0.4 (aim >= 0.5)",
    ]


def test_a_process_does_every_kind_of_pass_again_and_again() -> None:
    with passes(HERE.root, 1) as once:
        for kind in KINDS:
            (us, calls), (_, again) = once(kind, "herzeln"), once(kind, "herzeln")
            assert us > 0
            assert calls == again > 0
        with pytest.raises(RuntimeError, match="cannot do fold of chess"):
            once("fold", "chess")


def test_code_that_lies_elsewhere_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="was to be measured"), passes(tmp_path, 1):
        pass


def test_a_clone_without_the_history_says_that_it_cannot_compare() -> None:
    section = owed("hearts", QUICK, ("0" * 40, "1" * 40))
    assert "NOT MEASURED" in text(section)
    assert section.aims == ()


def test_two_versions_take_turns_and_each_begins_as_often() -> None:
    order: list[str] = []

    def one(name: str, us: float, kind: str, key: str) -> tuple[float, int]:
        order.append(name)
        assert (kind, key) == ("fold", "hearts")
        return us, 5

    now, then = alternate(partial(one, "ours", 2.0), partial(one, "theirs", 3.0), "fold", "hearts", 2)
    assert order == ["ours", "theirs", "ours", "theirs", "theirs", "ours"]
    assert (now, then) == ([(2.0, 5)] * 2, [(3.0, 5)] * 2)
