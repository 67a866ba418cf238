"""Refusing requests early while the process has as much to do as it may."""

import time
from itertools import cycle
from typing import Any, Final

import msgspec
from litestar.config.cors import CORSConfig
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from service.api.headers import Complete
from service.api.problems import PROBLEM_TYPE, problem_of
from service.api.trace import header, trace_id_of
from service.errors import OverloadedError
from service.runtime.load import Load

_NEVER_REFUSED: Final = ("/livez", "/readyz", "/metrics")
_RETRY_AFTER: Final = cycle(("1", "2", "3", "4", "5"))
"""Seconds, taken in turn: who is refused at the same moment should not come back at the same moment."""
_ANY_TRACE_ID: Final = "0" * 32


def overloaded() -> OverloadedError:
    """Return the refusal, with the time after which to send the request again."""
    return OverloadedError(headers={"Retry-After": next(_RETRY_AFTER)})


class Overload:
    """The application, and before it the refusal of requests for which the process has no room.

    A refusal has to cost much less than a request, or refusing many would leave no time for the rest. So it happens
    before the framework has looked at the request, is the same for everybody, knows nothing of who asks for what, and
    does not read the body. Health and metrics are never refused, nor what browsers ask before they send a request.
    """

    def __init__(
        self,
        app: ASGIApp,
        load: Load,
        complete: Complete,
        cross_origin: CORSConfig | None,
        problem_base_url: str,
    ) -> None:
        """Stand before `app`.

        Args:
            app: what is served.
            load: how much of it is in work.
            complete: completes and counts responses.
            cross_origin: who may read responses in browsers.
            problem_base_url: where problem types are described.
        """
        self._app = app
        self._load = load
        self._complete = complete
        self._cross_origin = cross_origin
        problem = msgspec.json.encode(problem_of(OverloadedError(), _ANY_TRACE_ID, problem_base_url))
        self._problem = problem.split(_ANY_TRACE_ID.encode())
        self._headers = (
            (b"content-type", PROBLEM_TYPE.encode()),
            (b"content-length", b"%d" % len(problem)),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it with 503 and the code `overloaded`."""
        if scope["type"] != ScopeType.HTTP or scope["path"] in _NEVER_REFUSED or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
        elif self._load.enter():
            begun = time.perf_counter()
            try:
                await self._app(scope, receive, send)
            finally:
                self._load.leave(time.perf_counter() - begun)
        else:
            await self._refuse(scope, send)

    async def _refuse(self, scope: HTTPScope, send: Send) -> None:
        retry_after = (b"retry-after", next(_RETRY_AFTER).encode())
        headers = [*self._headers, retry_after, *self._cross_origin_headers(scope)]
        start: Any = {"type": "http.response.start", "status": 503, "headers": headers}
        body: Any = {"type": "http.response.body", "body": trace_id_of(scope).encode().join(self._problem)}
        for message in (start, body):
            await self._complete(message, scope)
            await send(message)

    def _cross_origin_headers(self, scope: HTTPScope) -> list[tuple[bytes, bytes]]:
        """Return what lets a page of a known origin read the refusal; the framework does it for what it answers."""
        origin = None if self._cross_origin is None else header(scope, b"origin")
        if self._cross_origin is None or origin is None or not self._cross_origin.is_origin_allowed(origin):
            return []
        given = {"Access-Control-Allow-Origin": origin, **self._cross_origin.simple_headers}
        return [(name.lower().encode(), value.encode()) for name, value in given.items()]
