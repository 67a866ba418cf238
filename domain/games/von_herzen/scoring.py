"""What runs and rounds score, and the places."""

from operator import add

from domain.cards import in_canonical_order
from domain.games.von_herzen.facts import VonHerzenRoundScored
from domain.games.von_herzen.model import VonHerzenRoundResult, VonHerzenRun, VonHerzenState
from domain.games.von_herzen.runs import FULL
from domain.ranking import places


def run_points(run: VonHerzenRun, *, pure_flute_four: bool) -> int:
    """Return what a run is worth to its owner."""
    return _laid_points(run) + _flute_points(run, pure_flute_four=pure_flute_four)


def _laid_points(run: VonHerzenRun) -> int:
    return len(run.cards) - (run.joker is not None)  # V-61, V-62


def _flute_points(run: VonHerzenRun, *, pure_flute_four: bool) -> int:
    if len(run.cards) < FULL:
        return 0
    return 4 if pure_flute_four and run.joker is None else 2  # V-64 to V-66


def result_of(state: VonHerzenState) -> VonHerzenRoundResult:
    """Return what each seat would score if the round ended now, and for what (section 7)."""
    seats = len(state.hands)
    laid, flutes = [0] * seats, [0] * seats
    for run in state.melds:
        laid[run.owner] += _laid_points(run)
        flutes[run.owner] += _flute_points(run, pure_flute_four=state.options.pure_flute_four)
    kept = [-len(hand) for hand in state.hands]  # V-63
    return VonHerzenRoundResult(
        round=state.round,
        ended="standstill" if state.out is None else "out",
        laid=tuple(laid),
        flutes=tuple(flutes),
        kept=tuple(kept),
        points=tuple(map(sum, zip(laid, flutes, kept, strict=True))),
    )


def score(state: VonHerzenState) -> tuple[int, ...]:
    """Return what each seat would score if the round ended now."""
    return result_of(state).points


def counted(state: VonHerzenState) -> VonHerzenRoundScored:
    """Return the fact that counts the round that is over."""
    result = result_of(state)
    scores = result.points
    return VonHerzenRoundScored(
        round=state.round,
        ended=result.ended,
        hands=state.hands,
        stock=in_canonical_order(state.stock),
        scores=scores,
        totals=tuple(map(add, state.totals, scores)),  # V-69
    )


def ranking(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of each seat, the highest total first (V-71, V-72)."""
    return places(totals, low_wins=False)
