"""Disputes: opened by players of a match, decided by arbiters who did not sit at its table."""

from typing import Any, Final

import msgspec

from domain.disputes.views import DisputeSeen
from service.api.http import Answer, Call, Operation, answer
from service.api.types import disputes as wire
from service.disputes.disputes import Asked
from service.disputes.evidence import Opened
from service.store.disputes import DisputeRow

_new_dispute = msgspec.json.Decoder(wire.NewDispute)
_new_resolution = msgspec.json.Decoder(wire.NewResolution)
_new_appeal = msgspec.json.Decoder(wire.NewAppeal)
_HEADERS: Final = {"Cache-Control": "no-store", "Vary": "Authorization"}


async def open_dispute(call: Call) -> Answer:
    table = call.uuid("table")
    body, key = await call.body(_new_dispute), call.idempotency_key()
    asked = Asked(table, body.version, body.claim, body.text)
    seen = await call.services.disputes.open(call.caller, key, asked)
    return answer(seen, status=201, headers={**_HEADERS, "Location": f"/v1/disputes/{seen.dispute}"})


async def list_disputes(call: Call) -> Answer:
    query = call.query(wire.DisputesQuery)
    rows, cursor = await call.services.disputes.page(call.caller, query.status, query.cursor, query.limit)
    page = wire.DisputePage(tuple(map(_summary, rows)), cursor)
    status = "" if query.status is None else f"&status={query.status}"
    link = {} if cursor is None else {"Link": f'</v1/disputes?cursor={cursor}&limit={query.limit}{status}>; rel="next"'}
    return answer(page, headers={**_HEADERS, **link})


async def get_dispute(call: Call) -> Answer:
    return answer(await call.services.disputes.get(call.caller, call.uuid("dispute")), headers=_HEADERS)


async def review_dispute(call: Call) -> Answer:
    return answer(await call.services.disputes.review(call.caller, call.uuid("dispute")), headers=_HEADERS)


async def withdraw_dispute(call: Call) -> Answer:
    return answer(await call.services.disputes.withdraw(call.caller, call.uuid("dispute")), headers=_HEADERS)


async def resolve_dispute(call: Call) -> Answer:
    dispute, body = call.uuid("dispute"), await call.body(_new_resolution)
    seen = await call.services.disputes.resolve(
        call.caller, dispute, body.decision, annulled=body.annulled, reasons=body.reasons
    )
    return answer(seen, headers=_HEADERS)


async def appeal_dispute(call: Call) -> Answer:
    dispute, body = call.uuid("dispute"), await call.body(_new_appeal)
    return answer(await call.services.disputes.appeal(call.caller, dispute, body.text), headers=_HEADERS)


async def get_evidence(call: Call) -> Answer:
    dispute, query = call.uuid("dispute"), call.query(wire.EvidenceQuery)
    viewer: Opened = int(query.seat) if query.seat not in (None, "all") else "all" if query.seat else None
    return answer(await call.services.disputes.evidence(call.caller, dispute, viewer), headers=_HEADERS)


def _summary(row: DisputeRow) -> wire.DisputeSummary:
    ids = str(row.dispute), str(row.stream)
    return wire.DisputeSummary(*ids, row.version, str(row.player), row.claim, row.status, row.opened)


def _links(*operations: str) -> dict[str, Any]:
    parameters = {"dispute": "$response.body#/dispute"}
    return {name: {"operationId": name, "parameters": parameters} for name in operations}


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="openDispute",
        method="POST",
        path="/v1/tables/{table}/disputes",
        summary="Dispute a version of a match I played in",
        description="During the match and within 72 hours of its end; one dispute for each version, three a day. The "
        "evidence is frozen now. While the match runs only arbiters see your text.",
        tag="disputes",
        run=open_dispute,
        status=201,
        body=wire.NewDispute,
        answer=DisputeSeen,
        idempotent=True,
        problems=(404, 409, 429),
        answer_headers={"Location": "The dispute."},
        links=_links(
            "getDispute", "getEvidence", "reviewDispute", "resolveDispute", "appealDispute", "withdrawDispute"
        ),
    ),
    Operation(
        id="listDisputes",
        method="GET",
        path="/v1/disputes",
        summary="List disputes of my matches; arbiters: all",
        description="Newest first.",
        tag="disputes",
        run=list_disputes,
        query=wire.DisputesQuery,
        answer=wire.DisputePage,
        problems=(404,),
        answer_headers={"Link": "The next page, if there is one."},
    ),
    Operation(
        id="getDispute",
        method="GET",
        path="/v1/disputes/{dispute}",
        summary="Look at a dispute",
        description="For players of the match and arbiters. Looks of arbiters at sealed evidence are shown to players "
        "when the match is over, texts of others too.",
        tag="disputes",
        run=get_dispute,
        answer=DisputeSeen,
        problems=(404,),
    ),
    Operation(
        id="reviewDispute",
        method="POST",
        path="/v1/disputes/{dispute}/review",
        summary="Take up a dispute, or its appeal (arbiter)",
        description="For arbiters who never sat at the table; an appeal is for another one than decided. After "
        "72 hours another arbiter may take over.",
        tag="disputes",
        run=review_dispute,
        roles=("arbiter",),
        answer=DisputeSeen,
        problems=(404, 409),
    ),
    Operation(
        id="withdrawDispute",
        method="POST",
        path="/v1/disputes/{dispute}/withdrawal",
        summary="Take my dispute back before it is decided",
        description="The version may be disputed again in time. What was taken back still counts for the three a day.",
        tag="disputes",
        run=withdraw_dispute,
        answer=DisputeSeen,
        problems=(403, 404, 409),
    ),
    Operation(
        id="resolveDispute",
        method="POST",
        path="/v1/disputes/{dispute}/resolution",
        summary="Decide a dispute that I review (arbiter)",
        description="After the end of the match. Nothing that was recorded changes: the table's events gain the "
        "decision, and an annulled match no longer counts in standings.",
        tag="disputes",
        run=resolve_dispute,
        roles=("arbiter",),
        body=wire.NewResolution,
        answer=DisputeSeen,
        problems=(404, 409),
    ),
    Operation(
        id="appealDispute",
        method="POST",
        path="/v1/disputes/{dispute}/appeal",
        summary="Ask another arbiter to decide again, once",
        description="For every player of the match, within 72 hours of the decision, which stands until the next one.",
        tag="disputes",
        run=appeal_dispute,
        body=wire.NewAppeal,
        answer=DisputeSeen,
        problems=(404, 409),
    ),
    Operation(
        id="getEvidence",
        method="GET",
        path="/v1/disputes/{dispute}/evidence",
        summary="Look at the evidence of a dispute",
        description="The public part for all who see the dispute; with `seat` sealed parts: your own, after the match "
        "everybody's. Arbiters see every part, while the match runs the reviewing one alone; each look is recorded "
        "first.",
        tag="disputes",
        run=get_evidence,
        query=wire.EvidenceQuery,
        answer=wire.EVIDENCE,
        problems=(403, 404, 409),
    ),
)
