"""Logs: one JSON object for each line, with request and table, without cards and secrets."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest
import structlog
from litestar import Litestar, get
from litestar.middleware import DefineMiddleware
from litestar.params import FromPath

from domain.cards import pack
from service.api.middleware import Admission
from service.api.operation import PUBLIC
from service.api.problems import problem_handler
from service.runtime.logs import WITHHELD, begin_request, configure_logs
from service.runtime.settings import Secret, Settings
from service.tables.unreadable import UnreadableTables


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(False)
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


@pytest.fixture
def output() -> io.StringIO:
    stream = io.StringIO()
    configure_logs(Settings(log_level="info"), stream)
    return stream


def lines(output: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_a_line_has_time_level_event_and_what_was_said(output: io.StringIO) -> None:
    structlog.get_logger("blattwerk").info("table closed", table="7f", version=3, reason=None)
    (line,) = lines(output)
    assert list(line)[:3] == ["time", "level", "event"]
    assert line.pop("time").endswith("Z")
    assert line == {"level": "info", "event": "table closed", "table": "7f", "version": 3, "reason": None}


def test_request_and_table_are_on_every_line_of_their_task(output: io.StringIO) -> None:
    log = structlog.get_logger()

    async def about_a_table() -> None:
        begin_request(trace_id="r1", table="t1")
        await asyncio.sleep(0)  # the other one runs
        log.info("about a table")

    async def about_none() -> None:
        begin_request(trace_id="r2", table=None)
        logging.getLogger("library").warning("about none")

    async def both() -> None:
        await asyncio.gather(about_a_table(), about_none())
        log.info("outside")

    asyncio.run(both())
    known = [(line.get("trace_id"), line.get("table")) for line in lines(output)]
    assert known == [("r2", None), ("r1", "t1"), (None, None)]


def test_what_is_below_the_level_is_not_written(output: io.StringIO) -> None:
    structlog.get_logger().debug("detail")
    assert output.getvalue() == ""


@pytest.mark.parametrize("card", [*pack(), *pack(packs=2, jokers=6)])
def test_no_card_gets_into_a_line_whatever_it_stands_in(output: io.StringIO, card: str) -> None:
    log = structlog.get_logger()
    log.info(f"seat 2 plays {card}", note=[{"x": (card, {"y": f'"{card}"'})}], what={card}, error=ValueError(card))
    try:
        raise KeyError(card)
    except KeyError:
        log.exception("failed")
    logging.getLogger("library").warning("%s is odd", card)
    assert len(lines(output)) == 3
    assert card not in output.getvalue().replace("\\n", " ")
    assert output.getvalue().count(WITHHELD) >= 7


def test_what_is_named_a_secret_is_withheld_whatever_it_is(output: io.StringIO) -> None:
    secrets = {"token": "t0k3n", "seed": 17, "hand": ["?"], "dsn": Secret("hunter2")}
    structlog.get_logger().info("got Bearer bw_h7Kq9XzP2mLw", **secrets, inner={"Salt": b"1"})
    (line,) = lines(output)
    assert line["event"] == f"got Bearer {WITHHELD}"
    assert [line[name] for name in secrets] == [WITHHELD] * 4
    assert line["inner"] == {"Salt": WITHHELD}


def test_ids_hashes_and_times_are_left_as_they_are(output: io.StringIO) -> None:
    table = UUID("018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
    words = "AS-2C 2CAS 018f-QS _QS 4bf92f3577b34da6a3ce929d0e0e4736 GET /v1/tables 2026-01-02T03:04:05Z"
    structlog.get_logger().info("kept", table=table, words=words)
    (line,) = lines(output)
    assert (line["table"], line["words"]) == (str(table), words)


def test_lines_of_libraries_have_the_same_form(output: io.StringIO) -> None:
    logging.getLogger("_granian").error("cannot bind")
    (line,) = lines(output)
    assert (line["level"], line["event"], line["logger"]) == ("error", "cannot bind", "_granian")


@pytest.mark.parametrize(("form", "stream", "as_json"), [
    ("auto", io.StringIO, True), ("auto", Terminal, False), ("text", io.StringIO, False), ("json", Terminal, True),
])  # fmt: skip
def test_a_terminal_gets_text_everything_else_json(form: str, stream: type[io.StringIO], as_json: bool) -> None:
    output = stream()
    configure_logs(Settings(log_format=form), output)
    structlog.get_logger().info("hello")
    assert output.getvalue().startswith("{") == as_json


async def test_what_a_request_logs_carries_its_trace_id_and_its_table(output: io.StringIO) -> None:
    @get("/v1/tables/{table:str}")
    async def fails(table: FromPath[str]) -> None:
        structlog.get_logger().info("on the way")
        raise RuntimeError("QS")

    app: Any = Litestar(
        [fails],
        middleware=[DefineMiddleware(Admission, accounts=None, log=None, load=None, body_seconds=1.0)],
        opt={PUBLIC: True},
        exception_handlers={Exception: problem_handler("", UnreadableTables())},
        logging_config=None,
        openapi_config=None,
    )
    trace_id = "4bf92f3577b34da6a3ce929d0e0e4736"
    headers = {"traceparent": f"00-{trace_id}-00f067aa0ba902b7-01"}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://api.test") as client:
        response = await client.get("/v1/tables/t1", headers=headers)
    assert (response.status_code, response.json()["trace_id"]) == (500, trace_id)
    assert [(line["event"], line["trace_id"], line["table"]) for line in lines(output)] == [
        ("on the way", trace_id, "t1"),
        ("request failed", trace_id, "t1"),
    ]
    assert "QS" not in output.getvalue() + response.text
