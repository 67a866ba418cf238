"""Nobody peeks: what a seat is told of cards lying face down, and when (V-13, V-73, V-74).

Two worlds are played side by side. They agree on everything the viewer may know (its own hand and what
is public) and differ in all other cards, in which cards the others lay face down, and in the stock. As
long as the viewer has no part in a swap and draws nothing itself, everything it receives must be the same
bytes: forms of facts, views, legal moves, and the refusal of whatever it tries.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from domain.cards import Card, in_canonical_order
from domain.decider import Chance, Rejection, view_of
from domain.games.von_herzen.facts import VonHerzenCards, VonHerzenCardsSwapped, VonHerzenFact
from domain.games.von_herzen.fold import hand_size
from domain.games.von_herzen.model import VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLeave,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.runs import PACK
from tests.games.von_herzen.conformance import candidates
from tests.games.von_herzen.play import GAME, careless, chance_of, options_of
from tests.games.von_herzen.positions import after, cards, dealt, facts_of, stacked

encode = msgspec.json.encode


def plain(form: object) -> Any:
    """A form as a client reads it."""
    return msgspec.json.decode(encode(form))


FACE_DOWN = (VonHerzenOffer, VonHerzenAccept, VonHerzenCounter, VonHerzenTake, VonHerzenAgree)


# what is received


def received(state: VonHerzenState, viewer: int | None) -> list[bytes]:
    """All that a viewer (None: a spectator) is sent of a state."""
    parts: list[Any] = [
        GAME.views.board(state),
        GAME.decider.to_act(state),
        GAME.views.totals(state),
        GAME.views.round_number(state),
    ]
    if viewer is not None:
        parts += [view_of(GAME, state, viewer)]
    return [encode(part) for part in parts]


def told(facts: Sequence[VonHerzenFact], viewer: int | None) -> list[bytes]:
    """All that a viewer is sent of an event: the public form of each fact and the private one."""
    forms = [encode(GAME.views.public_form(fact)) for fact in facts]
    if viewer is not None:
        forms += [encode(GAME.views.private_form(fact, viewer)) for fact in facts]
    return forms


# two worlds


def two_deals(players: int, viewer: int | None, rng: Random, **options: object) -> list[VonHerzenState]:
    """Two first deals in which the viewer holds the same cards and nothing else is the same on purpose."""
    size = hand_size(players)
    own = rng.sample(PACK, size) if viewer is not None else []
    others = [card for card in PACK if card not in own]
    states = []
    for _ in range(2):
        left = rng.sample(others, len(others))
        hands = [own if seat == viewer else [left.pop() for _ in range(size)] for seat in range(players)]
        order = [hands[(1 + place) % players][place // players] for place in range(size * players)]
        state = GAME.decider.new(options_of(players, **options), players)
        for fact in GAME.decider.start(state, stacked(0, {1: [*order, *left]})):
            state = GAME.decider.evolve(state, fact)
        states.append(state)
    return states


def same_looking(move: VonHerzenMove, state: VonHerzenState, rng: Random) -> VonHerzenMove:
    """The same move with other cards where they are laid face down."""
    if not isinstance(move, FACE_DOWN):
        return move
    swap = state.swap
    assert swap is not None
    source = swap.offered if isinstance(move, VonHerzenAgree) else state.hands[state.turn]
    return type(move)(tuple(rng.sample(source, len(move.cards))))


def assert_probing_tells_nothing(worlds: list[VonHerzenState], viewer: int, rng: Random, words: str) -> None:
    """Whatever the viewer tries when it is not to move, or tries wrongly, is answered alike."""
    moves = list(candidates(worlds[0], viewer))
    moves += [
        VonHerzenAccept(tuple(rng.sample(PACK, rng.randrange(9)))),
        VonHerzenAgree(tuple(rng.sample(PACK, rng.randrange(9)))),
        VonHerzenTake(tuple(rng.sample(PACK, rng.randrange(9)))),
    ]
    for move in rng.sample(moves, 25):
        answers = [GAME.decider.decide(world, viewer, move, chance_of(0)) for world in worlds]
        refusals = [answer if isinstance(answer, Rejection) else None for answer in answers]
        assert refusals[0] == refusals[1], (words, move, answers)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_two_worlds_that_differ_in_hidden_cards_look_the_same_through_the_swap_phase(players: int) -> None:
    rounds = 0
    for number in range(90 // players):
        rng = Random(number * 10 + players)
        for viewer in (None, *range(players)):
            words = f"players {players}, number {number}, viewer {viewer}"
            worlds = two_deals(players, viewer, rng, swap_rounds=1 + number % 2)
            rounds += play_side_by_side(worlds, viewer, rng, words)
    assert rounds > 200, f"only {rounds} events were compared"


def play_side_by_side(worlds: list[VonHerzenState], viewer: int | None, rng: Random, words: str) -> int:
    """Play the swap phase in both worlds; return how many events were compared."""
    compared = 0
    while worlds[0].phase.startswith("swap"):
        assert received(worlds[0], viewer) == received(worlds[1], viewer), words
        if viewer is not None:
            assert_probing_tells_nothing(worlds, viewer, rng, words)
        seat = worlds[0].turn
        move = careless(view_of(GAME, worlds[0], seat), rng)
        others = move if seat == viewer else same_looking(move, worlds[1], rng)
        facts = [facts_of(worlds[0], seat, move), facts_of(worlds[1], seat, others)]
        swapped = [fact for fact in facts[0] if isinstance(fact, VonHerzenCardsSwapped)]
        if any(viewer in (swap.giver, swap.partner) for swap in swapped):
            assert [encode(GAME.views.public_form(fact)) for fact in facts[0]] == [
                encode(GAME.views.public_form(fact)) for fact in facts[1]
            ], words
            return compared
        assert told(facts[0], viewer) == told(facts[1], viewer), (words, move, others)
        for index in (0, 1):
            for fact in facts[index]:
                worlds[index] = GAME.decider.evolve(worlds[index], fact)
        compared += 1
    assert received(worlds[0], viewer) == received(worlds[1], viewer), words
    return compared


def test_the_two_worlds_do_differ() -> None:
    """The comparison above is not one of equal things: seats that see more see the difference."""
    rng = Random(1)
    worlds = two_deals(4, 0, rng)
    assert received(worlds[0], 0) == received(worlds[1], 0)
    assert all(received(worlds[0], seat) != received(worlds[1], seat) for seat in (1, 2, 3))


# the table of V-73, moment by moment

HANDS = [
    "7C 8C 9C TC JC QC KC AC",
    "7S 8S 9S TS JS QS KS AS",
    "7H 8H 9H TH JH QH KH AH",
    "7D 8D 9D TD JD QD KD AD",
]
"""Every seat holds one suit, so a card tells its owner."""


def confided(state: VonHerzenState, seat: int, move: VonHerzenMove) -> dict[int, dict[str, object]]:
    """What each seat that is told more than everybody is told of the single fact of a move."""
    (fact,) = facts_of(state, seat, move)
    forms = {viewer: GAME.views.private_form(fact, viewer) for viewer in range(len(state.totals))}
    return {viewer: plain(form) for viewer, form in forms.items() if form is not None}


def public(state: VonHerzenState, seat: int, move: VonHerzenMove) -> dict[str, object]:
    (fact,) = facts_of(state, seat, move)
    form: dict[str, object] = plain(GAME.views.public_form(fact))
    return form


OFFERING = dealt(4, hands=HANDS)
OFFER = VonHerzenOffer(cards("9D 7D 8D"))
ANSWERING = after(OFFERING, (3, OFFER))
COUNTER = VonHerzenCounter(cards("8H 7H"))
TAKING = after(ANSWERING, (2, COUNTER))
AGREEING = after(TAKING, (1, VonHerzenLeave()), (0, VonHerzenLeave()))


def test_dealing_shows_every_seat_its_own_hand() -> None:
    state = GAME.decider.new(options_of(4), 4)
    first, deal = GAME.decider.start(state, stacked(0))
    state = GAME.decider.evolve(GAME.decider.evolve(state, first), deal)
    assert plain(GAME.views.public_form(deal)) == {
        "type": "round_dealt_public",
        "round": 1,
        "dealer": 0,
        "hand": 8,
        "stock": 0,
    }
    for seat in range(4):
        form = GAME.views.private_form(deal, seat)
        assert plain(form) == {"type": "round_dealt_private", "hand": list(state.hands[seat])}
        assert state.hands[seat] == in_canonical_order(state.hands[seat])


def test_an_offer_shows_its_cards_to_the_giver_alone() -> None:
    assert public(OFFERING, 3, OFFER) == {"type": "cards_offered_public", "giver": 3, "receiver": 2, "count": 3}
    assert confided(OFFERING, 3, OFFER) == {3: {"type": "cards_offered_private", "cards": ["7D", "8D", "9D"]}}


def test_a_swap_shows_both_sides_what_they_gave_and_got_and_nobody_else() -> None:
    move = VonHerzenAccept(cards("AH 7H KH"))
    assert public(ANSWERING, 2, move) == {
        "type": "cards_swapped_public",
        "giver": 3,
        "partner": 2,
        "kind": "accepted",
        "count": 3,
    }
    diamonds, hearts = ["7D", "8D", "9D"], ["7H", "KH", "AH"]
    assert confided(ANSWERING, 2, move) == {
        3: {"type": "cards_swapped_private", "gave": diamonds, "got": hearts},
        2: {"type": "cards_swapped_private", "gave": hearts, "got": diamonds},
    }


def test_a_counter_proposal_shows_its_cards_to_the_receiver_alone() -> None:
    assert public(ANSWERING, 2, COUNTER) == {"type": "offer_countered_public", "giver": 3, "receiver": 2, "count": 2}
    assert confided(ANSWERING, 2, COUNTER) == {2: {"type": "offer_countered_private", "cards": ["7H", "8H"]}}


def test_a_take_shows_the_bypassed_receiver_nothing() -> None:
    move = VonHerzenTake(cards("7S 8S AS"))
    told_to = confided(TAKING, 1, move)
    assert sorted(told_to) == [1, 3]
    assert told_to[1] == {"type": "cards_swapped_private", "gave": ["7S", "8S", "AS"], "got": ["7D", "8D", "9D"]}
    state = after(TAKING, (1, move))
    for seat in (0, 2):
        assert not any(card[1] in "SD" for card in named(state, seat))


def test_agreeing_shows_the_cards_that_went_over_and_not_those_that_returned() -> None:
    move = VonHerzenAgree(cards("9D 7D"))
    assert confided(AGREEING, 3, move) == {
        3: {"type": "cards_swapped_private", "gave": ["7D", "9D"], "got": ["7H", "8H"]},
        2: {"type": "cards_swapped_private", "gave": ["7H", "8H"], "got": ["7D", "9D"]},
    }
    state = after(AGREEING, (3, move))
    assert "8D" not in named(state, 2)
    for seat in (0, 1):
        assert not any(card[1] in "HD" for card in named(state, seat))


@pytest.mark.parametrize(
    ("state", "seat", "move"), [(ANSWERING, 2, VonHerzenDecline()), (AGREEING, 3, VonHerzenWithdraw())], ids=str
)
def test_declining_and_withdrawing_show_nobody_a_card(state: VonHerzenState, seat: int, move: VonHerzenMove) -> None:
    assert confided(state, seat, move) == {}
    state = after(state, (seat, move))
    for viewer in range(4):
        assert set(named(state, viewer)) == set(state.hands[viewer])


def named(state: VonHerzenState, viewer: int | None) -> set[Card]:
    """The cards that appear anywhere in what a viewer is sent of a state."""
    text = b" ".join(received(state, viewer)).decode()
    return {card for card in PACK if f'"{card}"' in text}


@pytest.mark.parametrize("state", [OFFERING, ANSWERING, TAKING, AGREEING], ids=["offer", "answer", "take", "agree"])
def test_while_cards_lie_face_down_everybody_sees_only_his_own(state: VonHerzenState) -> None:
    for viewer in range(4):
        assert named(state, viewer) == set(state.hands[viewer])
    assert named(state, None) == set()


def test_the_own_cards_on_the_table_are_shown_to_their_owner() -> None:
    private = [GAME.views.private_part(TAKING, seat) for seat in range(4)]
    assert [each.offered for each in private] == [(), (), (), cards("7D 8D 9D")]
    assert [each.countered for each in private] == [(), (), cards("7H 8H"), ()]
    assert [GAME.views.board(TAKING).hand_sizes, len(GAME.views.hand(TAKING, 3))] == [(8, 8, 8, 8), 8]


def test_cards_are_sent_in_a_fixed_order_whatever_the_order_of_choosing() -> None:
    offers = [facts_of(OFFERING, 3, VonHerzenOffer(cards(text))) for text in ("9D 7D 8D", "7D 8D 9D", "8D 9D 7D")]
    assert offers[0] == offers[1] == offers[2]
    answers = [facts_of(ANSWERING, 2, VonHerzenAccept(cards(text))) for text in ("AH 7H KH", "KH AH 7H")]
    assert answers[0] == answers[1]
    agreements = [facts_of(AGREEING, 3, VonHerzenAgree(cards(text))) for text in ("9D 7D", "7D 9D")]
    assert agreements[0] == agreements[1]


def test_legal_moves_are_sent_to_the_seat_that_may_make_them_alone() -> None:
    for state in (OFFERING, ANSWERING, TAKING, AGREEING):
        assert [bool(GAME.views.legal(state, seat)) for seat in range(4)] == [seat == state.turn for seat in range(4)]


# meld phase and end of the round


def test_a_card_from_the_stock_is_shown_to_who_draws_it_alone() -> None:
    state = dealt(5)
    for seat in (4, 3, 2, 1, 0):
        state = after(state, (seat, VonHerzenPassOffer()))
    top = state.stock[0]
    assert public(state, 1, VonHerzenDrawStock()) == {"type": "stock_drawn_public", "seat": 1}
    assert confided(state, 1, VonHerzenDrawStock()) == {1: {"type": "stock_drawn_private", "card": top}}
    for viewer in range(5):
        assert top not in named(state, viewer)
        assert (top in named(after(state, (1, VonHerzenDrawStock())), viewer)) == (viewer == 1)


def absent(state: VonHerzenState, chance: Chance) -> tuple[VonHerzenState, tuple[VonHerzenFact, ...]]:
    """The state and the facts of the move that ends the round, if everybody is absent."""
    number = state.round
    while True:
        facts = facts_of(state, state.turn, GAME.players.timeout_move(state, state.turn), chance)
        for fact in facts:
            state = GAME.decider.evolve(state, fact)
        if state.round > number:
            return state, facts


def test_the_end_of_a_round_shows_hands_and_stock_but_not_what_returned_unseen() -> None:
    # given: an offer that was declined, then nothing but absent players; five players, stock drawn up
    state = dealt(5)
    given: VonHerzenCards = state.hands[4][:3]
    state = after(state, (4, VonHerzenOffer(given)), (3, VonHerzenDecline()))
    state, facts = absent(state, chance_of(3))
    # then
    scored = plain(GAME.views.public_form(facts[-2]))
    assert scored["type"] == "round_scored"
    assert sorted([*(card for hand in scored["hands"] for card in hand), *scored["stock"]]) == sorted(PACK)
    assert set(scored) == {"type", "round", "ended", "hands", "stock", "scores", "totals"}
    assert all(hand == list(in_canonical_order(hand)) for hand in scored["hands"])
    assert state.swaps == ()
    assert state.swap is not None


def test_the_stock_is_shown_at_the_end_without_its_order() -> None:
    state = dealt(2)
    state = after(state, (1, VonHerzenPassOffer()), (0, VonHerzenPassOffer()))
    stock = (*sorted(state.stock[:-1], reverse=True), state.stock[-1])
    state = msgspec.structs.replace(state, stock=stock, phase="lay", idle_turns=3)
    facts = facts_of(state, 1, VonHerzenEndTurn())
    scored = plain(GAME.views.public_form(facts[1]))
    assert scored["stock"] == list(in_canonical_order(stock)) != list(stock)
