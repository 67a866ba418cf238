"""The fold gives the same states from what is stored, and does not fold what cannot be."""

from itertools import islice
from typing import Any

from domain.decider import ImpossibleFactError
from tests.conformance.matches import Match, Step
from tests.conformance.wire import canonical


def check_fold(match: Match, positions: int) -> None:
    """Folding the stored forms, fact by fact, gives the states of the match, byte by byte."""
    state = match.steps[0].before
    for step in match.steps:
        assert state == step.before, match.at(step, "another state before")
        public, server = match.wire.stored(step.facts)
        for index, fact in enumerate(match.wire.restored(public, server)):
            assert fact == step.facts[index], match.at(step, f"fact {index} comes back as {fact}")
            state = match.game.decider.evolve(state, fact)
            assert state == step.states[index], match.at(step, f"another state after {fact}")
            assert canonical(state) == canonical(step.states[index]), match.at(step, f"other bytes after {fact}")


def check_fold_from_snapshots(match: Match, positions: int) -> None:
    """A state that was stored itself is as good to go on from as the one that was folded."""
    for step in match.steps:
        state = match.wire.state(canonical(step.before))
        for fact in step.facts:
            state = match.game.decider.evolve(state, fact)
        assert canonical(state) == canonical(step.after), match.at(step, "another state from a snapshot")


def check_decide_is_repeatable(match: Match, positions: int) -> None:
    """The same move in the same state has the same facts, however often it is judged; so has the same deal."""
    for step in match.steps:
        before = canonical(step.before)
        again = match.decided(step, match.chance)
        assert again == step.facts, match.at(step, f"other facts the second time: {again}")
        assert canonical(step.before) == before, match.at(step, "the state was changed by judging")


def check_impossible_facts(match: Match, positions: int) -> None:
    """A fact that does not fit is refused as impossible; it never fails in another way."""
    rng = match.rng("impossible facts")
    facts = [fact for step in match.steps for fact in step.facts]
    for step in islice(match.steps, 0, None, max(1, len(match.steps) // positions)):
        again = _refused(match, step, step.states[0], step.facts[0])
        assert again, match.at(step, f"the same fact once more is folded: {step.facts[0]}")
        for fact in rng.sample(facts, min(5, len(facts))):
            _refused(match, step, step.after, fact)


def _refused(match: Match, step: Step, state: Any, fact: Any) -> bool:
    """Return whether a fact is refused as impossible."""
    try:
        match.game.decider.evolve(state, fact)
    except (ImpossibleFactError, AssertionError):
        return True
    except Exception as error:
        raise AssertionError(match.at(step, f"{fact} fails with {error!r}")) from error
    return False
