"""What the service is and whether it runs: the first page, health, readiness, metrics, the contract."""

from math import isnan
from typing import Any, Final, Literal

from litestar import Request, Response
from litestar.di import NamedDependency
from prometheus_client import CONTENT_TYPE_LATEST

from projections.redis_store import RedisStore
from service.api.fixed import FIXED_ETAG, FIXED_HEADERS, FixedDocument
from service.api.operation import Operation
from service.api.types import operations as types
from service.errors import UnavailableError
from service.records.log_watch import LogWatch
from service.records.readiness import NotReady, Readiness
from service.runtime.metrics import Metrics
from service.tables.owed import Owed, is_sound

NOT_READY: Final[dict[NotReady, str]] = {
    "database_not_writable": "The database takes no writes.",
    "draining": "The process is about to end.",
    "log_outdated": "The database that this process reaches is not the primary any more.",
    "wrong_key": "The secret key of this process is no longer in force.",
}

_INDEX: Final = """\
Blattwerk: matches of card games over HTTP, for apps.

Contract (OpenAPI 3.1): /openapi.json
Games and their rules:  /v1/games
Health and readiness:   /livez, /readyz
Guide for clients:      openapi/README.md, beside the contract in the source of Blattwerk
"""


@Operation(
    "GET",
    "/",
    id="getIndex",
    summary="Get a few lines about the service",
    description="What this is, and where the contract, the games, the health and the guide are; text for people, the "
    "same for every deployment.",
    tag="operations",
    public=True,
    response=str,
    media_types=("text/plain",),
    headers={"Cache-Control": "public, max-age=300"},
)
async def get_index() -> str:
    return _INDEX


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
    description="Readiness: what the process found when it last checked, at most a few seconds ago. 200 as long as the "
    "database takes writes. Without Redis the status is `degraded`: everything works, more slowly. After the database "
    "was restored to an earlier point it is `degraded` too, while Redis has owed something for more than ten seconds, "
    "and while it is not known what Redis owes. 503 with the code `database_not_writable`, `log_outdated` (connected "
    "to a database server that is not the primary any more), `wrong_key` or, before the process ends, `draining`.",
    tag="operations",
    public=True,
    response=types.Readiness,
    headers={"Cache-Control": "no-store"},
)
async def readyz(
    readiness: NamedDependency[Readiness],
    log_watch: NamedDependency[LogWatch],
    redis: NamedDependency[RedisStore],
) -> types.Readiness:
    if readiness.reason is not None:
        raise UnavailableError(NOT_READY[readiness.reason], code=readiness.reason, headers={"Retry-After": "2"})
    views: Literal["ok", "away"] = "away" if redis.connection.failing else "ok"
    seconds = readiness.owed_seconds
    sound = (views, log_watch.status) == ("ok", "ok") and is_sound(seconds)
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
    conditional=True,
    headers=FIXED_HEADERS,
    compressed="by_itself",
    response_headers=FIXED_ETAG,
)
async def get_contract(
    request: Request[Any, Any, Any], contract: NamedDependency[FixedDocument]
) -> Response[bytes | None]:
    return contract.response(request)


HANDLERS: Final = (
    get_index,
    livez,
    readyz,
    get_metrics,
    get_contract,
)
