"""Records and audits of matches that are over."""

from typing import Any, Final
from uuid import UUID

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Stream

from domain.record import MEDIA_TYPE
from service.api.authentication import CallerRequest
from service.api.negotiation import negotiated
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query
from service.api.types import records as types
from service.api.types.common import NoQuery
from service.limits.limits import Limits
from service.records.records import Records
from service.tables.tables import Tables

_TEXT: Final = "text/plain"


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/record",
    id="getRecord",
    summary="Get the record of a match that is over",
    description="One self-contained document, which `blattwerk verify` checks without a network. With `Accept: "
    "text/plain` it is rendered for people. It may be compressed.",
    tag="records",
    query=NoQuery,
    response=types.RECORD,
    media_types=(MEDIA_TYPE, _TEXT),
    limits=("audits",),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    vary=("Accept",),
    compressed=True,
)
async def get_record(
    request: CallerRequest,
    table: FromPath[UUID],
    tables: NamedDependency[Tables],
    records: NamedDependency[Records],
    limits: NamedDependency[Limits],
) -> Response[Any]:
    decoded_query(request, NoQuery)
    live_table = await tables.find(table, request.user.id)
    if negotiated(request.scope, (MEDIA_TYPE, _TEXT)) == _TEXT:
        await limits.take("audits", request.user.id)
        text = await records.text(live_table)
        return Response(text, media_type=_TEXT)
    pieces = await records.document(live_table)
    headers = {"Content-Disposition": f'attachment; filename="{table}.record.json"'}
    return Stream(pieces, headers=headers)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/audit",
    id="auditTable",
    summary="Verify a match that is over",
    description="The same checks as in `blattwerk verify`. 503 at once if too many audits are waiting.",
    tag="records",
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
) -> types.Audit:
    decoded_query(request, NoQuery)
    live_table = await tables.find(table, request.user.id)
    await limits.take("audits", request.user.id)
    report = await records.audit(live_table)
    return types.Audit(report.ok, report.checks)


HANDLERS: Final = (
    get_record,
    audit_table,
)
