"""Whether the service runs: health, readiness, metrics, the contract."""

from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST

from projections.redis_connection import RedisUnavailableError
from service.api.http import Answer, Call, Operation, answer
from service.api.types import resources as wire


async def livez(_: Call) -> Answer:
    return answer(wire.Health("ok"), headers={"Cache-Control": "no-store"})


async def readyz(call: Call) -> Answer:
    await call.services.log.ping()
    try:
        await call.services.redis.connection.ping()
    except RedisUnavailableError:
        return answer(wire.Readiness("degraded", "ok", "away"), headers={"Cache-Control": "no-store"})
    return answer(wire.Readiness("ok", "ok", "ok"), headers={"Cache-Control": "no-store"})


async def metrics(call: Call) -> Answer:
    return answer(call.services.metrics.text(), media_type=CONTENT_TYPE_LATEST)


async def contract(call: Call) -> Answer:
    return answer(call.services.contract, headers={"Cache-Control": "public, max-age=300"})


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="livez",
        method="GET",
        path="/livez",
        summary="Whether the process runs",
        description="For the supervisor of a process: 200 as long as it handles requests, whatever database and "
        "Redis do.",
        tag="operations",
        run=livez,
        public=True,
        answer=wire.Health,
    ),
    Operation(
        id="readyz",
        method="GET",
        path="/readyz",
        summary="Whether the database answers",
        description="Without Redis the service is degraded: slower, but complete.",
        tag="operations",
        run=readyz,
        public=True,
        answer=wire.Readiness,
    ),
    Operation(
        id="metrics",
        method="GET",
        path="/metrics",
        summary="Figures in Prometheus' text format (operators)",
        description="Of the API process that answers, which the label `process` names: with several, add up over it.",
        tag="operations",
        run=metrics,
        roles=("operator",),
        answer=str,
        answer_media_types=("text/plain",),
    ),
    Operation(
        id="getContract",
        method="GET",
        path="/openapi.json",
        summary="This contract",
        description="OpenAPI 3.1, generated from the operations; the same for every deployment.",
        tag="operations",
        run=contract,
        public=True,
        answer=dict[str, Any],
    ),
)
