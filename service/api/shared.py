"""Shapes of answers that several kinds of resources give."""

from collections.abc import Mapping
from typing import Final

from service.http import Answer, answer
from service.views import ViewSeen

VIEW_HEADERS: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
TABLE_ETAG: Final = {"ETag": "Strong tag of this view, from version and viewer; for If-None-Match."}


def view_answer(seen: ViewSeen, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a view with its tag."""
    return answer(seen.body, status=status, headers={**VIEW_HEADERS, "ETag": seen.etag, **(headers or {})})
