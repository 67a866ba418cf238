"""Records and audits of matches that are over."""

import zlib
from collections.abc import AsyncIterator
from typing import Any, Final

from domain.record import MEDIA_TYPE
from service.api.http import Answer, Call, Operation, answer, streamed
from service.api.shared import VIEW_HEADERS
from service.api.types import resources as wire

_TEXT: Final = "text/plain"


async def get_record(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.TableQuery)
    found = await call.services.tables.find(table, call.caller.id, query.join_code)
    if call.media_type == _TEXT:
        text = await call.services.records.text(found)
        return answer(text, media_type=f"{_TEXT}; charset=utf-8", headers=VIEW_HEADERS)
    pieces = await call.services.records.document(found)
    headers = {**VIEW_HEADERS, "Vary": "Authorization, Accept, Accept-Encoding"}
    headers["Content-Disposition"] = f'attachment; filename="{table}.record.json"'
    if "gzip" in (call.header(b"accept-encoding") or ""):
        return streamed(_compressed(pieces), MEDIA_TYPE, {**headers, "Content-Encoding": "gzip"})
    return streamed(pieces, MEDIA_TYPE, headers)


async def audit_table(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.TableQuery)
    found = await call.services.tables.find(table, call.caller.id, query.join_code)
    report = await call.services.records.audit(found)
    return answer({"ok": report.ok, "checks": report.checks}, headers=VIEW_HEADERS)


async def _compressed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    async for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="getRecord",
        method="GET",
        path="/v1/tables/{table}/record",
        summary="Take the record of a match that is over",
        description="One document that holds everything: `blattwerk verify` checks it without network. With "
        "`Accept: text/plain` a rendering for people. May be compressed.",
        tag="records",
        run=get_record,
        query=wire.TableQuery,
        answer=wire.RECORD,
        answer_media_types=(MEDIA_TYPE, _TEXT),
        streams=True,
        problems=(404, 409),
    ),
    Operation(
        id="auditTable",
        method="GET",
        path="/v1/tables/{table}/audit",
        summary="Let the service verify a match that is over",
        description="The same checks as `blattwerk verify` makes.",
        tag="records",
        run=audit_table,
        query=wire.TableQuery,
        answer=wire.Audit,
        problems=(404, 409),
    ),
)
