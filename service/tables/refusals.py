"""Translates refusals of the domain to errors for callers; the only place that does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

from domain.decider import AnyGame, OptionProblem, Rejection
from domain.disputes.model import REFUSALS as DISPUTE_REFUSALS
from domain.disputes.model import DisputeRefusal
from domain.registry import CURRENT
from domain.table.model import REFUSALS, TableRefusal
from service.errors import (
    ConflictError,
    DecisionError,
    FieldError,
    ForbiddenError,
    IllegalMoveError,
    LegalMoves,
    LimitError,
    OptionConflictError,
    OptionError,
    ServiceError,
)

_DECISION_CODES: Final = ("stale_decision", "decision_taken")
_VALUE_CODES: Final = ("option_unknown", "option_value")


def raise_refusal(
    refused: TableRefusal | OptionProblem | Rejection,
    game: AnyGame,
    *,
    version: int | None = None,
    legal: Sequence[Any] | None = None,
) -> NoReturn:
    """Raise the error for a refusal. `version` and `legal` are what the caller may know of the table."""
    if isinstance(refused, Rejection):
        raise IllegalMoveError(
            game.rejections[refused.code],
            code=refused.code,
            rule=refused.rule,
            legal=None if legal is None else LegalMoves(game.key, tuple(legal)),
            version=version,
            have=refused.have,
            need=refused.need,
        )
    if isinstance(refused, OptionProblem):
        field = FieldError(f"/options/{_known(refused.option, game)}", OPTION_SENTENCES[refused.code])
        error = OptionError if refused.code in _VALUE_CODES else OptionConflictError
        raise error(OPTION_SENTENCES[refused.code], code=refused.code, rule=refused.rule, errors=(field,))
    if refused.code in _DECISION_CODES:
        raise DecisionError(REFUSALS[refused.code], code=refused.code, version=version)
    raise ConflictError(REFUSALS[refused.code], code=refused.code, version=version)


_FORBIDDEN: Final = ("not_reporter", "arbiter_seated", "arbiter_decided")
_LATER_SECONDS: Final = 3600


def raise_dispute_refusal(refused: DisputeRefusal) -> NoReturn:
    """Raise the error for the refusal of a command on a dispute."""
    error = _dispute_error(refused.code)
    headers = {"Retry-After": str(_LATER_SECONDS)} if error is LimitError else None
    raise error(DISPUTE_REFUSALS[refused.code], code=refused.code, headers=headers)


def _dispute_error(code: str) -> type[ServiceError]:
    if code in _FORBIDDEN:
        return ForbiddenError
    return LimitError if code == "disputes_per_day" else ConflictError


def refusal_codes() -> Iterator[tuple[type[ServiceError], str, str]]:
    """Yield every code of a refusal of the domain, with the error that it leads to and its sentence, in English."""
    for code, sentence in REFUSALS.items():
        yield DecisionError if code in _DECISION_CODES else ConflictError, code, sentence
    for code, sentence in OPTION_SENTENCES.items():
        yield OptionError if code in _VALUE_CODES else OptionConflictError, code, sentence
    for code, sentence in DISPUTE_REFUSALS.items():
        yield _dispute_error(code), code, sentence
    for game in CURRENT.values():
        for code, sentence in game.rejections.items():
            yield IllegalMoveError, code, sentence


OPTION_SENTENCES: Final = {
    "option_unknown": "The game has no such option.",
    "option_value": "The option does not allow this value.",
    "option_conflict": "The option contradicts another one.",
    "option_locked": "The option can no longer be changed in this match.",
}


def check_changes(values: Mapping[str, object], key: str) -> None:
    """Refuse names and values of options that no table of the game could take, whatever its state.

    At a table of a game whose options never change they are judged by the games whose options do.
    """
    changeable = [game for game in CURRENT.values() if game.lobby is not None]
    games = [game for game in changeable if game.key == key] or changeable
    problems = [problem for game in games if (problem := _wrong_value(game, values)) is not None]
    if games and len(problems) == len(games):
        raise_refusal(problems[0], games[0])


def _wrong_value(game: AnyGame, values: Mapping[str, object]) -> OptionProblem | None:
    parsed = game.options.parse(values, None)
    wrong = isinstance(parsed, OptionProblem) and parsed.code in _VALUE_CODES and parsed.option in values
    return parsed if wrong else None


def _known(option: str, game: AnyGame) -> str:
    """An option's name if the game has it; nothing of a request is echoed."""
    return option if option in game.options.schema.get("properties", {}) else "?"


def refuse_commitment(seed_commitment: str | None) -> None:
    """Raise ConflictError if somebody gives a commitment to a seed: shuffles under `bw1` depend on seeds."""
    if seed_commitment is not None:
        raise ConflictError(
            "This table takes client seeds, no commitments to them.", code="seed_commitment_unsupported"
        )
