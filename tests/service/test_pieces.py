"""Documents and audits are made page by page: the same bytes whatever a page is, and no page for whom has left."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import UUID

import httpx
import msgspec
import psycopg
import pytest

from domain.record import Record, RecordHeader, chunks
from domain.table.model import Adjudicated
from domain.verify import verify
from service.api import streams
from service.composition import Services
from service.records import records as records_module
from service.records.records import Records
from service.runtime.limits import DEFAULT_LIMITS
from service.runtime.settings import Settings
from service.store.log import StoredEvent
from service.tables import pages as table_pages
from service.verify.notes import is_signed
from tests.service.client import Player, within
from tests.service.connections import connected, request
from tests.service.long_match import played, write_events, written
from tests.service.running import settings_for
from tests.service.test_tables_http import code_of

ResultT = TypeVar("ResultT")
MATCH = played(60)
FORMS = {"record": "*/*", "text": "text/plain", "audit": "*/*"}


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def table(module_database_url: str) -> UUID:
    """A match of some 300 events."""
    return written(module_database_url, MATCH)


@pytest.fixture(scope="module")
def ada(table: UUID, service_url: str) -> Player:
    ada = Player(service_url, "Ada")
    assert ada.view(str(table))["status"] == "finished"
    return ada


def in_process(settings: Settings, work: Callable[[Services], Awaitable[ResultT]]) -> ResultT:
    """Do something with all that a process works with."""

    async def run() -> ResultT:
        services = Services(settings)
        await services.open()
        try:
            return await work(services)
        finally:
            await services.close()

    return asyncio.run(run())


async def joined(pieces: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in pieces])


def path_of(table: UUID, form: str) -> str:
    return f"/v1/tables/{table}/" + ("audit" if form == "audit" else "record")


# the same bytes


@pytest.mark.parametrize("page_events", [1, 7, 100, 10_000])
def test_documents_are_the_same_however_long_a_page_is(
    table: UUID, ada: Player, settings: Settings, page_events: int
) -> None:
    async def made(services: Services) -> tuple[bytes, bytes, Any]:
        parts = services.log, services.cache, services.signer, services.transparency
        records = Records(*parts, page_events=page_events)
        live = await services.tables.find(table, ada.id)
        return await joined(records.document(live)), await joined(records.text(live)), await records.audit(live)

    document, text, report = in_process(settings, made)
    assert document == ada.http.get(path_of(table, "record")).content
    assert text == ada.http.get(path_of(table, "text"), headers={"Accept": "text/plain"}).content
    assert report == verify(document, check_note=is_signed)
    assert report.ok


def test_a_record_is_what_its_header_and_all_its_events_make(table: UUID, ada: Player) -> None:
    document = ada.http.get(path_of(table, "record")).content
    record = msgspec.json.decode(document, type=Record)
    header = RecordHeader(**{name: getattr(record, name) for name in RecordHeader.__struct_fields__})
    assert b"".join(chunks(header, record.events)) == document
    assert [event.envelope.encode() for event in record.events] == [one.envelope for one in MATCH.sealed]


def test_a_record_is_of_one_version_whatever_is_recorded_meanwhile(database_url: str, redis_url: str) -> None:
    match = played.__wrapped__(1)
    table, over = written(database_url, match), len(match.sealed)
    match.adjudicate(Adjudicated(str(table), over, "arbiter", "upheld", False, 2, "00" * 32))

    async def taken(services: Services) -> tuple[bytes, bytes]:
        live = await services.tables.find(table, "nobody")
        parts = services.log, services.cache, services.signer, services.transparency
        pieces = Records(*parts, page_events=10).document(live)
        first = await anext(pieces)
        write_events(database_url, match, over)
        async with live.lock:
            assert await services.cache.catch_up(live)
        return first + await joined(pieces), await joined(services.records.document(live))

    before, after = in_process(settings_for(database_url, redis_url), taken)
    counts = [len(msgspec.json.decode(document, type=Record).events) for document in (before, after)]
    assert counts == [over, over + 1]
    assert all(verify(document, check_note=is_signed).ok for document in (before, after))


def test_a_document_has_a_head_without_being_made(table: UUID, ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    read = slowed(monkeypatch)
    head = ada.http.head(path_of(table, "record"))
    assert (head.status_code, head.content) == (200, b"")
    assert len(read) <= 3


# for whom leaves


def slowed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let pages be of ten events and take a tenth of a second each; the versions at which they were read."""
    read: list[int] = []

    async def slow(*given: Any, **named: Any) -> AsyncIterator[list[StoredEvent]]:
        async for page in table_pages.pages(*given, **named | {"events": 10}):
            read.append(page[-1].version)
            yield page
            await asyncio.sleep(0.1)

    monkeypatch.setattr(records_module, "pages", slow)
    return read


@pytest.mark.parametrize("form", FORMS)
def test_no_page_is_read_for_whom_has_left(
    table: UUID, ada: Player, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    read = slowed(monkeypatch)
    sent = request("GET", path_of(table, form), Authorization=f"Bearer {ada.token}", Accept=FORMS[form])
    with connected(port_of(ada)) as connection:
        connection.sendall(sent)
        assert within(10, lambda: len(read) > 3)
    before = len(read)
    time.sleep(1)
    assert len(read) <= before + 2 < len(MATCH.sealed) // 10
    monkeypatch.undo()
    begun = time.monotonic()
    assert ada.http.get(path_of(table, "audit")).status_code == 200, "the line is free"
    assert time.monotonic() - begun < 10


def port_of(player: Player) -> int:
    port = urlsplit(str(player.http.base_url)).port
    assert port is not None
    return port


def test_only_so_many_documents_are_under_way(table: UUID, ada: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    read = slowed(monkeypatch)
    monkeypatch.setattr(streams, "STREAMS_MAX", 1)
    path = path_of(table, "record")
    with connected(port_of(ada)) as connection:
        connection.sendall(request("GET", path, Authorization=f"Bearer {ada.token}"))
        assert within(10, lambda: len(read) > 3)
        refused = ada.http.get(path)
        assert (refused.status_code, code_of(refused), refused.headers["retry-after"]) == (503, "unavailable", "5")
    assert within(10, lambda: ada.http.head(path).status_code == 200), "who leaves makes room"


def test_one_account_takes_no_more_than_its_share(
    table: UUID, ada: Player, service_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ben, path = Player(service_url, "Ben"), path_of(table, "record")
    slowed(monkeypatch)
    with ExitStack() as stack:
        for _ in range(DEFAULT_LIMITS["documents"].quota):
            connection = stack.enter_context(connected(port_of(ada)))
            connection.sendall(request("GET", path, Authorization=f"Bearer {ada.token}"))
            assert connection.recv(1), "it is being sent"
        refused = ada.http.get(path)
        assert (refused.status_code, refused.headers["ratelimit-policy"]) == (429, '"documents";q=10')
        assert ben.http.head(path).status_code == 200
    assert within(10, lambda: ada.http.head(path).status_code == 200), "who leaves makes room"


# damage


@contextmanager
def damaged(database_url: str, table: UUID, version: int) -> Iterator[None]:
    """The log with an event that cannot be read."""
    where = "where stream = %s and version = %s"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("alter table events disable trigger never_changed")
        before = connection.execute(f"select sealed from events {where}", (table, version)).fetchone()
        assert before is not None
        try:
            connection.execute(f"update events set sealed = left(sealed, -1) {where}", (table, version))
            yield
        finally:
            connection.execute(f"update events set sealed = %s {where}", (*before, table, version))
            connection.execute("alter table events enable always trigger never_changed")


@pytest.mark.parametrize("form", ["record", "text"])
@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_document_that_fails_halfway_does_not_pass_for_a_whole_one(
    table: UUID, ada: Player, module_database_url: str, form: str, encoding: str
) -> None:
    headers = {"Accept": FORMS[form], "Accept-Encoding": encoding}
    with (
        damaged(module_database_url, table, 250),
        ada.http.stream("GET", path_of(table, form), headers=headers) as answer,
    ):
        assert answer.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            answer.read()
    assert ada.http.get(path_of(table, form), headers=headers).status_code == 200


@pytest.mark.parametrize("form", FORMS)
def test_what_fails_at_once_is_a_problem(table: UUID, ada: Player, module_database_url: str, form: str) -> None:
    with damaged(module_database_url, table, 50):
        failed = ada.http.get(path_of(table, form), headers={"Accept": FORMS[form]})
    assert (failed.status_code, code_of(failed)) == (503, "table_damaged")
