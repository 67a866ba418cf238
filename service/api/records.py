"""Records and audits of matches that are over."""

from typing import Final
from uuid import UUID

import msgspec
from litestar.di import NamedDependency
from litestar.params import FromPath

from domain.record import MEDIA_TYPE
from service.api.authentication import CallerRequest
from service.api.negotiation import negotiated
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query
from service.api.streams import StreamedResponse, Streams, WorkedResponse
from service.api.types import records as types
from service.api.types.common import NoQuery
from service.limits.limits import Limits
from service.records.records import Records
from service.tables.live_table import LiveTable
from service.tables.tables import Tables

_TEXT: Final = "text/plain"
_encode: Final = msgspec.json.Encoder().encode


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/record",
    id="getRecord",
    summary="Get the record of a match that is over",
    description="One self-contained document, which `blattwerk verify` checks without a network. With `Accept: "
    "text/plain` it is rendered for people. It may be compressed. A long one is sent while it is made: if that fails, "
    "or you stop reading, the connection is closed before the end. 503 if too many are being sent, or wait as text.",
    tag="records",
    public_when_over=True,
    query=NoQuery,
    response=types.RECORD,
    media_types=(MEDIA_TYPE, _TEXT),
    limits=("audits", "documents"),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    vary=("Accept",),
    compressed="always",
)
async def get_record(
    request: CallerRequest,
    table: FromPath[UUID],
    tables: NamedDependency[Tables],
    records: NamedDependency[Records],
    limits: NamedDependency[Limits],
    streams: NamedDependency[Streams],
) -> StreamedResponse:
    account = request.user.id
    decoded_query(request, NoQuery)
    live_table = await tables.find(table, account)
    if negotiated(request.scope, (MEDIA_TYPE, _TEXT)) == _TEXT:
        await limits.take("audits", account)
        return StreamedResponse(records.text(live_table), streams, account, media_type=f"{_TEXT}; charset=utf-8")
    file = {"Content-Disposition": f'attachment; filename="{table}.record.json"'}
    return StreamedResponse(records.document(live_table), streams, account, media_type=MEDIA_TYPE, headers=file)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/audit",
    id="auditTable",
    summary="Verify a match that is over",
    description="The same checks as in `blattwerk verify`. 503 if too many audits are waiting.",
    tag="records",
    public_when_over=True,
    query=NoQuery,
    response=types.Audit,
    limits=("audits",),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
)
async def audit_table(
    request: CallerRequest,
    table: FromPath[UUID],
    tables: NamedDependency[Tables],
    records: NamedDependency[Records],
    limits: NamedDependency[Limits],
) -> WorkedResponse:
    decoded_query(request, NoQuery)
    live_table = await tables.find(table, request.user.id)
    await limits.take("audits", request.user.id)
    return WorkedResponse(lambda: _audited(records, live_table))


async def _audited(records: Records, table: LiveTable) -> bytes:
    report = await records.audit(table)
    return _encode(types.Audit(report.ok, report.checks))


HANDLERS: Final = (
    get_record,
    audit_table,
)
