"""Problems as HTTP shows them (RFC 9457)."""

from typing import Any, Final

from litestar.exceptions import HTTPException
from msgspec import UNSET, Struct, UnsetType

from service.api.http import Answer, answer
from service.errors import (
    INTERNAL,
    FieldError,
    HttpError,
    InvalidRequestError,
    NotFoundError,
    ProblemType,
    ServiceError,
    problem_type_of,
)

PROBLEM_TYPE: Final = "application/problem+json"


class Problem(Struct, frozen=True):
    """An error as every operation gives it (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    """Stable name in snake_case; new codes may come."""
    trace_id: str
    errors: tuple[FieldError, ...] | UnsetType = UNSET
    """The fields that are wrong."""
    rule: str | UnsetType = UNSET
    """The number of the rule that refuses a move."""
    legal: tuple[Any, ...] | UnsetType = UNSET
    """What the seat may do instead: entries like those of `you.legal`."""
    version: int | UnsetType = UNSET
    """The table's version, where the caller is behind."""
    have: int | UnsetType = UNSET
    """What the seat has of a quantity that is missing."""
    need: int | UnsetType = UNSET
    """What it would need."""


def problem_of(error: Exception, trace_id: str, base_url: str) -> tuple[ProblemType, Problem]:
    """Return what HTTP shows of an error; of an unforeseen one only that it happened."""
    kind = problem_type_of(error)
    if not isinstance(error, ServiceError):
        sentence = "Something went wrong on our side; nothing was recorded unless you are told otherwise."
        return kind, Problem(
            f"{base_url}/problems/{INTERNAL.slug}", INTERNAL.title, INTERNAL.status, sentence, "internal", trace_id
        )
    return kind, Problem(
        type=f"{base_url}/problems/{kind.slug}",
        title=kind.title,
        status=kind.status,
        detail=error.detail or kind.title,
        code=error.code,
        trace_id=trace_id,
        errors=error.errors or UNSET,
        rule=error.rule if error.rule is not None else UNSET,
        legal=tuple(error.legal) if error.legal is not None else UNSET,
        version=error.version if error.version is not None else UNSET,
        have=error.have if error.have is not None else UNSET,
        need=error.need if error.need is not None else UNSET,
    )


def problem_answer(error: Exception, trace_id: str, base_url: str) -> Answer:
    """Return the answer that shows an error."""
    kind, problem = problem_of(error, trace_id, base_url)
    headers = dict(error.headers) if isinstance(error, ServiceError) else {}
    if kind.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="blattwerk"'
    return answer(problem, status=kind.status, headers=headers, media_type=PROBLEM_TYPE)


def translated(error: Exception) -> Exception:
    """Return our error for one that the HTTP library raised."""
    if not isinstance(error, HTTPException):
        return error
    if error.status_code == 404:
        return NotFoundError("There is nothing at this address for you.")
    if error.status_code in (405, 406, 413, 415):
        return HttpError(error.status_code, error.headers)
    if error.status_code == 400:
        return InvalidRequestError("The request is not valid.")
    return error
