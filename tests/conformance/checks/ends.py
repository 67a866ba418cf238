"""Every match ends, and says so."""

from itertools import pairwise

from domain.decider import Outcome
from tests.conformance.matches import Match


def check_end(match: Match, positions: int) -> None:
    """The last state, and only it, has an outcome; nobody may act in it; totals and places agree."""
    game, final = match.game, match.steps[-1].after
    outcome = game.decider.outcome(final)
    assert outcome is not None, match.at(match.steps[-1], "no outcome")
    assert game.decider.to_act(final) == (), match.at(match.steps[-1], "somebody may act after the end")
    totals = game.views.totals(final)
    assert outcome.totals == totals, match.at(match.steps[-1], f"{outcome} has other totals than the views: {totals}")
    entries = (len(outcome.totals), len(outcome.places))
    assert entries == (match.seats,) * 2, match.at(match.steps[-1], f"{outcome} has not one entry for each seat")
    for place in outcome.places:
        better = sum(other < place for other in outcome.places)
        assert place == better + 1, match.at(match.steps[-1], f"places are not shared and skipped: {outcome}")
    if match.hooks.places_follow_totals:
        _check_totals(match, outcome)


def _check_totals(match: Match, outcome: Outcome) -> None:
    hint = f"better totals make no better place, {outcome}; if that is right, say PLACES_FOLLOW_TOTALS = False"
    by_place = sorted(zip(outcome.places, outcome.totals, strict=True))
    totals = [total for _, total in by_place]
    assert totals in (sorted(totals), sorted(totals, reverse=True)), match.at(match.steps[-1], hint)
    for one, other in pairwise(by_place):
        assert (one[0] == other[0]) == (one[1] == other[1]), match.at(match.steps[-1], f"equal totals: {hint}")


def check_rounds(match: Match, positions: int) -> None:
    """Rounds are counted from 1 without gaps, seats to act ascend, totals have one entry for each seat."""
    game, number = match.game, 0
    assert game.views.round_number(match.steps[0].before) == 0, match.at(match.steps[0], "a round before the start")
    assert game.views.round_number(match.steps[0].after) > 0, match.at(match.steps[0], "no round after the start")
    for step in match.steps:
        for state in step.states:
            before, number = number, game.views.round_number(state)
            assert number - before in (0, 1), match.at(step, f"round {before} is followed by round {number}")
            assert len(game.views.totals(state)) == match.seats, match.at(
                step, f"totals have not one entry for each seat: {game.views.totals(state)}"
            )
        acting = game.decider.to_act(step.after)
        assert list(acting) == sorted({*acting} & {*range(match.seats)}), match.at(
            step, f"to_act is not ascending seats: {acting}"
        )
        assert step.facts, match.at(step, "an event without facts")
