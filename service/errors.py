"""Everything that can go wrong for a caller, and how HTTP shows it (RFC 9457).

    ServiceError
    ├── InvalidRequestError          400  malformed, a field wrong or unknown
    │   ├── MalformedBodyError       400  not JSON at all
    │   ├── OptionError              400  an option's name or value
    │   └── KeyRequiredError         400  Idempotency-Key missing
    ├── UnauthenticatedError         401
    ├── ForbiddenError               403  right person, wrong role
    ├── NotFoundError                404  does not exist, or not for this caller
    ├── HttpError                    405 406 413 415, as HTTP says
    ├── ConflictError                409  the table's state does not allow it
    │   ├── DecisionError            409  stale or taken decision
    │   ├── IllegalMoveError         409  a rule of the game refused
    │   ├── OptionConflictError      409  options that contradict each other
    │   └── KeyInFlightError         409  the same key is being worked on
    ├── KeyReusedError               422  Idempotency-Key used with another body
    ├── LimitError                   429  too much at once
    ├── UnavailableError             503 database unavailable
    │   └── OverloadedError          503 more to do than may be in work at once
    ├── LogLossError                 503 the log went back; nothing is written
    └── UnreadableError              503 one table that cannot be read; a retry does not help
        ├── DamagedStreamError       503 its events are not what was recorded
        └── RulesUnknownError        503 it is played by rules that this program does not have

A caller's mistake never gives a 500. `PROBLEM_TYPES` is the one table from error to problem.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

from msgspec import Meta, Struct

from service.languages.message import Message


class FieldError(Struct, frozen=True):
    """What is wrong with one field of the request."""

    pointer: Annotated[
        str, Meta(description="JSON Pointer into the body, or `#` followed by the name of the parameter.")
    ]
    detail: str


class LegalMoves(Struct, frozen=True):
    """What a seat may do instead of what the rules refused."""

    game: str
    entries: tuple[Any, ...]
    """An entry for each kind of move that is open now, like those of `you.legal`."""


class ServiceError(Exception):
    """A caller's request cannot be served. `code` is stable; `detail` is a sentence for a person, in English."""

    code: str = "internal"
    sentence: str = ""
    """The detail where none is given."""
    retry: bool | None = None
    """False if the same request fails until an operator has acted."""
    rules: str | None = None
    """The rules id that this program does not have."""

    def __init__(
        self,
        detail: str = "",
        *,
        code: str | None = None,
        errors: Sequence[FieldError] = (),
        rule: str | None = None,
        legal: LegalMoves | None = None,
        version: int | None = None,
        have: int | None = None,
        need: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail or self.code)
        if code is not None:
            self.code = code
        self.detail = detail or self.sentence
        self.errors = tuple(errors)
        self.rule = rule
        self.legal = legal
        self.version = version
        self.have = have
        self.need = need
        self.headers = dict(headers or {})


class InvalidRequestError(ServiceError):
    code = "invalid_request"


class MalformedBodyError(InvalidRequestError):
    code = "malformed_body"


class OptionError(InvalidRequestError):
    code = "option_value"


class KeyRequiredError(InvalidRequestError):
    code = "idempotency_key_required"


class UnauthenticatedError(ServiceError):
    code = "unauthenticated"


class ForbiddenError(ServiceError):
    code = "forbidden"


class NotFoundError(ServiceError):
    code = "not_found"
    sentence = "Nothing is available to you at this address."


class HttpError(ServiceError):
    """405, 406, 413, 415: `status` says which."""

    def __init__(self, status: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(HTTP_DETAILS[status], code=HTTP_CODES[status], headers=headers)
        self.status = status


class ConflictError(ServiceError):
    code = "conflict"


class DecisionError(ConflictError):
    code = "stale_decision"


class IllegalMoveError(ConflictError):
    code = "illegal_move"


class OptionConflictError(ConflictError):
    code = "option_conflict"


class KeyInFlightError(ConflictError):
    code = "idempotency_key_in_flight"


class KeyReusedError(ServiceError):
    code = "idempotency_key_reused"
    sentence = "This Idempotency-Key was used with another body."


class LimitError(ServiceError):
    code = "rate_limited"


class UnavailableError(ServiceError):
    """This request recorded nothing; with `outcome_unknown` nobody knows whether it did, with `recorded` it did."""

    code = "unavailable"


class OverloadedError(UnavailableError):
    """The process has more to do than it may have in work; this request was not even looked at."""

    code = "overloaded"
    sentence = "The service has too much to do at the moment; this request recorded nothing. Send it again."


class LogLossError(ServiceError):
    """Nothing is written until an operator has accepted that the log lost what was signed about it."""

    code = "log_went_back"
    retry = False


class UnreadableError(ServiceError):
    """A table, or a dispute of one, that this program cannot read. All others go on.

    `reason` is for operators alone: it may quote what was recorded.
    """

    retry = False

    def __init__(self, stream: str, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.stream = stream
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class DamagedStreamError(UnreadableError):
    """A stream cannot be folded: the reason names stream and version."""

    code = "table_damaged"

    def __init__(self, stream: str, reason: str) -> None:
        super().__init__(stream, reason, "The events of this table cannot be read; an operator has to repair them.")


class RulesUnknownError(UnreadableError):
    """A table is played by rules that this program does not have, such as those of a newer one."""

    code = "rules_unknown"

    def __init__(self, stream: str, rules: str) -> None:
        super().__init__(
            stream,
            f"table {stream}: unknown rules {rules}",
            Message("The rules {rules} are not available here.", rules=rules),
        )
        self.rules = rules


HTTP_CODES: Final = {
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
}
HTTP_DETAILS: Final = {
    405: "This path does not support this method; see the Allow header.",
    406: "None of the media types in Accept is available here.",
    413: "The body is larger than this service accepts.",
    415: "The body must be application/json.",
}


class ProblemType(NamedTuple):
    """A problem type: its status, slug (the last part of its `type`), constant title, and what a client does next."""

    status: int
    slug: str
    title: str
    advice: str


PROBLEM_TYPES: Final[dict[type[ServiceError], ProblemType]] = {
    InvalidRequestError: ProblemType(
        400,
        "invalid-request",
        "The request is invalid",
        "Correct the fields that `errors` names; the same request fails again.",
    ),
    MalformedBodyError: ProblemType(
        400,
        "malformed-body",
        "The body is not JSON",
        "Send JSON as the contract describes it; the same request fails again.",
    ),
    OptionError: ProblemType(
        400,
        "invalid-option",
        "An option is unknown or its value is not allowed",
        "Correct the option that `errors` names; the settings of the game list what is allowed.",
    ),
    KeyRequiredError: ProblemType(
        400,
        "idempotency-key-required",
        "Idempotency-Key is missing or malformed",
        "Send the header Idempotency-Key, the same for every attempt of one request.",
    ),
    UnauthenticatedError: ProblemType(
        401, "unauthenticated", "A valid token is required", "Stop using this token and sign in again."
    ),
    ForbiddenError: ProblemType(
        403,
        "forbidden",
        "Your role does not allow this",
        "Do not ask again: others may do this, or another role is needed.",
    ),
    NotFoundError: ProblemType(
        404, "not-found", "Not found", "Check the address. What you may not see looks the same as what does not exist."
    ),
    ConflictError: ProblemType(
        409, "conflict", "The table does not allow this now", "Read the table's view: something else is possible now."
    ),
    DecisionError: ProblemType(
        409,
        "decision",
        "The decision is not open",
        "Read the view, and answer the decision that is open now if it is yours.",
    ),
    IllegalMoveError: ProblemType(
        409,
        "illegal-move",
        "The rules refuse the move",
        "Choose one of the moves in `legal`; `rule` is the number of the rule that decided.",
    ),
    OptionConflictError: ProblemType(
        409,
        "option-conflict",
        "The options contradict each other",
        "Change one of the options that contradict each other.",
    ),
    KeyInFlightError: ProblemType(
        409,
        "idempotency-key-in-flight",
        "The first request with this key is still being processed",
        "Wait a second and send the same request again with the same key.",
    ),
    KeyReusedError: ProblemType(
        422,
        "idempotency-key-reused",
        "The Idempotency-Key was used with another body",
        "Choose a new key for a new request.",
    ),
    LimitError: ProblemType(
        429,
        "rate-limited",
        "Too many requests",
        "Wait as many seconds as Retry-After says, and send the request again.",
    ),
    UnavailableError: ProblemType(
        503,
        "unavailable",
        "The service is unavailable",
        "Wait as Retry-After says, and send the same request again; `code` says whether it was recorded.",
    ),
    OverloadedError: ProblemType(
        503,
        "overloaded",
        "The service is overloaded",
        "Wait as many seconds as Retry-After says, and send the same request again; nothing was recorded.",
    ),
    LogLossError: ProblemType(
        503,
        "log-went-back",
        "The log lost recent matches; nothing is written",
        "Do not send it again: an operator has to decide first. Reading goes on.",
    ),
    DamagedStreamError: ProblemType(
        503,
        "table-damaged",
        "The table cannot be read",
        "Do not send it again: an operator has to repair this table. All others go on.",
    ),
    RulesUnknownError: ProblemType(
        503,
        "rules-unknown",
        "The table's rules are not known here",
        "Do not send it again: this table needs another version of the service.",
    ),
}
HTTP_PROBLEM_TYPES: Final = {
    405: ProblemType(405, "method-not-allowed", "Method not allowed", "Use a method that the Allow header names."),
    406: ProblemType(406, "not-acceptable", "Not acceptable", "Accept one of the media types that the contract names."),
    413: ProblemType(413, "body-too-large", "Body too large", "Send a smaller body."),
    415: ProblemType(415, "unsupported-media-type", "Unsupported media type", "Send the body as application/json."),
}
INTERNAL: Final = ProblemType(
    500, "internal", "Internal error", "Send the same request again; if it fails again, report its `trace_id`."
)


def problem_type_of(error: Exception) -> ProblemType:
    """Return the problem type of an error; anything unforeseen is an internal one."""
    if isinstance(error, HttpError):
        return HTTP_PROBLEM_TYPES[error.status]
    if isinstance(error, ServiceError):
        return PROBLEM_TYPES[type(error)]
    return INTERNAL
