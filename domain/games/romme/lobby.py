"""Between rounds: new house rules, and the end of an open match."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import asdict

from domain.decider import OptionProblem, Rejection
from domain.games.romme.facts import RommeFact, RommeMatchEnded, RommeOptionChanged
from domain.games.romme.fold import between_rounds
from domain.games.romme.model import RommeState
from domain.games.romme.options import changed_options, is_changed
from domain.games.romme.scoring import ranking

_NOT_OPEN: Final = Rejection("not_open", "R-68")
_NO_ROUND_PLAYED: Final = Rejection("no_round_played", "R-68")


def change_options(state: RommeState, raw: Mapping[str, object]) -> tuple[RommeFact, ...] | OptionProblem:
    """Judge new values: a fact for each option that changes, in the order of R-71 (R-74 to R-77).

    The table asks for it only between rounds; otherwise ValueError.
    """
    _require_lobby(state)
    options = changed_options(state.options, raw, first_round_dealt=state.round > 0)
    if isinstance(options, OptionProblem):
        return options
    old, new = asdict(state.options), asdict(options)
    return tuple(
        RommeOptionChanged(name, old[name], new[name], is_changed(name, options))
        for name in old
        if old[name] != new[name]
    )


def end_match(state: RommeState) -> tuple[RommeFact, ...] | Rejection:
    """End an open match after at least one round (R-68).

    The table asks for it only between rounds; otherwise ValueError.
    """
    _require_lobby(state)
    if state.options.match_end != "open":
        return _NOT_OPEN
    if not state.score_sheet:
        return _NO_ROUND_PLAYED
    return (RommeMatchEnded(state.totals, ranking(state.totals)),)


def _require_lobby(state: RommeState) -> None:
    if not between_rounds(state):
        raise ValueError("a round is running or the match has ended")
