"""Operations of the API: route handlers that say everything about themselves in one place.

Litestar routes by what they say, the contract (`service.contract`) is made from it.
"""

from collections.abc import Mapping
from typing import Any, Final, Self

from litestar.connection import ASGIConnection
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.types import AsyncAnyCallable, Method
from msgspec import Struct

from service.accounts.accounts import Role
from service.api.bodies import strict_body
from service.api.compression import COMPRESSION, Compressed
from service.errors import ForbiddenError
from service.languages.message import Message

PUBLIC: Final = "public"
"""The key in `opt` of handlers that need no token."""
PUBLIC_WHEN_OVER: Final = "public_when_over"
"""The key in `opt` of handlers that need none for a public match that is over."""
PRIVATE_HEADERS: Final = {"Cache-Control": "private, no-cache"}
"""Headers of responses that are for the caller alone and may be kept by the caller if checked each time."""
NO_STORE: Final = {"Cache-Control": "no-store"}
"""Headers of responses that hold a token or a code."""
_ROLES: Final[tuple[Role, ...]] = ("player", "arbiter", "operator")
_FOR_ROLES: Final[dict[tuple[Role, ...], str]] = {
    ("arbiter",): Message("This is for arbiters."),
    ("operator",): Message("This is for operators."),
}


class Operation(HTTPRouteHandler):
    """One method on one path: what it takes, what it gives, who may ask."""

    def __init__(
        self,
        method: Method,
        path: str,
        *,
        id: str,
        summary: str,
        description: str = "",
        tag: str,
        status: int = 200,
        response: Any = None,
        media_types: tuple[str, ...] = ("application/json",),
        body: Any = None,
        query: type[Struct] | None = None,
        public: bool = False,
        public_when_over: bool = False,
        roles: tuple[Role, ...] = _ROLES,
        idempotent: bool = False,
        secret_key: bool = False,
        conditional: bool = False,
        minimal: bool = False,
        limits: tuple[str, ...] = (),
        problems: tuple[int, ...] = (),
        headers: Mapping[str, str] | None = None,
        vary: tuple[str, ...] = (),
        compressed: Compressed = "never",
        response_headers: Mapping[str, str] | None = None,
        links: Mapping[str, Any] | None = None,
        path_parameters: Mapping[str, Mapping[str, Any]] | None = None,
        dependencies: Mapping[str, Provide] | None = None,
    ) -> None:
        """Declare an operation; applied to the function that does it.

        Args:
            method: the HTTP method; with GET comes HEAD.
            path: the path, parameters as Litestar writes them.
            id: `operationId` of the contract.
            summary: one line of the contract.
            description: what the contract says beyond it.
            tag: the group of the contract.
            status: the status of success.
            response: type of the successful body; None for none, a tuple where any of several may come.
            media_types: what a caller may ask for in Accept; the first one has the schema of `response`,
                others are texts.
            body: type of the body; a tuple of types where the game of the table decides, see `game_body`.
            query: struct of the query parameters, which the function decodes with `decoded_query`.
            public: whether no token is needed.
            public_when_over: whether none is needed if the table of the path is public and its match over.
            roles: who may ask.
            idempotent: whether `Idempotency-Key` is required.
            secret_key: whether whoever knows that key gets what belongs to its sender alone, so that it has to be
                one that nobody guesses.
            conditional: whether `If-None-Match` is honoured with 304.
            minimal: whether `Prefer: return=minimal` is honoured.
            limits: names of limits that hold for it, see `service.runtime.limits`.
            problems: statuses of problems beyond those that follow from the arguments above.
            headers: headers of every successful response.
            vary: request headers that the response depends on, beside Authorization.
            compressed: which long responses are compressed for who accepts it; never where they hold a secret.
            response_headers: headers of the successful response for the contract, name and description.
            links: what can be done next with what the response holds.
            path_parameters: JSON Schemas of path parameters that are not UUIDs.
            dependencies: further things to hand in.
        """
        super().__init__(
            path,
            http_method=["GET", "HEAD"] if method == "GET" else method,
            status_code=status,
            media_type=media_types[0],
            name=id,
            operation_id=id,
            summary=summary,
            description=description,
            tags=[tag],
            dto=None if body is None or isinstance(body, tuple) else strict_body(body),
            return_dto=None,
            guards=[] if roles == _ROLES else [only_for(roles)],
            dependencies=dict(dependencies or {}),
            response_headers=dict(headers or {}),
            middleware=COMPRESSION[compressed],
            opt={PUBLIC: public, PUBLIC_WHEN_OVER: public_when_over},
        )
        self.id = id
        self.method: str = method
        self.path = path
        self.tag = tag
        self.response = response
        self.response_media_types = media_types
        self.body = body
        self.query = query
        self.public = public
        self.public_when_over = public_when_over
        self.roles = roles
        self.idempotent = idempotent
        self.secret_key = secret_key
        self.conditional = conditional
        self.minimal = minimal
        self.limits = limits
        self.problems = problems
        self.compressed: Compressed = compressed
        by_encoding = () if compressed == "never" else ("Accept-Encoding",)
        self.vary = (*(() if public else ("Authorization",)), *vary, *by_encoding)
        self.vary_header = ((b"vary", ", ".join(self.vary).encode()),) if self.vary else ()
        self.documented_headers = response_headers or {}
        self.links = links or {}
        self.path_parameters = path_parameters or {}

    def __call__(self, fn: AsyncAnyCallable) -> Self:
        """Take the function that does it."""
        super().__call__(fn)
        return self

    @property
    def problem_statuses(self) -> list[int]:
        """The statuses of problems that it can respond with, in their order."""
        statuses = set(self.problems) | {500, 503}
        if self.limits:
            statuses.add(429)
        if self.response is not None:
            statuses.add(406)
        if self.method != "GET":  # a body is read of each of them, whether the operation takes one or not
            statuses |= {400, 413}
        if self.body is not None:
            statuses.add(415)
        if self.query is not None or self.conditional or "Accept-Language" in self.vary:
            statuses.add(400)
        if self.idempotent:
            statuses |= {400, 422}
        if not self.public:
            statuses |= {401}
            if len(self.roles) < 3:
                statuses |= {403}
        return sorted(statuses)


def only_for(roles: tuple[Role, ...]) -> Any:
    """Return the guard that lets callers of these roles pass. ForbiddenError for others."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        if connection.user.role not in roles:
            raise ForbiddenError(_FOR_ROLES[roles])

    return guard
