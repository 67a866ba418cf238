"""What `legal` offers is what `decide` accepts; a refusal changes nothing and gives a reason."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from domain.decider import AnyGame, Rejection, Seat, SeatView, view_of
from domain.explain import every_choice
from tests.conformance.matches import Match
from tests.conformance.wire import canonical

LEAVES_MAX: Final = 2_000
"""Ways through `Game.players.sample` that are tried to find everything it can choose, for one seat of a position."""
LEAVES_OF_OTHERS_MAX: Final = 60
"""The same for the other seats that act at the same time, and where `listed` finds everything."""
IDLE_MAX: Final = 60
"""Candidates that are tried for a seat that is not to act."""


def check_legal_is_what_is_accepted(match: Match, positions: int) -> None:
    """Every listed move is accepted, every accepted move is listed; nobody else may do anything."""
    rng = match.rng("seats")
    for words, state in [("before the start: ", match.steps[0].before), *match.positions(positions, "legal")]:
        before = canonical(state)
        acting = match.game.decider.to_act(state)
        thorough = rng.choice(acting) if acting else None
        for seat in range(match.seats):
            legal = match.game.views.legal(state, seat)
            moves = list(match.hooks.candidates(state, seat))
            if seat not in acting:
                moves = rng.sample(moves, min(len(moves), IDLE_MAX))
            accepted = _accepted(match, state, seat, moves, words)
            assert bool(legal) == (seat in acting), f"{words} {acting} act, but seat {seat} may do {legal}"
            if seat in acting:
                thoroughly = seat == thorough and match.hooks.listed is None
                leaves = LEAVES_MAX if thoroughly else LEAVES_OF_OTHERS_MAX
                _compare(match, state, seat, accepted, leaves, words)
            else:
                assert not accepted, f"{words} seat {seat} is not to act, but may do {accepted[0][0]}"
        assert canonical(state) == before, f"{words} the state was changed by judging"


def check_machines_are_accepted(match: Match, positions: int) -> None:
    """Bots and the moves for absent players are accepted, and are the same for the same view and seed."""
    game = match.game
    for words, state in match.positions(positions, "machines"):
        for seat in game.decider.to_act(state):
            view = match.wire.view(view_of(game, state, seat))
            move = game.players.bot(view, 7)
            assert game.players.bot(match.wire.view(view), 7) == move, f"{words} seat {seat}: the bot is of two minds"
            for made in (move, game.players.timeout_move(state, seat)):
                judged = game.decider.decide(state, seat, match.wire.move(canonical(made)), match.chance)
                assert not isinstance(judged, Rejection), f"{words} seat {seat}: {made} gives {judged}"


def _accepted(match: Match, state: Any, seat: Seat, moves: Iterable[Any], words: str) -> list[tuple[Any, bytes]]:
    """Return the moves that are accepted, each with its facts as bytes; refusals must have reasons."""
    accepted = []
    for move in moves:
        move = match.wire.move(canonical(move))
        judged = match.game.decider.decide(state, seat, move, match.chance)
        if isinstance(judged, Rejection):
            check_reason(match.game, judged, f"{words} seat {seat}: {move}")
        else:
            accepted.append((move, canonical(judged)))
    return accepted


def check_reason(game: AnyGame, rejection: Rejection, words: str) -> None:
    """A refusal names a code and a rule that the game explains."""
    assert rejection.code in game.rejections, f"{words} is refused with an unknown code: {rejection}"
    assert rejection.rule in {rule.number for rule in game.rules}, f"{words} breaks an unknown rule: {rejection}"
    assert type(rejection.have) in (int, type(None)), f"{words}: {rejection}"
    assert type(rejection.need) in (int, type(None)), f"{words}: {rejection}"


def _compare(match: Match, state: Any, seat: Seat, accepted: list[tuple[Any, bytes]], leaves: int, words: str) -> None:
    """Moves are compared by their facts, so that the order of cards in a move does not matter."""
    assert accepted, f"{words} no candidate of seat {seat} is accepted, though it is to act"
    view = view_of(match.game, state, seat)
    moves, complete = _sampled(match, view, leaves)
    facts = {_facts(match, state, seat, move, words) for move in moves}
    if match.hooks.listed is not None:
        listed = {_facts(match, state, seat, move, words) for move in match.hooks.listed(view.legal, view.hand)}
        assert facts <= listed, f"{words} sample makes what is not listed in {view.legal}"
        assert facts == listed or not complete, f"{words} sample never makes some of {view.legal}"
        facts, complete = listed, True
    if complete:
        for move, result in accepted:
            assert result in facts or match.hooks.may_be_unlisted(move), (
                f"{words} seat {seat} may do {move}, but legal does not list it: {view.legal}"
            )


def _facts(match: Match, state: Any, seat: Seat, move: Any, words: str) -> bytes:
    judged = match.game.decider.decide(state, seat, match.wire.move(canonical(move)), match.chance)
    assert not isinstance(judged, Rejection), f"{words} seat {seat}: {move} is listed, but gives {judged}"
    return canonical(judged)


def _sampled(match: Match, view: SeatView[Any, Any, Any, Any], leaves: int) -> tuple[Iterable[Any], bool]:
    """Return moves that a client can build from `legal`, and whether these are all."""
    moves = list(every_choice(lambda choose: match.game.players.sample(view, choose), leaves + 1))
    return moves[:leaves], len(moves) <= leaves


def check_equal_moves_are_recognised(match: Match, positions: int) -> None:
    """A move that says the same in another order has the same `canonical` form, so that a retry is known."""
    moved = [step for step in match.steps if step.kind == "move"]
    for step in match.rng("equal moves").sample(moved, min(positions, len(moved))):
        said = json.loads(canonical(step.move))
        facts = canonical(match.decided(step, match.chance))
        for other in _in_other_orders(said):
            move = match.wire.move(canonical(other))
            judged = match.game.decider.decide(step.before, step.seat, move, match.chance)
            same = canonical(judged) == facts
            known = canonical(move.canonical()) == canonical(step.move.canonical())
            assert known == same, match.at(
                step, f"{other} {'means the same, but' if same else 'means something else, and'} canonical() denies it"
            )


def _in_other_orders(said: Any) -> Iterator[Any]:
    """Give a JSON value with one of its arrays turned round, for each of them that this changes."""
    if isinstance(said, list):
        if said != said[::-1]:
            yield said[::-1]
        for index, one in enumerate(said):
            yield from ([*said[:index], other, *said[index + 1 :]] for other in _in_other_orders(one))
    elif isinstance(said, dict):
        for name, one in said.items():
            yield from ({**said, name: other} for other in _in_other_orders(one))
