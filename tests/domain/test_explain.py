"""Explanations: they agree with what is legal and with what is judged, in every game, and hide what is hidden."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import asdict

from domain.decider import AnyGame, Rejection
from domain.explain import every_choice, explain, moves_to_explain, moves_with
from domain.fairness import MatchChance
from domain.registry import CURRENT
from domain.table.fold import apply, begin
from domain.table.model import TableState
from tests.conformance.hooks import Hooks
from tests.conformance.hooks import hooks_of as registered_hooks
from tests.domain.matches import TABLE, PlayedMatch
from tests.toy import overboard_conformance
from tests.toy.overboard import OVERBOARD_1

GAMES = [*(CURRENT[key] for key in sorted(CURRENT)), OVERBOARD_1]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


def hooks_of(game: AnyGame) -> Hooks:
    """What the suite knows of a registered game, and of a toy whose moves have no field `card`."""
    return Hooks.of(overboard_conformance) if game is OVERBOARD_1 else registered_hooks(game)


TOO_SHORT = "the match under the first of OPTIONS shows nothing here; put options first under which it has some moves"


def positions(game: AnyGame, most: int) -> list[TableState]:
    """States of a random match, the first and the last among them."""
    options, seats = hooks_of(game).options[0]
    events = [sealed.event for sealed in PlayedMatch(game, options, seats, 8).sealed]
    state = begin(game, str(TABLE), events[0].facts, events[0].time)
    found = [state]
    for event in events[1:]:
        state = apply(state, event.actor, event.facts)
        found.append(state)
    return [*found[:: max(1, len(found) // most)], found[-1]]


@every_game
def test_every_move_is_judged_as_the_rules_judge_it(game: AnyGame) -> None:
    hooks, numbers = hooks_of(game), {rule.number for rule in game.rules}
    legal = refused = 0
    for state in positions(game, 40):
        for seat in range(state.setup.seats):
            if game.views.round_number(state.game_state) == 0:
                continue
            moves = list(hooks.candidates(state.game_state, seat))
            for answer in explain(state, seat, Random(1).sample(moves, min(len(moves), 25))):
                judged = game.decider.decide(state.game_state, seat, answer.move, _chance())
                accepted = not isinstance(judged, Rejection) and state.decisions[seat] is not None
                assert answer.legal == accepted
                legal += answer.legal
                if isinstance(judged, Rejection) and answer.rule is not None:
                    assert (answer.code, answer.rule) == (judged.code, judged.rule)
                    assert answer.detail
                    assert answer.rule in numbers
                    assert answer.text
                    refused += 1
    assert legal, f"{TOO_SHORT}: no candidate was legal"
    assert refused, f"{TOO_SHORT}: no candidate was refused with a rule"


@every_game
def test_every_card_in_hand_has_an_answer_at_any_time_if_a_move_is_one_card(game: AnyGame) -> None:
    for state in positions(game, 25):
        for seat in range(state.setup.seats):
            hand = game.views.hand(state.game_state, seat) if game.views.round_number(state.game_state) else ()
            answers = explain(state, seat, moves_with(game, hand))
            told = {card for answer in answers for card in _texts(answer.move) if card in hand}
            assert told == (set(hand) if answers else set())
            assert all(answer.legal or (answer.code and answer.detail) for answer in answers)


@every_game
def test_a_legal_move_of_one_card_is_among_the_answers_for_that_card(game: AnyGame) -> None:
    hooks = hooks_of(game)
    for state in positions(game, 400):
        for seat in range(state.setup.seats):
            if state.decisions[seat] is None:
                continue
            hand = game.views.hand(state.game_state, seat)
            answers = explain(state, seat, moves_with(game, hand))
            kinds = {type(answer.move) for answer in answers}
            legal = {
                move
                for move in hooks.candidates(state.game_state, seat)
                if type(move) in kinds
                and {*_texts(move)} & {*hand}
                and not isinstance(game.decider.decide(state.game_state, seat, move, _chance()), Rejection)
            }
            assert legal == {answer.move for answer in answers if answer.legal}


@every_game
def test_whoever_may_move_is_told_of_legal_moves_whatever_their_fields_are(game: AnyGame) -> None:
    acting = 0
    for state in positions(game, 40):
        for seat in range(state.setup.seats):
            hand = game.views.hand(state.game_state, seat) if game.views.round_number(state.game_state) else ()
            answers = explain(state, seat, moves_to_explain(state, seat, hand))
            assert len({*(answer.move for answer in answers)}) == len(answers)
            assert any(answer.legal for answer in answers) == (state.decisions[seat] is not None)
            acting += state.decisions[seat] is not None
    assert acting, f"{TOO_SHORT}: nobody had to act"


@every_game
def test_an_explanation_says_nothing_of_hidden_cards(game: AnyGame) -> None:
    hooks, rng = hooks_of(game), Random(4)
    changed = 0
    for state in positions(game, 25):
        if state.status != "running":
            continue
        for seat in range(state.setup.seats):
            own = moves_to_explain(state, seat, game.views.hand(state.game_state, seat))
            moves = [*own, *hooks.candidates(state.game_state, seat)][:40]
            other = _with(state, hooks.other_distribution(game, state.game_state, seat, rng))
            changed += other.game_state != state.game_state
            assert explain(state, seat, moves) == explain(other, seat, moves)
    assert changed, f"{TOO_SHORT}: no hidden card could be exchanged"


def _with(state: TableState, play: object) -> TableState:
    return TableState(
        state.setup, state.version, state.status, state.seats, state.host, state.ready, state.decisions, play
    )


def _texts(move: Any) -> list[str]:
    return [value for value in asdict(move).values() if isinstance(value, str)]


def _chance() -> MatchChance:
    return MatchChance(bytes(range(32)))


def test_every_choice_finds_all_answers_once() -> None:
    def build(choose: Callable[[int], int]) -> tuple[int, ...]:
        first = choose(3)
        return (first, choose(2)) if first == 1 else (first,)

    assert list(every_choice(build, 10)) == [(0,), (1, 0), (1, 1), (2,)]
    assert list(every_choice(build, 2)) == [(0,), (1, 0)]
