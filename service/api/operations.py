"""Whether the service runs: health, readiness, metrics, the contract."""

from typing import Any, Final

from litestar import Response
from litestar.di import NamedDependency
from prometheus_client import CONTENT_TYPE_LATEST

from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.api.operation import Operation
from service.api.types import operations as types
from service.runtime.metrics import Metrics
from service.store.log import Log


@Operation(
    "GET",
    "/livez",
    id="livez",
    summary="Whether the process runs",
    description="For the supervisor of a process: 200 as long as it handles requests, whatever database and Redis do.",
    tag="operations",
    public=True,
    response=types.Health,
    headers={"Cache-Control": "no-store"},
)
async def livez() -> types.Health:
    return types.Health("ok")


@Operation(
    "GET",
    "/readyz",
    id="readyz",
    summary="Whether the database answers",
    description="Without Redis the service is degraded: slower, but complete.",
    tag="operations",
    public=True,
    response=types.Readiness,
    headers={"Cache-Control": "no-store"},
)
async def readyz(log: NamedDependency[Log], redis: NamedDependency[RedisStore]) -> types.Readiness:
    await log.ping()
    try:
        await redis.connection.ping()
    except RedisUnavailableError:
        return types.Readiness("degraded", "ok", "away")
    return types.Readiness("ok", "ok", "ok")


@Operation(
    "GET",
    "/metrics",
    id="metrics",
    summary="Figures in Prometheus' text format (operators)",
    description="Of the API process that answers, which the label `process` names: with several, add up over it.",
    tag="operations",
    roles=("operator",),
    response=str,
    media_types=("text/plain",),
)
async def get_metrics(metrics: NamedDependency[Metrics]) -> Response[bytes]:
    return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


@Operation(
    "GET",
    "/openapi.json",
    id="getContract",
    summary="This contract",
    description="OpenAPI 3.1, generated from the operations; the same for every deployment.",
    tag="operations",
    public=True,
    response=dict[str, Any],
    headers={"Cache-Control": "public, max-age=300"},
)
async def get_contract(contract: NamedDependency[bytes]) -> Response[bytes]:
    return Response(contract)


HANDLERS: Final = (
    livez,
    readyz,
    get_metrics,
    get_contract,
)
