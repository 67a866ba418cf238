"""Responses that several areas give: views of tables with their tags, pages with links."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from domain.registry import CURRENT
from service.tables.views import ViewSeen

GAME_PARAMETER: Final = {
    "game": {"type": "string", "pattern": "^[a-z][a-z_]{1,29}$", "maxLength": 30, "examples": sorted(CURRENT)}
}
TABLE_ETAG: Final = {"ETag": "Strong tag of this view, from version and viewer; for If-None-Match."}


def view_response(seen: ViewSeen, headers: Mapping[str, str] | None = None) -> Response[bytes | None]:
    """Return a view with its tag; 304 without a body if the caller has it already."""
    return tagged(seen.body, seen.etag, headers)


def tagged(body: bytes | None, etag: str, headers: Mapping[str, str] | None = None) -> Response[bytes | None]:
    """Return encoded JSON with its tag; 304 if there is none."""
    return Response(body, status_code=304 if body is None else None, headers={"ETag": etag, **(headers or {})})


def paged(content: Any, path: str, next_page: Mapping[str, Any] | None) -> Response[Any]:
    """Return a page; `next_page` has the query parameters of the next one, None at the end."""
    if next_page is None:
        return Response(content)
    query = "&".join(f"{name}={value}" for name, value in next_page.items() if value is not None)
    return Response(content, headers={"Link": f'<{path}?{query}>; rel="next"'})
