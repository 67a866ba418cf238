"""Responses that several areas give: views of tables with their tags, pages with links."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.types import Receive, Scope, Send

from domain.registry import CURRENT
from service.api.operation import PRIVATE_HEADERS
from service.tables.tables import Missed, MoveAnswer
from service.tables.views import ViewSeen

GAME_PARAMETER: Final = {
    "game": {"type": "string", "pattern": "^[a-z][a-z_]{1,29}$", "maxLength": 30, "examples": sorted(CURRENT)}
}
TABLE_ETAG: Final = {"ETag": "Strong entity tag of this view, for If-None-Match."}
PREFERENCE_APPLIED: Final = {"Preference-Applied": "`return=minimal`, where the request preferred that."}
_MINIMAL: Final = (b"preference-applied", b"return=minimal")
_encode: Final = msgspec.json.Encoder().encode
_PRIVATE: Final = tuple((name.lower().encode(), value.encode()) for name, value in PRIVATE_HEADERS.items())
_JSON: Final = (b"content-type", b"application/json")


class TableResponse:
    """Encoded JSON about a table, with its tag, for the caller alone; 304 without a body if there is none.

    The status is that of the operation. An ASGI application, which Litestar sends as it is: of a response of its
    own it would build headers and media type anew each time.
    """

    def __init__(self, body: bytes | None, etag: str | None, *, location: str | None = None) -> None:
        """`etag` is None for a response that holds no view."""
        self._body = body
        self._headers = [*_PRIVATE, _MINIMAL if etag is None else (b"etag", etag.encode())]
        if body is not None:
            self._headers += [_JSON, (b"content-length", b"%d" % len(body))]
        if location is not None:
            self._headers.append((b"location", location.encode()))

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        """Send it."""
        operation: Any = scope["route_handler"]
        status = 304 if self._body is None else operation.status_code
        await send({"type": "http.response.start", "status": status, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._body or b"", "more_body": False})


def view_response(seen: ViewSeen, missed: Missed | None = None, *, location: str | None = None) -> TableResponse:
    """Return a view with its tag, and the events that its caller missed; 304 without a body if it has it already."""
    return TableResponse(seen.body and _with_events(seen.body, missed), seen.etag, location=location)


def move_response(made: MoveAnswer, *, minimal: bool) -> TableResponse:
    """Return an accepted move with the view after it; `minimal` leaves that out."""
    head = b'{"game":"%b","version":%d,"replayed":%b,"event":%b' % (
        *(made.game.encode(), made.version),
        *(b"true" if made.replayed else b"false", _encode(made.event)),
    )
    if minimal:
        return TableResponse(head + b"}", None)
    return TableResponse(
        b'%b,"view":%b}' % (head, _with_events(made.view.body or b"null", made.missed)), made.view.etag
    )


def _with_events(view: bytes, missed: Missed | None) -> bytes:
    """Return an encoded view with the events that its caller missed as its last field."""
    if missed is None:
        return view
    if missed.events is None:
        return b'%b,"events_after":%d}' % (view[:-1], missed.since)
    return b'%b,"events":%b}' % (view[:-1], _encode(missed.events))


def tagged(body: bytes | None, etag: str, headers: Mapping[str, str] | None = None) -> Response[bytes | None]:
    """Return encoded JSON with its tag; 304 if there is none."""
    return Response(body, status_code=304 if body is None else None, headers={"ETag": etag, **(headers or {})})


def paged(content: Any, path: str, next_page: Mapping[str, Any] | None) -> Response[Any]:
    """Return a page; `next_page` has the query parameters of the next one, None at the end."""
    return Response(content) if next_page is None else Response(content, headers=next_link(path, next_page))


def next_link(path: str, next_page: Mapping[str, Any]) -> dict[str, str]:
    """Return the header that leads to the next page, by its query parameters."""
    query = "&".join(f"{name}={value}" for name, value in next_page.items() if value is not None)
    return {"Link": f'<{path}?{query}>; rel="next"'}
