"""The transparency log: checkpoint, proofs, leaves."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response
from litestar.di import NamedDependency

from domain.transparency import Consistency
from service.api.authentication import CallerRequest
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query
from service.api.responses import paged
from service.api.types import transparency as types
from service.records.records import Records
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.tables.tables import Tables

_TEXT: Final = "text/plain"
_FRESH: Final = {"Cache-Control": "no-cache"}


@Operation(
    "GET",
    "/v1/log/checkpoint",
    id="getCheckpoint",
    summary="Get the signed checkpoint of the transparency log",
    description="A C2SP tlog-checkpoint: origin, number of leaves and root hash (RFC 6962), signed by the key that "
    "signs heads. Keep it: the log must stay consistent with it forever.",
    tag="transparency",
    public=True,
    response=str,
    media_types=(_TEXT,),
    headers=_FRESH,
)
async def get_checkpoint(transparency: NamedDependency[Transparency]) -> str:
    return await transparency.checkpoint()


@Operation(
    "GET",
    "/v1/log/inclusion",
    id="getInclusion",
    summary="Prove that a match is in the transparency log",
    description="For everybody who may see the table, shortly after its match is over; until then 409 "
    "`not_in_log`. `size` selects an earlier tree that contains the match. The record of a match "
    "contains such a proof.",
    tag="transparency",
    query=types.InclusionQuery,
    response=types.LogInclusion,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
)
async def get_inclusion(
    request: CallerRequest,
    tables: NamedDependency[Tables],
    records: NamedDependency[Records],
    transparency: NamedDependency[Transparency],
    signer: NamedDependency[Signer],
) -> types.LogInclusion:
    params = decoded_query(request, types.InclusionQuery)
    table = await tables.find(UUID(params.table), request.user.id)
    await records.require_over(table)
    leaf, found = await transparency.inclusion(table.stream, params.size)
    return types.LogInclusion(
        leaf.leaf.hex(), found.index, found.size, found.proof, found.checkpoint, signer.verifier_key
    )


@Operation(
    "GET",
    "/v1/log/consistency",
    id="getConsistency",
    summary="Prove that the transparency log has only grown",
    description="The proof that the tree of `to` leaves begins with the tree of `from` leaves, for "
    "`blattwerk verify --consistency`. 409 `no_such_tree` if the log has no trees of these sizes.",
    tag="transparency",
    public=True,
    query=types.ConsistencyQuery,
    response=types.CONSISTENCY,
    problems=(409,),
    headers=_FRESH,
)
async def get_consistency(request: Request[Any, Any, Any], transparency: NamedDependency[Transparency]) -> Consistency:
    params = decoded_query(request, types.ConsistencyQuery)
    return await transparency.consistency(params.old, params.new)


@Operation(
    "GET",
    "/v1/log/entries",
    id="listEntries",
    summary="List the leaves of the transparency log",
    description="For monitors, which rebuild the tree and compare it with checkpoints. A leaf is a tag of the "
    "table, SHA-256 over its id, and a commitment to the head at the end of its match, SHA-256 over "
    "id, version and chain hash. It reveals nothing to anybody who does not know the table's random "
    "id. Two leaves whose first 32 bytes are equal would be two ends of one match.",
    tag="transparency",
    public=True,
    query=types.EntriesQuery,
    response=types.LogEntries,
    headers=_FRESH,
    compressed="always",
)
async def list_entries(
    request: Request[Any, Any, Any], transparency: NamedDependency[Transparency], signer: NamedDependency[Signer]
) -> Response[Any]:
    params = decoded_query(request, types.EntriesQuery)
    found = await transparency.entries(params.first, params.limit)
    items = tuple(types.LogEntry(leaf.position, leaf.leaf.hex()) for leaf in found.leaves)
    following = params.first + len(items)
    more = following if items and following < found.size else None
    next_page = None if more is None else {"from": more, "limit": params.limit}
    return paged(types.LogEntries(found.size, signer.verifier_key, items, more), "/v1/log/entries", next_page)


HANDLERS: Final = (
    get_checkpoint,
    get_inclusion,
    get_consistency,
    list_entries,
)
