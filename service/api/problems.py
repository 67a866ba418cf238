"""Problems as HTTP shows them (RFC 9457)."""

from collections.abc import Callable
from typing import Any, Final

import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from msgspec import UNSET, Struct, UnsetType

from service.api.bodies import is_json
from service.api.decoding import malformed
from service.api.negotiation import language_of
from service.api.trace import trace_id_of
from service.errors import (
    DamagedStreamError,
    FieldError,
    HttpError,
    InvalidRequestError,
    LegalMoves,
    LogLossError,
    NotFoundError,
    ServiceError,
    UnavailableError,
    UnreadableError,
    problem_type_of,
)
from service.languages.catalogues import Language, translated
from service.languages.message import Message
from service.runtime.deadline import has_recorded
from service.store.errors import (
    LogOutdatedError,
    LogWentBackError,
    OutcomeUnknownError,
    StoreDamagedError,
    StoreUnavailableError,
)
from service.tables.unreadable import UnreadableTables

PROBLEM_TYPE: Final = "application/problem+json"
log = structlog.get_logger("blattwerk.http")


class Problem(Struct, frozen=True):
    """An error, in the same form for every operation (RFC 9457)."""

    type: str
    """Names the type of the problem: an address, the same for every error of the type."""
    title: str
    """What all errors of the type have in common, for people."""
    status: int
    """The status of the response."""
    detail: str
    """What went wrong with this request, for people: tell errors apart by `code`."""
    code: str
    """Stable name in snake_case, the same for the same thing in all games; getProblemType says what it means."""
    trace_id: str
    errors: tuple[FieldError, ...] | UnsetType = UNSET
    """The fields that are invalid."""
    rule: str | UnsetType = UNSET
    """The number of the rule that refused the move."""
    legal: LegalMoves | UnsetType = UNSET
    """What the seat may do instead."""
    version: int | UnsetType = UNSET
    """The table's version, if the caller is behind."""
    have: int | UnsetType = UNSET
    """How much the seat has of what it lacks."""
    need: int | UnsetType = UNSET
    """How much it would need."""
    retry: bool | UnsetType = UNSET
    """False if sending the request again does not help until an operator has acted."""
    rules: str | UnsetType = UNSET
    """The rules that this service does not know, as `{game}/{version}`."""


def problem_handler(
    base_url: str, unreadable: UnreadableTables
) -> Callable[[Request[Any, Any, Any], Exception], Response[Problem]]:
    """Return the handler of all exceptions. `base_url`: where problem types are described."""

    def respond(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
        trace_id = trace_id_of(request.scope)
        shown = _missing_body(request) if _lacks_body(error) else shown_error(error)
        if not isinstance(shown, ServiceError):
            log.error("request failed", trace_id=trace_id, exc_info=error)
        if isinstance(shown, UnreadableError):
            unreadable.note(shown)
        language = language_of(request.scope)
        problem = problem_of(shown, trace_id, base_url, language)
        headers = dict(shown.headers) if isinstance(shown, ServiceError) else {}
        headers |= {"Content-Language": language, "Vary": "Accept-Language"}
        if problem.status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="blattwerk"'
        return Response(problem, status_code=problem.status, headers=headers, media_type=PROBLEM_TYPE)

    return respond


def problem_of(error: Exception, trace_id: str, base_url: str, language: Language) -> Problem:
    """Return the problem for an error in a language; for an unexpected one only that it happened."""
    problem_type = problem_type_of(error)
    about: dict[str, Any] = {
        "type": f"{base_url}/problems/{problem_type.slug}",
        "title": translated(problem_type.title, language),
        "status": problem_type.status,
        "trace_id": trace_id,
    }
    if not isinstance(error, ServiceError):
        sentence = Message("Something went wrong in the service. Sending the same request again is safe.")
        return Problem(**about, detail=translated(sentence, language), code="internal")
    return Problem(
        **about,
        detail=translated(error.detail or problem_type.title, language),
        code=error.code,
        errors=tuple(FieldError(one.pointer, translated(one.detail, language)) for one in error.errors) or UNSET,
        rule=error.rule if error.rule is not None else UNSET,
        legal=error.legal if error.legal is not None else UNSET,
        version=error.version if error.version is not None else UNSET,
        have=error.have if error.have is not None else UNSET,
        need=error.need if error.need is not None else UNSET,
        retry=error.retry if error.retry is not None else UNSET,
        rules=error.rules if error.rules is not None else UNSET,
    )


def shown_error(error: Exception) -> Exception:
    """Return the error that a caller sees instead of this one: ours for those of the framework and the store."""
    if isinstance(error, LogWentBackError):
        return LogLossError("The log lost matches that a signed checkpoint covers; an operator has to decide.")
    if isinstance(error, StoreDamagedError):
        return DamagedStreamError(str(error.stream), str(error))
    if isinstance(error, StoreUnavailableError):
        return _unavailable(error)
    if not isinstance(error, HTTPException):
        return error
    if error.status_code == 404:
        return NotFoundError()
    if error.status_code == 405:
        allowed = sorted((error.headers or {}).get("allow", "").split(", "))
        return HttpError(405, {"Allow": ", ".join(allowed)})
    if error.status_code in (406, 413, 415):
        return HttpError(error.status_code, error.headers)
    if error.status_code == 400:
        return InvalidRequestError("The request is invalid.")
    return error


def _unavailable(error: StoreUnavailableError) -> UnavailableError:
    """Return what a caller is told who got no answer in time: never more than is known."""
    headers = {"Retry-After": "2"}
    if isinstance(error, LogOutdatedError) and not has_recorded():
        detail = Message(
            "The database that this process reaches is not up to date; this request recorded nothing. Send it again."
        )
        return UnavailableError(detail, code="log_outdated", headers=headers)
    if isinstance(error, OutcomeUnknownError | LogOutdatedError):  # recorded where it may not last
        detail = Message("It is not known whether this was recorded; send the same request again.")
        return UnavailableError(detail, code="outcome_unknown", headers=headers)
    if has_recorded():
        detail = Message(
            "This was recorded, but what it led to cannot be shown yet; read it later, or send the same again."
        )
        return UnavailableError(detail, code="recorded", headers=headers)
    detail = Message("The service cannot do this at the moment; this request recorded nothing. Send it again.")
    return UnavailableError(detail, headers=headers)


def _lacks_body(error: Exception) -> bool:
    """Whether there is no body where there should be one; a wrong one has raised an error of ours before."""
    extra = error.extra if isinstance(error, ValidationException) else None
    return isinstance(extra, list) and any(item.get("key") == "data" for item in extra)


def _missing_body(request: Request[Any, Any, Any]) -> ServiceError:
    return malformed() if is_json(request.scope) else HttpError(415)
