"""Disputes: opened by players of a match, decided by arbiters who did not sit at its table."""

from typing import Any, Final
from uuid import UUID

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from domain.disputes.views import DisputeSeen
from service.api.authentication import CallerRequest
from service.api.headers import idempotency_key
from service.api.operation import Operation
from service.api.queries import decoded_query
from service.api.responses import paged
from service.api.types import disputes as types
from service.disputes.disputes import Asked, Disputes
from service.disputes.evidence import Opened
from service.store.disputes import DisputeRow

_HEADERS: Final = {"Cache-Control": "no-store"}


def _links(*operations: str) -> dict[str, Any]:
    parameters = {"dispute": "$response.body#/dispute"}
    return {name: {"operationId": name, "parameters": parameters} for name in operations}


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/disputes",
    id="openDispute",
    summary="Dispute a version of a match I played in",
    description="During the match and within 72 hours of its end; one dispute per version, three a day. The "
    "evidence is frozen at once. Until the match is over, only arbiters see your text.",
    tag="disputes",
    status=201,
    body=types.NewDispute,
    response=DisputeSeen,
    idempotent=True,
    problems=(404, 409, 429),
    response_headers={"Location": "The dispute."},
    links=_links("getDispute", "getEvidence", "reviewDispute", "resolveDispute", "appealDispute", "withdrawDispute"),
    headers=_HEADERS,
)
async def open_dispute(
    request: CallerRequest, table: FromPath[UUID], data: JSONBody[types.NewDispute], disputes: NamedDependency[Disputes]
) -> Response[DisputeSeen]:
    asked = Asked(table, data.version, data.claim, data.text)
    seen = await disputes.open(request.user, idempotency_key(request), asked)
    return Response(seen, headers={"Location": f"/v1/disputes/{seen.dispute}"})


@Operation(
    "GET",
    "/v1/disputes",
    id="listDisputes",
    summary="List disputes of my matches (arbiters: all)",
    description="Newest first.",
    tag="disputes",
    query=types.DisputesQuery,
    response=types.DisputePage,
    problems=(404,),
    response_headers={"Link": "The next page, if there is one."},
    headers=_HEADERS,
    compressed="always",
)
async def list_disputes(request: CallerRequest, disputes: NamedDependency[Disputes]) -> Response[Any]:
    params = decoded_query(request, types.DisputesQuery)
    rows, cursor = await disputes.page(request.user, params.status, params.cursor, params.limit)
    page = types.DisputePage(tuple(map(_summary, rows)), cursor)
    following = {"cursor": cursor, "limit": params.limit, "status": params.status}
    return paged(page, "/v1/disputes", following if cursor else None)


@Operation(
    "GET",
    "/v1/disputes/{dispute:uuid}",
    id="getDispute",
    summary="Get a dispute",
    description="For players of the match and for arbiters. When the match is over, players also see the texts of "
    "others and at which sealed evidence arbiters have looked.",
    tag="disputes",
    response=DisputeSeen,
    problems=(404,),
    headers=_HEADERS,
)
async def get_dispute(
    request: CallerRequest, dispute: FromPath[UUID], disputes: NamedDependency[Disputes]
) -> DisputeSeen:
    return await disputes.get(request.user, dispute)


@Operation(
    "POST",
    "/v1/disputes/{dispute:uuid}/review",
    id="reviewDispute",
    summary="Begin to review a dispute, or its appeal (arbiter)",
    description="For arbiters who never had a seat at the table; an appeal is for an arbiter who did not decide "
    "the dispute. After 72 hours another arbiter may take over.",
    tag="disputes",
    roles=("arbiter",),
    response=DisputeSeen,
    problems=(404, 409),
    headers=_HEADERS,
)
async def review_dispute(
    request: CallerRequest, dispute: FromPath[UUID], disputes: NamedDependency[Disputes]
) -> DisputeSeen:
    return await disputes.review(request.user, dispute)


@Operation(
    "POST",
    "/v1/disputes/{dispute:uuid}/withdrawal",
    id="withdrawDispute",
    summary="Withdraw my dispute before it is decided",
    description="The version may be disputed again within the same time limits. A withdrawn dispute still counts "
    "towards the three a day.",
    tag="disputes",
    response=DisputeSeen,
    problems=(403, 404, 409),
    headers=_HEADERS,
)
async def withdraw_dispute(
    request: CallerRequest, dispute: FromPath[UUID], disputes: NamedDependency[Disputes]
) -> DisputeSeen:
    return await disputes.withdraw(request.user, dispute)


@Operation(
    "POST",
    "/v1/disputes/{dispute:uuid}/resolution",
    id="resolveDispute",
    summary="Decide a dispute that I review (arbiter)",
    description="After the end of the match. Nothing that was recorded changes: the decision is added to the "
    "table's events, and an annulled match no longer counts in the standings.",
    tag="disputes",
    roles=("arbiter",),
    body=types.NewResolution,
    response=DisputeSeen,
    problems=(404, 409),
    headers=_HEADERS,
)
async def resolve_dispute(
    request: CallerRequest,
    dispute: FromPath[UUID],
    data: JSONBody[types.NewResolution],
    disputes: NamedDependency[Disputes],
) -> DisputeSeen:
    return await disputes.resolve(request.user, dispute, data.decision, annulled=data.annulled, reasons=data.reasons)


@Operation(
    "POST",
    "/v1/disputes/{dispute:uuid}/appeal",
    id="appealDispute",
    summary="Appeal to another arbiter, once",
    description="Open to every player of the match within 72 hours of the decision, which stands until the next one.",
    tag="disputes",
    body=types.NewAppeal,
    response=DisputeSeen,
    problems=(404, 409),
    headers=_HEADERS,
)
async def appeal_dispute(
    request: CallerRequest,
    dispute: FromPath[UUID],
    data: JSONBody[types.NewAppeal],
    disputes: NamedDependency[Disputes],
) -> DisputeSeen:
    return await disputes.appeal(request.user, dispute, data.text)


@Operation(
    "GET",
    "/v1/disputes/{dispute:uuid}/evidence",
    id="getEvidence",
    summary="Get the evidence of a dispute",
    description="The public part for everybody who may see the dispute. With `seat` also sealed parts: your own, "
    "and after the match everybody's. Arbiters may see every part, but during the match only the "
    "reviewing arbiter; each look is recorded before it is shown.",
    tag="disputes",
    query=types.EvidenceQuery,
    response=types.EVIDENCE,
    problems=(403, 404, 409),
    headers=_HEADERS,
)
async def get_evidence(
    request: CallerRequest, dispute: FromPath[UUID], disputes: NamedDependency[Disputes]
) -> Response[Any]:
    params = decoded_query(request, types.EvidenceQuery)
    viewer: Opened = int(params.seat) if params.seat not in (None, "all") else "all" if params.seat else None
    return Response(await disputes.evidence(request.user, dispute, viewer))


def _summary(row: DisputeRow) -> types.DisputeSummary:
    ids = str(row.dispute), str(row.stream)
    return types.DisputeSummary(*ids, row.version, str(row.player), row.claim, row.status, row.opened)


HANDLERS: Final = (
    open_dispute,
    list_disputes,
    get_dispute,
    review_dispute,
    withdraw_dispute,
    resolve_dispute,
    appeal_dispute,
    get_evidence,
)
