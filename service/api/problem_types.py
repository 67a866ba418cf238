"""What problems mean: every code that a response can carry, and a page behind each `type`."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

from litestar import Request, Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from service.api.negotiation import asked_language
from service.api.operation import Operation
from service.api.operations import NOT_READY
from service.api.types import problem_types as types
from service.errors import (
    HTTP_CODES,
    HTTP_DETAILS,
    HTTP_PROBLEM_TYPES,
    INTERNAL,
    PROBLEM_TYPES,
    ConflictError,
    NotFoundError,
    OptionError,
    ProblemType,
    ServiceError,
    UnavailableError,
)
from service.languages.catalogues import Language, translated
from service.tables.refusals import refusal_codes

_OWN_CODES: Final[dict[type[ServiceError], dict[str, str]]] = {
    NotFoundError: {"code_unknown": "This code is not valid: it is wrong, replaced, used or expired."},
    OptionError: {"option_missing": "Say how many seats the table has: `seats`, or the option."},
    ConflictError: {
        "match_not_started": "No match was played at this table.",
        "match_running": "The match is not over; other seats can be seen only after its end.",
        "no_such_tree": "The log has no tree of this size that contains the match.",
        "not_in_log": "The match is not in the log yet; try again in a moment.",
        "seed_commitment_unsupported": "This table takes client seeds, no commitments to them.",
    },
    UnavailableError: {
        **{str(reason): sentence for reason, sentence in NOT_READY.items()},
        "log_outdated": "The database that this process reaches is not up to date; this request recorded nothing. Send "
        "it again.",
        "outcome_unknown": "It is not known whether this was recorded; send the same request again.",
        "recorded": "This was recorded, but what it led to cannot be shown yet; read it later, or send the same again.",
    },
}
"""Codes that are named where they are raised, by the error that they are codes of."""


class Meaning(NamedTuple):
    """A code that problems of a type can have, and a sentence for it, in English."""

    problem_type: ProblemType
    code: str
    sentence: str


@cache
def meanings() -> tuple[Meaning, ...]:
    """Return what every code means, in the order of codes.

    The same thing has the same code everywhere; what a game and the table both refuse has two types. Where sentences
    differ, one is given.
    """
    found: dict[tuple[str, str], Meaning] = {}
    for meaning in chain(_of_errors(), _of_http(), _of_refusals()):
        found.setdefault((meaning.code, meaning.problem_type.slug), meaning)
    return tuple(found[key] for key in sorted(found))


def codes() -> list[str]:
    """Return every code that a problem can have."""
    return list(dict.fromkeys(meaning.code for meaning in meanings()))


def _of_errors() -> Iterator[Meaning]:
    yield Meaning(INTERNAL, "internal", "Something went wrong in the service. Sending the same request again is safe.")
    for error, problem_type in PROBLEM_TYPES.items():
        yield Meaning(problem_type, error.code, error.sentence or problem_type.title)
    for error, named in _OWN_CODES.items():
        for code, sentence in named.items():
            yield Meaning(PROBLEM_TYPES[error], code, sentence)


def _of_http() -> Iterator[Meaning]:
    for status, problem_type in HTTP_PROBLEM_TYPES.items():
        yield Meaning(problem_type, HTTP_CODES[status], HTTP_DETAILS[status])


def _of_refusals() -> Iterator[Meaning]:
    for error, code, sentence in refusal_codes():
        yield Meaning(PROBLEM_TYPES[error], code, sentence)


PROBLEM_TYPES_BY_SLUG: Final = {
    one.slug: one for one in (*PROBLEM_TYPES.values(), *HTTP_PROBLEM_TYPES.values(), INTERNAL)
}


def problem_type_page(
    problem_type: ProblemType, operations: tuple[str, ...], language: Language = "en"
) -> types.ProblemTypePage:
    """Return what there is to say of a type of problems; `operations` are those that can respond with it."""
    return types.ProblemTypePage(
        type=f"/problems/{problem_type.slug}",
        status=problem_type.status,
        title=translated(problem_type.title, language),
        advice=translated(problem_type.advice, language),
        codes=tuple(
            types.ProblemCode(one.code, translated(one.sentence, language))
            for one in meanings()
            if one.problem_type is problem_type
        ),
        operations=operations,
    )


@Operation(
    "GET",
    "/problems/{slug:str}",
    id="getProblemType",
    summary="Get what a type of problems means",
    description="The page behind the `type` of a problem: what a client does next, the codes that problems of the type "
    "can have, and the operations that can respond with its status.",
    tag="operations",
    public=True,
    response=types.ProblemTypePage,
    problems=(404,),
    path_parameters={
        "slug": {"type": "string", "pattern": "^[a-z][a-z-]*$", "maxLength": 40, "examples": ["illegal-move"]}
    },
    headers={"Cache-Control": "public, max-age=300"},
    vary=("Accept-Language",),
    response_headers={"Content-Language": "The language of the texts."},
    compressed="always",
)
async def get_problem_type(
    request: Request[Any, Any, Any], slug: FromPath[str], responding: NamedDependency[dict[int, tuple[str, ...]]]
) -> Response[types.ProblemTypePage]:
    problem_type = PROBLEM_TYPES_BY_SLUG.get(slug)
    if problem_type is None:
        raise NotFoundError("There is no such type of problems.")
    language = asked_language(request.scope)
    page = problem_type_page(problem_type, responding[problem_type.status], language)
    return Response(page, headers={"Content-Language": language})


def operations_by_status(operations: Sequence[Operation]) -> dict[int, tuple[str, ...]]:
    """Return the ids of the operations that can respond with a problem, by its status."""
    return {
        status: tuple(one.id for one in operations if status in one.problem_statuses)
        for status in {one.status for one in PROBLEM_TYPES_BY_SLUG.values()}
    }


HANDLERS: Final = (get_problem_type,)
