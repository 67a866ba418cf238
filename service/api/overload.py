"""Refusing requests early while the process has as much to do as it may."""

import asyncio
import time
from itertools import cycle
from typing import Any, Final

import msgspec
from litestar.config.cors import CORSConfig
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from service.api.headers import Complete
from service.api.negotiation import language_of
from service.api.problems import PROBLEM_TYPE, problem_of
from service.api.trace import header, trace_id_of
from service.errors import OverloadedError
from service.languages.catalogues import LANGUAGES
from service.runtime.load import Load

_NEVER_REFUSED: Final = ("/livez", "/readyz", "/metrics")
_RETRY_AFTER: Final = cycle(("1", "2", "3", "4", "5"))
"""Seconds, taken in turn: who is refused at the same moment should not come back at the same moment."""
_AT_ONCE: Final = 500
"""Refusals of one second that are sent at once."""
_TOGETHER_SECONDS: Final = 1.0
"""When the rest of them is sent."""
_ANY_TRACE_ID: Final = "0" * 32


def overloaded() -> OverloadedError:
    """Return the refusal, with the time after which to send the request again."""
    return OverloadedError(headers={"Retry-After": next(_RETRY_AFTER)})


class Overload:
    """The application, and before it the refusal of requests for which the process has no room.

    A refusal has to cost much less than a request, or refusing many would leave no time for the rest. So it happens
    before the framework has looked at the request, is the same for everybody who reads a language, knows nothing of
    who asks for what, and does not read the body. Health and metrics are never refused, nor what browsers ask before
    they send a request.

    Very many refusals would take the processor too, and every turn of the event loop would last as long as all of them:
    those beyond some hundreds in a second are sent together at its end, and callers who do not wait have to.
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
        self._left_at_once = 0
        self._together: asyncio.Event | None = None
        """Set at the end of the second that the last refusal belongs to; None after it."""
        self._problems = {
            language: msgspec.json.encode(problem_of(OverloadedError(), _ANY_TRACE_ID, problem_base_url, language))
            for language in LANGUAGES
        }

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
        await self._wait_if_many()
        retry_after = (b"retry-after", next(_RETRY_AFTER).encode())
        language = language_of(scope)
        problem = self._problems[language]
        headers = [
            (b"content-type", PROBLEM_TYPE.encode()),
            (b"content-length", b"%d" % len(problem)),
            (b"content-language", language.encode()),
            (b"vary", b"Accept-Language"),
            retry_after,
            *self._cross_origin_headers(scope),
        ]
        start: Any = {"type": "http.response.start", "status": 503, "headers": headers}
        traced = problem.replace(_ANY_TRACE_ID.encode(), trace_id_of(scope).encode())
        body: Any = {"type": "http.response.body", "body": traced}
        for message in (start, body):
            await self._complete(message, scope)
            await send(message)

    async def _wait_if_many(self) -> None:
        """Wait for the end of the second if it has had many refusals. One timer for all: one for each costs more."""
        if self._together is None:
            self._together, self._left_at_once = asyncio.Event(), _AT_ONCE
            asyncio.get_running_loop().call_later(_TOGETHER_SECONDS, self._end_second)
        if self._left_at_once:
            self._left_at_once -= 1
        else:
            await self._together.wait()

    def _end_second(self) -> None:
        if self._together is not None:
            self._together.set()
            self._together = None

    def _cross_origin_headers(self, scope: HTTPScope) -> list[tuple[bytes, bytes]]:
        """Return what lets a page of a known origin read the refusal; the framework does it for what it answers."""
        origin = None if self._cross_origin is None else header(scope, b"origin")
        if self._cross_origin is None or origin is None or not self._cross_origin.is_origin_allowed(origin):
            return []
        given = {"Access-Control-Allow-Origin": origin, **self._cross_origin.simple_headers}
        return [(name.lower().encode(), value.encode()) for name, value in given.items()]
