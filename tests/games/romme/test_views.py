"""Order of the hand and who sees what: worked cases W-129 to W-140."""

import msgspec
import pytest

from domain.decider import Rejection
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.facts import RommeCardDrawn, RommeHandArranged, RommePileDrawn, RommeStockDrawn
from domain.games.romme.model import RommeBoard, RommePrivate
from domain.games.romme.moves import (
    RommeArrangeHand,
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommeMoveCard,
    RommePrivateMove,
    RommeSortHand,
    RommeSwapJoker,
    RommeTakeBack,
)
from domain.games.romme.rules import start
from domain.games.romme.views import board, private_form, public_form
from tests.games.romme.positions import (
    CHANCE,
    accepted,
    after,
    before,
    cards,
    folded,
    lay,
    position,
    prepare,
    privately,
    rejected,
)

HAND = "JK#1 AH#1 2C#2 TS#1 2C#1 7D#1"
BY_SUIT = "2C#1 2C#2 TS#1 AH#1 7D#1 JK#1"


def order_after(*moves: RommePrivateMove) -> str:
    state = position(HAND)
    return " ".join(private_stream.hand(state, 0, privately(state, private_stream.new(), *moves)))


def test_w_129_sorted_by_suit() -> None:
    assert order_after(RommeSortHand("suit")) == BY_SUIT


def test_w_130_sorted_by_rank() -> None:
    assert order_after(RommeSortHand("rank")) == "2C#1 2C#2 7D#1 TS#1 AH#1 JK#1"


def test_w_131_a_new_card_is_not_sorted_in() -> None:
    state = position(HAND, phase="draw", pile="3C#1")
    own = privately(state, private_stream.new(), RommeSortHand("suit"))
    state = after(state, RommeDrawPile())
    assert private_stream.hand(state, 0, own) == cards(f"{BY_SUIT} 3C#1")
    assert state.hands[0] == cards(f"{HAND} 3C#1"), "the table keeps the order of arrival"


def test_w_132_a_card_is_moved_to_a_place() -> None:
    assert order_after(RommeMoveCard("7D#1", 0)) == "7D#1 JK#1 AH#1 2C#2 TS#1 2C#1"
    assert order_after(RommeMoveCard("JK#1", 5)) == "AH#1 2C#2 TS#1 2C#1 7D#1 JK#1"
    assert order_after(RommeMoveCard("AH#1", 1)) == HAND


@pytest.mark.parametrize(
    "arranged",
    [HAND[5:], f"{HAND[:-4]}8D#1", f"{HAND} JK#1", f"{HAND[:-4]}JK#1"],
    ids=["five ids", "a card that has left", "a card too many", "a card twice"],
)
def test_w_133_only_an_order_of_the_present_hand_is_taken(arranged: str) -> None:
    state = position(HAND)
    answer = private_stream.decide(state, 0, private_stream.new(), RommeArrangeHand(cards(arranged)))
    assert answer == Rejection("order_stale", "R-81")


def test_the_whole_order_can_be_set() -> None:
    assert order_after(RommeArrangeHand(cards(BY_SUIT)), RommeMoveCard("JK#1", 0)) == f"JK#1 {BY_SUIT[:-5]}"


MISPLACED = [
    (RommeMoveCard("7D#1", 6), "order_stale"),
    (RommeMoveCard("7D#1", -1), "order_stale"),
    (RommeMoveCard("8D#1", 99), "card_not_in_hand"),
    (RommeMoveCard("8X#1", 0), "invalid_card"),
    (RommeArrangeHand(("7D",)), "invalid_card"),
]


@pytest.mark.parametrize(("move", "code"), MISPLACED)
def test_orders_that_cannot_be_are_refused(move: RommePrivateMove, code: str) -> None:
    answer = private_stream.decide(position(HAND), 0, private_stream.new(), move)
    assert isinstance(answer, Rejection)
    assert answer.code == code


def test_w_134_a_hand_is_arranged_while_others_are_on_turn_and_nobody_notices() -> None:
    state = position("4D 5D", others=[HAND])
    before_it = msgspec.json.encode(state)
    facts = private_stream.decide(state, 1, private_stream.new(), RommeSortHand("rank"))
    assert facts == (RommeHandArranged(9, cards("2C#1 2C#2 7D#1 TS#1 AH#1 JK#1")),)
    assert msgspec.json.encode(state) == before_it, "the table's stream gets no event"


def test_cards_that_left_and_come_back_are_new_cards() -> None:
    state = position(f"7H#2 {HAND}", melds=["5H 6H JK#2=7H"], out=True, joker_swap=True, phase="draw", pile="JK#3")
    own = privately(state, private_stream.new(), RommeSortHand("suit"))
    state = after(state, RommeDrawPile())
    own = privately(state, own, RommeMoveCard("JK#3", 0))
    state = after(state, RommeSwapJoker("m1", "JK#2", "7H#2"))
    assert private_stream.hand(state, 0, own) == cards("JK#3 2C#1 2C#2 TS#1 AH#1 7D#1 JK#1 JK#2")
    own = privately(state, own, RommeMoveCard("JK#2", 0))
    assert private_stream.hand(state, 0, own)[0] == "JK#2"


def test_an_order_does_not_outlive_its_round() -> None:
    state = position("4D", out=True, others=[HAND], seats=2)
    own = privately(state, private_stream.new(), RommeSortHand("rank"), seat=1)
    _, state = accepted(state, RommeDiscard("4D#1"))
    state = folded(state, start(state, CHANCE))
    assert private_stream.hand(state, 1, own) == state.hands[1]


# who sees what


def test_w_135_a_card_from_the_stock_is_seen_by_its_seat_alone() -> None:
    state = position("4D 5D", phase="draw")
    facts, changed = accepted(state, RommeDrawStock())
    (fact,) = facts
    assert isinstance(fact, RommeCardDrawn)
    assert public_form(fact) == RommeStockDrawn(0)
    assert private_form(fact, 0) == fact
    assert private_form(fact, 1) is None
    assert board(changed).hand_sizes[0] == board(state).hand_sizes[0] + 1
    assert board(changed).stock_size == board(state).stock_size - 1
    assert fact.card.encode() not in msgspec.json.encode(board(changed))
    assert ROMME_1.views.private_part(changed, 0).drawn == fact.card
    assert ROMME_1.views.private_part(changed, 1).drawn is None


def test_w_136_a_card_from_the_pile_is_seen_by_all() -> None:
    state = position("4D 5D", phase="draw", pile="9C#2")
    facts, changed = accepted(state, RommeDrawPile())
    (fact,) = facts
    assert public_form(fact) == fact == RommePileDrawn(0, "9C#2")
    assert board(changed).taken == "9C#2"
    assert board(changed).shown[0] == ("9C#2",)
    later = after(changed, RommeDiscard("4D#1"))
    assert (board(later).taken, board(later).shown[0]) == (None, ("9C#2",)), "everybody saw it go to the hand"


def test_w_137_what_is_prepared_and_taken_back_is_seen_by_nobody_else() -> None:
    state = position("7H 7S 7C 2C 2S 2D QH KH AH 4D 5S 6C 8D TC")
    seen = msgspec.json.encode(board(state))
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"), prepare("2C 2S 2D"), prepare("QH KH AH"))
    assert len(private_stream.private(state, 0, own).drafts) == 3
    assert (private_stream.private(state, 0, own).points, private_stream.private(state, 0, own).missing) == (58, 0)
    own = privately(state, own, RommeTakeBack("p2"), RommeTakeBack())
    assert private_stream.open_drafts(state, 0, own) == ()
    assert private_stream.decide(state, 0, own, RommeTakeBack()) == Rejection("unknown_draft", "R-40")
    assert msgspec.json.encode(board(state)) == seen
    assert board(state).hand_sizes[0] == 14


def test_w_138_a_refusal_leaves_nothing_that_others_could_see() -> None:
    state = position("7H 7S 7C 4D 5D")
    seen = msgspec.json.encode(board(state))
    answer = rejected(state, lay("7H 7S 7C"))
    assert answer == Rejection("first_meld_too_low", "R-33", have=21, need=30)
    assert msgspec.json.encode(board(state)) == seen


def test_w_139_a_spectator_sees_the_table_and_no_hidden_card() -> None:
    state = position("7H#2 4D 5D", melds=["5H 6H JK#1=7H"], out=True, pile="9C#2", totals=(3, 4, 5))
    seen = board(state)
    assert isinstance(seen, RommeBoard)
    assert (seen.melds, seen.pile_top, seen.hands) == (state.melds, "9C#2", None)
    assert (seen.hand_sizes, seen.stock_size) == ((3, 13, 13), state.stock_size)
    data = msgspec.json.encode(seen)
    hidden = [card for hand in state.hands for card in hand] + list(state.stock) + list(state.pile[:-1])
    assert not [card for card in hidden if f'"{card}"'.encode() in data]


def test_w_140_when_the_round_is_over_all_hands_are_open_and_stay_as_they_are() -> None:
    state = position("4D", out=True, others=["KS 2C JK#1"], seats=2)
    assert board(state).hands is None
    _, state = accepted(state, RommeDiscard("4D#1"))
    seen = board(state)
    assert seen.hands == ((), ("2C#1", "KS#1", "JK#1")), "in an order that tells nothing"
    ended = seen.score_sheet[-1]
    assert (ended.values, ended.points, state.totals) == ((0, 32), (0, 32), (0, 32))
    assert ([row.points for row in seen.score_sheet], seen.turn) == ([(0, 32)], None)
    for move in (RommeSortHand("suit"), RommeMoveCard("KS#1", 0), RommeArrangeHand(("KS#1",))):
        assert private_stream.decide(state, 1, private_stream.new(), move) == Rejection("wrong_phase", "R-54")


def test_a_deal_tells_each_seat_its_own_hand_in_order() -> None:
    facts = start(before(), CHANCE)
    state = folded(before(), facts)
    dealt = facts[1]
    for seat in range(3):
        confided = private_form(dealt, seat)
        assert confided is not None
        assert msgspec.to_builtins(confided) == {"type": "hand_dealt", "cards": state.hands[seat]}
    public = msgspec.to_builtins(public_form(dealt))
    assert public == {"type": "hands_dealt", "counts": board(state).hand_sizes, "stock_count": 70}


def test_before_the_first_deal_there_is_nothing_private() -> None:
    assert ROMME_1.views.private_part(before(), 0) == RommePrivate(None, (), (), 0, 30)
    assert board(before()).round_options is None
