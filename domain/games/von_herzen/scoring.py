"""What runs and rounds score, and the places."""

from operator import add

from domain.cards import in_canonical_order
from domain.games.von_herzen.facts import VonHerzenRoundScored
from domain.games.von_herzen.model import VonHerzenRun, VonHerzenState
from domain.games.von_herzen.runs import FULL
from domain.ranking import places


def run_points(run: VonHerzenRun, *, pure_flute_four: bool) -> int:
    """Return what a run is worth to its owner (V-61, V-62, V-64 to V-66)."""
    points = len(run.cards) - (run.joker is not None)
    if len(run.cards) == FULL:
        points += 4 if pure_flute_four and run.joker is None else 2
    return points


def score(state: VonHerzenState) -> tuple[int, ...]:
    """Return what each seat would score if the round ended now (section 7)."""
    points = [-len(hand) for hand in state.hands]  # V-63
    for run in state.melds:
        points[run.owner] += run_points(run, pure_flute_four=state.options.pure_flute_four)
    return tuple(points)


def counted(state: VonHerzenState) -> VonHerzenRoundScored:
    """Return the fact that counts the round that is over."""
    scores = score(state)
    return VonHerzenRoundScored(
        round=state.round,
        ended="standstill" if state.out is None else "out",
        hands=state.hands,
        stock=in_canonical_order(state.stock),
        scores=scores,
        totals=tuple(map(add, state.totals, scores)),  # V-69
    )


def ranking(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of each seat, the highest total first (V-71, V-72)."""
    return places(totals, low_wins=False)
