"""Whether the service runs: health, readiness, metrics, the contract."""

from math import isnan
from typing import Any, Final, Literal

from litestar import Response
from litestar.di import NamedDependency
from prometheus_client import CONTENT_TYPE_LATEST

from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.api.operation import Operation
from service.api.types import operations as types
from service.records.log_watch import LogWatch
from service.runtime.metrics import Metrics
from service.store.log import Log
from service.tables.owed import Owed

OWED_SECONDS: Final = 10.0
"""What Redis owes for longer makes the service degraded."""


@Operation(
    "GET",
    "/livez",
    id="livez",
    summary="Check whether the process runs",
    description="Liveness: 200 as long as the process handles requests, whatever the state of the database and Redis.",
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
    summary="Check whether the service is ready",
    description="Readiness: 200 as long as the database answers. Without Redis the status is `degraded`: "
    "everything works, more slowly. After the database was restored to an earlier point it is `degraded` too, and "
    "while Redis has owed something for more than ten seconds.",
    tag="operations",
    public=True,
    response=types.Readiness,
    headers={"Cache-Control": "no-store"},
)
async def readyz(
    log: NamedDependency[Log],
    log_watch: NamedDependency[LogWatch],
    redis: NamedDependency[RedisStore],
    owed: NamedDependency[Owed],
) -> types.Readiness:
    await log.ping()
    views: Literal["ok", "away"] = "ok"
    try:
        await redis.connection.ping()
    except RedisUnavailableError:
        views = "away"
    seconds = await owed.seconds()
    sound = (views, log_watch.status) == ("ok", "ok") and not any(each > OWED_SECONDS for each in seconds.values())
    whole = {projection: None if isnan(each) else int(each) for projection, each in seconds.items()}
    return types.Readiness("ok" if sound else "degraded", "ok", views, log_watch.status, types.OwedSeconds(**whole))


@Operation(
    "GET",
    "/metrics",
    id="metrics",
    summary="Get metrics in Prometheus' text format (operators)",
    description="Metrics of the API process that responds, named by the label `process`; with several processes, "
    "sum over it.",
    tag="operations",
    roles=("operator",),
    response=str,
    media_types=("text/plain",),
)
async def get_metrics(metrics: NamedDependency[Metrics], owed: NamedDependency[Owed]) -> Response[bytes]:
    metrics.set_owed(await owed.seconds())
    return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


@Operation(
    "GET",
    "/openapi.json",
    id="getContract",
    summary="Get this contract",
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
