"""The suite also judges what only some games have: a lobby between rounds, private streams, advice.

The toy is given each of them here, first sound, then with a planted fault.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from msgspec import Struct

from domain.cards import CANONICAL, Card
from domain.decider import (
    Advice,
    AnyGame,
    AnyPrivateStream,
    Chance,
    OptionProblem,
    PrivateStreamRules,
    Rejection,
    RoundLobby,
    Seat,
)
from tests.conformance.altered import altered
from tests.conformance.checks import lobby, private_streams
from tests.conformance.hooks import Hooks
from tests.conformance.matches import Match, play
from tests.conformance.suite import CHECKS
from tests.toy import highest_conformance as conformance
from tests.toy.highest import GAMES as TOYS
from tests.toy.highest.model import HighestChoose, HighestPrivate, HighestRoundDealt, HighestState

TOY = TOYS[0]
HOOKS = Hooks.of(conformance)


def _match(game: AnyGame, hooks: Hooks) -> Match:
    return play(game, hooks, HOOKS.options[0], players="sample", seed=3)


# a lobby between rounds


def _without_the_next_deal(state: HighestState, seat: Seat, move: HighestChoose, chance: Chance) -> Any:
    facts = TOY.decider.decide(state, seat, move, chance)
    if isinstance(facts, Rejection):
        return facts
    return tuple(fact for fact in facts if not isinstance(fact, HighestRoundDealt))


def _between_rounds(state: HighestState) -> bool:
    return state.round > 0 and not any(state.hands) and not state.ended


def _change_options(state: HighestState, values: Mapping[str, object]) -> tuple[Any, ...] | OptionProblem:
    parsed = TOY.options.parse(values, None)
    return parsed if isinstance(parsed, OptionProblem) else ()


SOUND_LOBBY: RoundLobby[Any, Any] = RoundLobby(
    between_rounds=_between_rounds,
    start_round=TOY.decider.start,
    change_options=_change_options,
    end_match=lambda _: Rejection("match_over", "T-6"),
)
LOBBY_TOY = altered(TOY, decide=_without_the_next_deal, lobby=SOUND_LOBBY)
LOBBY_FAULTS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "always a lobby": ("whether a round is running", {"between_rounds": lambda _: True}),
    "unknown codes": ("unknown code", {"end_match": lambda _: Rejection("no_idea", "T-6")}),
    "anything goes": ("are accepted", {"change_options": lambda _state, _values: ()}),
    "something always changes": ("no values change", {"change_options": lambda _state, _values: (1,)}),
}


def test_a_lobby_between_rounds_passes_every_check() -> None:
    match = _match(LOBBY_TOY, HOOKS)
    assert [step.kind for step in match.steps if step.seat is None] == ["start", "start_round"]
    for check in CHECKS:
        check(match, 30)


@pytest.mark.parametrize(("said", "planted"), LOBBY_FAULTS.values(), ids=LOBBY_FAULTS.keys())
def test_a_faulty_lobby_is_found(said: str, planted: dict[str, Callable[..., Any]]) -> None:
    sound = _match(LOBBY_TOY, HOOKS)
    faulty = replace(LOBBY_TOY, lobby=replace(SOUND_LOBBY, **planted))
    with pytest.raises(AssertionError, match=said):
        lobby.check_lobby(replace(sound, game=faulty), 30)


# a private stream: the order of one's own hand


class HighestArrange(Struct, frozen=True, tag_field="type", tag="arrange"):
    """Put the hand in this order."""

    cards: tuple[Card, ...]


class HighestHandArranged(Struct, frozen=True, tag_field="type", tag="hand_arranged"):
    """The hand was put in this order."""

    cards: tuple[Card, ...]


def _arranged(state: HighestState, seat: Seat, own: tuple[Card, ...]) -> tuple[Card, ...]:
    hand = state.hands[seat]
    kept = tuple(card for card in own if card in hand)
    return (*kept, *(card for card in hand if card not in kept))


def _arrange(state: HighestState, seat: Seat, _own: Any, move: HighestArrange) -> Any:
    if sorted(move.cards) != sorted(state.hands[seat]):
        return Rejection("card_not_in_hand", "T-3")
    return (HighestHandArranged(move.cards),)


def _orders(state: HighestState, seat: Seat, own: tuple[Card, ...]) -> list[HighestArrange]:
    hand = state.hands[seat]
    return [HighestArrange(hand[::-1]), HighestArrange((*hand[1:], *hand[:1])), HighestArrange(("QS", "KS"))]


SOUND_STREAM: AnyPrivateStream = PrivateStreamRules(
    hand_order_type=HighestArrange,
    fact_type=HighestHandArranged,
    new=tuple,
    decide=_arrange,
    evolve=lambda _own, fact: fact.cards,
    consulted=lambda _state, _seat: False,
    resolve=lambda _state, _seat, _own, move: move,
    hand=_arranged,
    private=lambda state, seat, _own: TOY.views.private_part(state, seat),
    legal=lambda state, seat, _own: TOY.views.legal(state, seat),
)
STREAM_TOY = replace(TOY, private_stream=SOUND_STREAM)
STREAM_HOOKS = replace(HOOKS, private_moves=_orders)


def _tells_the_neighbour(state: HighestState, seat: Seat, own: Any, move: HighestArrange) -> Any:
    other = state.hands[(seat + 1) % len(state.hands)]
    if set(move.cards) & set(other):
        return Rejection("not_your_choice", "T-3")
    return _arrange(state, seat, own, move)


STREAM_FAULTS: dict[str, tuple[str, dict[str, Callable[..., Any]]]] = {
    "a card too few": ("not the same hand", {"hand": lambda state, seat, own: _arranged(state, seat, own)[1:]}),
    "the neighbour's choice": (
        "depends on hidden",
        {"private": lambda state, seat, _: TOY.views.private_part(state, seat - 1)},
    ),
    "probing": ("depends on hidden cards", {"decide": _tells_the_neighbour}),
    "not consulted": (
        "without being consulted",
        {"resolve": lambda state, _seat, _own, _move: HighestChoose(state.hands[0][0])},
    ),
    "unknown codes": ("unknown code", {"decide": lambda _state, _seat, _own, _move: Rejection("no_idea", "T-3")}),
    "unknown rules": ("unknown rule", {"resolve": lambda _state, _seat, _own, _m: Rejection("invalid_card", "T-0")}),
}


def test_a_private_stream_passes_every_check() -> None:
    match = _match(STREAM_TOY, STREAM_HOOKS)
    for check in CHECKS:
        check(match, 30)


@pytest.mark.parametrize(("said", "planted"), STREAM_FAULTS.values(), ids=STREAM_FAULTS.keys())
def test_a_faulty_private_stream_is_found(said: str, planted: dict[str, Callable[..., Any]]) -> None:
    sound = _match(STREAM_TOY, STREAM_HOOKS)
    faulty = replace(STREAM_TOY, private_stream=replace(SOUND_STREAM, **planted))
    with pytest.raises(AssertionError, match=said):
        private_streams.check_private_streams(replace(sound, game=faulty), 30)


class HighestPrivateWithOrder(HighestPrivate, frozen=True):
    """A private part with an order of the hand to send."""

    order: HighestArrange


@pytest.mark.parametrize(("cards", "sound"), [(0, True), (1, False)])
def test_a_private_move_that_is_offered_but_refused_is_found(cards: int, sound: bool) -> None:
    def private(state: HighestState, seat: Seat, _own: Any) -> HighestPrivateWithOrder:
        chosen = TOY.views.private_part(state, seat).chosen
        return HighestPrivateWithOrder(chosen, HighestArrange(state.hands[seat][cards:]))

    match = _match(STREAM_TOY, STREAM_HOOKS)
    types = replace(TOY.types, private_part=HighestPrivateWithOrder)
    offers = replace(STREAM_TOY, types=types, private_stream=replace(SOUND_STREAM, private=private))
    refused = nullcontext() if sound else pytest.raises(AssertionError, match="is offered as a draft, but gives")
    with refused:
        private_streams.check_private_streams(replace(match, game=offers), 30)


# advice: does my hand have a higher card?


class HighestQuestion(Struct, frozen=True):
    """Is there a higher card than this one?"""

    card: Card


class HighestAnswer(Struct, frozen=True):
    """Whether there is."""

    higher: bool


def _questions(state: HighestState, seat: Seat) -> list[HighestQuestion]:
    return [HighestQuestion(card) for card in ("8C", "TH", "XX")]


def _answer(among: Callable[[HighestState, Seat], tuple[Card, ...]]) -> Callable[[Any, Seat, Any], Any]:
    def answer(state: HighestState, seat: Seat, question: HighestQuestion) -> HighestAnswer | Rejection:
        if question.card not in CANONICAL:
            return Rejection("invalid_card", "T-1")
        return HighestAnswer(any(CANONICAL[card] > CANONICAL[question.card] for card in among(state, seat)))

    return answer


ADVICE_HOOKS = replace(HOOKS, questions=_questions)
ADVICE_TOY = replace(
    TOY,
    advice=Advice(
        question_type=HighestQuestion,
        answer_type=HighestAnswer,
        answer=_answer(lambda state, seat: state.hands[seat]),
    ),
)
ADVICE_FAULTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "about others": ("it depends", _answer(lambda state, seat: state.hands[seat - 1])),
    "unknown codes": ("unknown code", lambda _state, _seat, _question: Rejection("no_idea", "T-1")),
}


def test_advice_passes_every_check() -> None:
    match = _match(ADVICE_TOY, ADVICE_HOOKS)
    for check in CHECKS:
        check(match, 30)


@pytest.mark.parametrize(("said", "answer"), ADVICE_FAULTS.values(), ids=ADVICE_FAULTS.keys())
def test_faulty_advice_is_found(said: str, answer: Callable[..., Any]) -> None:
    sound = _match(ADVICE_TOY, ADVICE_HOOKS)
    assert ADVICE_TOY.advice is not None
    faulty = replace(ADVICE_TOY, advice=replace(ADVICE_TOY.advice, answer=answer))
    with pytest.raises(AssertionError, match=said):
        private_streams.check_advice(replace(sound, game=faulty), 30)
