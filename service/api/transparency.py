"""The transparency log: checkpoint, proofs, leaves."""

from typing import Any, Final
from uuid import UUID

from msgspec import to_builtins

from service.api.http import Answer, Call, Operation, answer
from service.api.shared import VIEW_HEADERS
from service.api.types import transparency as wire

_TEXT: Final = "text/plain"
_FRESH: Final = {"Cache-Control": "no-cache"}


async def get_checkpoint(call: Call) -> Answer:
    note = await call.services.transparency.checkpoint()
    return answer(note.encode(), media_type=f"{_TEXT}; charset=utf-8", headers=_FRESH)


async def get_inclusion(call: Call) -> Answer:
    query = call.query(wire.InclusionQuery)
    table = await call.services.tables.find(UUID(query.table), call.caller.id, query.join_code)
    await call.services.records.require_over(table)
    leaf, inclusion = await call.services.transparency.inclusion(table.stream, query.size)
    proof = wire.LogInclusion(
        leaf.leaf.hex(), inclusion.index, inclusion.size, inclusion.proof, inclusion.checkpoint, _key(call)
    )
    return answer(proof, headers=VIEW_HEADERS)


async def get_consistency(call: Call) -> Answer:
    query = call.query(wire.ConsistencyQuery)
    proof = await call.services.transparency.consistency(query.old, query.new)
    return answer(to_builtins(proof), headers=_FRESH)


async def list_entries(call: Call) -> Answer:
    query = call.query(wire.EntriesQuery)
    found = await call.services.transparency.entries(query.first, query.limit)
    items = tuple(wire.LogEntry(leaf.position, leaf.leaf.hex()) for leaf in found.leaves)
    following = query.first + len(items)
    more = following if items and following < found.size else None
    link = {} if more is None else {"Link": f'</v1/log/entries?from={more}&limit={query.limit}>; rel="next"'}
    return answer(wire.LogEntries(found.size, _key(call), items, more), headers={**_FRESH, **link})


def _key(call: Call) -> str:
    return call.services.signer.verifier_key


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="getCheckpoint",
        method="GET",
        path="/v1/log/checkpoint",
        summary="Take the signed checkpoint of the transparency log",
        description="A C2SP tlog-checkpoint: origin, number of leaves and root hash (RFC 6962), signed by the key that "
        "signs heads. Keep it: the log has to be consistent with it for ever.",
        tag="transparency",
        run=get_checkpoint,
        public=True,
        answer=str,
        answer_media_types=(_TEXT,),
    ),
    Operation(
        id="getInclusion",
        method="GET",
        path="/v1/log/inclusion",
        summary="Prove that a match is in the transparency log",
        description="For all who may see the table, once its match is over (a moment later, 409 `not_in_log` until "
        "then). `size` asks for an earlier tree that has the match in it. The record of a match carries such a proof.",
        tag="transparency",
        run=get_inclusion,
        query=wire.InclusionQuery,
        answer=wire.LogInclusion,
        problems=(404, 409),
    ),
    Operation(
        id="getConsistency",
        method="GET",
        path="/v1/log/consistency",
        summary="Prove that the transparency log only grew",
        description="The proof that the tree of `to` leaves begins with the tree of `from` leaves, for "
        "`blattwerk verify --consistency`. 409 `no_such_tree` if the log has no trees of these sizes.",
        tag="transparency",
        run=get_consistency,
        public=True,
        query=wire.ConsistencyQuery,
        answer=wire.CONSISTENCY,
        problems=(409,),
    ),
    Operation(
        id="listEntries",
        method="GET",
        path="/v1/log/entries",
        summary="Read the leaves of the transparency log",
        description="For monitors, which make the tree again and hold it against checkpoints. A leaf is a tag of the "
        "table, SHA-256 over its id, and a commitment to the head at the end of its match, SHA-256 over id, version "
        "and chain hash. It tells nothing to somebody who does not know the table's random id. Two leaves whose first "
        "32 bytes are equal would be two ends of one match.",
        tag="transparency",
        run=list_entries,
        public=True,
        query=wire.EntriesQuery,
        answer=wire.LogEntries,
    ),
)
