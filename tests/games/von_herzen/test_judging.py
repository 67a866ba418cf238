"""Why a move is refused: every code with its rule, and which check comes first (V-76)."""

import msgspec
import pytest
from msgspec.structs import replace

from domain.games.von_herzen.model import VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLeave,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.rules import timeout_move
from tests.games.von_herzen.play import GAME
from tests.games.von_herzen.positions import after, cards, dealt, melding, refused

HANDS = [
    "7C 8C 9C TC JC QC KC AC",
    "7S 8S 9S TS JS QS KS AS",
    "7H 8H 9H TH JH QH KH AH",
    "7D 8D 9D TD JD QD KD AD",
]
"""Dealer 0; P3 gives first, to P2; then P1 and P0 are asked."""

OFFERING = dealt(4, hands=HANDS)
ANSWERING = after(OFFERING, (3, VonHerzenOffer(cards("7D 8D 9D"))))
TAKING = after(ANSWERING, (2, VonHerzenCounter(cards("7H 8H"))))
AGREEING = after(TAKING, (1, VonHerzenLeave()), (0, VonHerzenLeave()))
SECOND = after(ANSWERING, (2, VonHerzenDecline()))
"""P2 gives."""
DRAWING = melding(HANDS[:3], turn=1, phase="draw", pile="9D TD", stock="7D 8D")
PILE_ONLY = melding(HANDS[:3], turn=1, phase="draw", pile="9D TD")
STOCK_ONLY = melding(HANDS[:3], turn=1, phase="draw", stock="9D TD")
LAYING = melding(
    ["7C 8C", "TH JH 8S 9S 7D KC QD JC TS TD", "7S 9C"],
    turn=1,
    turn_number=4,
    melds=[(0, "7H 8H 9H"), (1, "QS KS AS"), (1, "9D TC JD QH"), (2, "7C 8C 9C TC JC QC KC AC")],
)
NOT_OUT = replace(LAYING, melds=(LAYING.melds[0],))
CLOSING = replace(LAYING, phase="closing", turn_number=1, out=1, turn=2)
OVER = replace(LAYING, phase="over")
BEFORE = GAME.decider.new(OFFERING.options, 4)

ROWS: list[tuple[str, VonHerzenState, int, VonHerzenMove, str, str]] = [
    # checks 1 to 3
    ("over", OVER, 1, VonHerzenEndTurn(), "match_over", "V-70"),
    ("over comes before the seat", OVER, 9, VonHerzenEndTurn(), "match_over", "V-70"),
    ("over comes before the phase", OVER, 1, VonHerzenPassOffer(), "match_over", "V-70"),
    ("no seat", LAYING, 3, VonHerzenEndTurn(), "not_seated", "V-1"),
    ("no seat comes before the phase", LAYING, -1, VonHerzenPassOffer(), "not_seated", "V-1"),
    ("meld move in the swap phase", OFFERING, 3, VonHerzenEndTurn(), "wrong_phase", "V-9"),
    ("swap move in the meld phase", LAYING, 1, VonHerzenPassOffer(), "wrong_phase", "V-9"),
    ("the phase comes before the turn", LAYING, 0, VonHerzenPassOffer(), "wrong_phase", "V-9"),
    ("not dealt yet", BEFORE, 0, VonHerzenEndTurn(), "wrong_phase", "V-9"),
    ("not dealt yet either", BEFORE, 0, VonHerzenPassOffer(), "wrong_phase", "V-9"),
    # check 4, swap moves
    ("turn: offer", OFFERING, 0, VonHerzenOffer(("7C",)), "not_your_turn", "V-11"),
    ("turn: pass", ANSWERING, 3, VonHerzenPassOffer(), "not_your_turn", "V-11"),
    ("turn: accept", ANSWERING, 1, VonHerzenAccept(cards("7S 8S 9S")), "not_your_turn", "V-14"),
    ("turn: counter", TAKING, 2, VonHerzenCounter(("7H",)), "not_your_turn", "V-14"),
    ("turn: decline", OFFERING, 2, VonHerzenDecline(), "not_your_turn", "V-14"),
    ("turn: take before a counter-proposal", ANSWERING, 1, VonHerzenTake(()), "not_your_turn", "V-22"),
    ("turn: take out of order", TAKING, 0, VonHerzenTake(()), "not_your_turn", "V-17"),
    ("turn: take too late", AGREEING, 1, VonHerzenTake(()), "not_your_turn", "V-17"),
    ("turn: leave after a decline", SECOND, 1, VonHerzenLeave(), "not_your_turn", "V-22"),
    ("turn: agree", AGREEING, 2, VonHerzenAgree(()), "not_your_turn", "V-20"),
    ("turn: withdraw", AGREEING, 2, VonHerzenWithdraw(), "not_your_turn", "V-20"),
    ("turn: withdraw while others are asked", TAKING, 3, VonHerzenWithdraw(), "not_your_turn", "V-19"),
    ("the turn comes before the cards", OFFERING, 0, VonHerzenOffer(("XX",)), "not_your_turn", "V-11"),
    # check 4, meld moves
    ("turn: whose turn ended last", LAYING, 0, VonHerzenDiscard("7C"), "not_your_turn", "V-53"),
    ("turn: somebody else", LAYING, 2, VonHerzenDiscard("7S"), "not_your_turn", "V-28"),
    ("turn: nobody had a turn", replace(LAYING, turn_number=0), 0, VonHerzenEndTurn(), "not_your_turn", "V-28"),
    ("turn: closing, ended last", CLOSING, 1, VonHerzenEndTurn(), "not_your_turn", "V-53"),
    ("turn: closing, somebody else", CLOSING, 0, VonHerzenEndTurn(), "not_your_turn", "V-55"),
    # check 5
    ("step: offer while answering", ANSWERING, 2, VonHerzenOffer(("7H",)), "wrong_step", "V-11"),
    ("step: accept while offering", OFFERING, 3, VonHerzenAccept(("7D",)), "wrong_step", "V-14"),
    ("step: take while answering", ANSWERING, 2, VonHerzenTake(()), "wrong_step", "V-22"),
    ("step: take while agreeing", AGREEING, 3, VonHerzenTake(()), "wrong_step", "V-17"),
    ("step: agree while offering", OFFERING, 3, VonHerzenAgree(()), "wrong_step", "V-20"),
    ("step: withdraw while offering", OFFERING, 3, VonHerzenWithdraw(), "wrong_step", "V-19"),
    ("step: discard before drawing", DRAWING, 1, VonHerzenDiscard("7S"), "wrong_step", "V-29"),
    ("step: end before drawing", DRAWING, 1, VonHerzenEndTurn(), "wrong_step", "V-29"),
    ("step: draw twice", LAYING, 1, VonHerzenDrawStock(), "wrong_step", "V-28"),
    ("step: draw from the pile twice", LAYING, 1, VonHerzenDrawPile("XX"), "wrong_step", "V-28"),
    ("step: discard while closing", CLOSING, 2, VonHerzenDiscard("XX"), "wrong_step", "V-56"),
    # checks 6 to 9, swap moves
    ("no card: offer", OFFERING, 3, VonHerzenOffer(("2D",)), "invalid_card", "V-2"),
    ("no card comes before the count", ANSWERING, 2, VonHerzenAccept(("JK",)), "invalid_card", "V-2"),
    ("count: offer", OFFERING, 3, VonHerzenOffer(()), "wrong_card_count", "V-12"),
    ("count: accept", ANSWERING, 2, VonHerzenAccept(cards("7H 8H")), "wrong_card_count", "V-15"),
    ("count: counter", ANSWERING, 2, VonHerzenCounter(cards("7H 8H 9H")), "wrong_card_count", "V-16"),
    ("count: counter of none", ANSWERING, 2, VonHerzenCounter(()), "wrong_card_count", "V-16"),
    ("count: take", TAKING, 1, VonHerzenTake(cards("7S 8S")), "wrong_card_count", "V-18"),
    ("count: agree", AGREEING, 3, VonHerzenAgree(cards("7D 8D 9D")), "wrong_card_count", "V-21"),
    ("count comes before doubles", ANSWERING, 2, VonHerzenAccept(cards("7H 7H")), "wrong_card_count", "V-15"),
    ("twice: offer", OFFERING, 3, VonHerzenOffer(cards("7D 7D")), "duplicate_card", "V-2"),
    ("twice comes before the hand", OFFERING, 3, VonHerzenOffer(cards("7C 7C")), "duplicate_card", "V-2"),
    ("twice: agree", AGREEING, 3, VonHerzenAgree(cards("TD TD")), "duplicate_card", "V-2"),
    ("not offered", AGREEING, 3, VonHerzenAgree(cards("7D TD")), "card_not_offered", "V-21"),
    ("not offered nor held", AGREEING, 3, VonHerzenAgree(cards("7D 7C")), "card_not_offered", "V-21"),
    ("not held: offer", OFFERING, 3, VonHerzenOffer(cards("7D 7C")), "card_not_in_hand", "V-12"),
    ("not held: accept", ANSWERING, 2, VonHerzenAccept(cards("7H 8H 7D")), "card_not_in_hand", "V-15"),
    ("not held: counter", ANSWERING, 2, VonHerzenCounter(cards("7D")), "card_not_in_hand", "V-16"),
    ("not held: take", TAKING, 1, VonHerzenTake(cards("7S 8S 7D")), "card_not_in_hand", "V-18"),
    # checks 6 to 12, drawing
    ("no stock", PILE_ONLY, 1, VonHerzenDrawStock(), "stock_empty", "V-30"),
    ("no card: pile", STOCK_ONLY, 1, VonHerzenDrawPile("XX"), "invalid_card", "V-2"),
    ("no pile", STOCK_ONLY, 1, VonHerzenDrawPile("9D"), "pile_empty", "V-30"),
    ("not in the pile", DRAWING, 1, VonHerzenDrawPile("8D"), "card_not_in_pile", "V-30"),
    ("own card not in the pile", DRAWING, 1, VonHerzenDrawPile("7S"), "card_not_in_pile", "V-30"),
    ("not on top", DRAWING, 1, VonHerzenDrawPile("9D"), "not_top_of_pile", "V-32"),
    # checks 6 to 14, laying
    ("no card: lay", LAYING, 1, VonHerzenLay(cards("TH JH XX")), "invalid_card", "V-2"),
    ("twice: lay", LAYING, 1, VonHerzenLay(cards("TH TH")), "duplicate_card", "V-2"),
    ("twice comes before the hand: lay", LAYING, 1, VonHerzenLay(cards("7S 7S")), "duplicate_card", "V-2"),
    ("not held: lay", LAYING, 1, VonHerzenLay(cards("7S 8S")), "card_not_in_hand", "V-35"),
    ("nothing laid", LAYING, 1, VonHerzenLay(()), "run_too_short", "V-36"),
    ("too short", LAYING, 1, VonHerzenLay(cards("TH TD")), "run_too_short", "V-36"),
    ("rank twice comes before the order", LAYING, 1, VonHerzenLay(cards("JH TH TD")), "rank_twice", "V-41"),
    ("the order comes before jokers", LAYING, 1, VonHerzenLay(cards("JC TH 9S 8S")), "not_in_sequence", "V-36"),
    ("two jokers", LAYING, 1, VonHerzenLay(cards("9S TH JH QD KC")), "two_jokers", "V-37"),
    ("too few real cards", LAYING, 1, VonHerzenLay(cards("TH JC QD")), "too_few_real_cards", "V-39"),
    # checks 6 to 16, laying off
    ("no card: lay off", NOT_OUT, 1, VonHerzenLayOff("XX", 0, "up"), "invalid_card", "V-2"),
    ("not held: lay off", NOT_OUT, 1, VonHerzenLayOff("7S", 0, "up"), "card_not_in_hand", "V-35"),
    ("not out comes before the run", NOT_OUT, 1, VonHerzenLayOff("TH", 7, "up"), "not_out", "V-43"),
    ("unknown run", LAYING, 1, VonHerzenLayOff("TH", 4, "up"), "unknown_run", "V-44"),
    ("closed comes before the rank", LAYING, 1, VonHerzenLayOff("TS", 3, "up"), "run_closed", "V-49"),
    ("does not fit", LAYING, 1, VonHerzenLayOff("JH", 0, "up"), "card_does_not_fit", "V-44"),
    ("does not fit at this end", LAYING, 1, VonHerzenLayOff("TH", 0, "down"), "card_does_not_fit", "V-44"),
    ("does not fit on the own run", LAYING, 1, VonHerzenLayOff("TS", 1, "down"), "card_does_not_fit", "V-45"),
    ("joker on another's run", LAYING, 1, VonHerzenLayOff("TS", 0, "up"), "joker_on_foreign_run", "V-44"),
    ("second joker", LAYING, 1, VonHerzenLayOff("KC", 2, "up"), "two_jokers", "V-37"),
    (
        "no jokers later",
        replace(LAYING, options=replace(LAYING.options, own_joker_layoff=False)),
        1,
        VonHerzenLayOff("7D", 1, "up"),
        "joker_layoff_off",
        "V-46",
    ),
    (
        "a second joker is one with the option off too",
        replace(LAYING, options=replace(LAYING.options, own_joker_layoff=False)),
        1,
        VonHerzenLayOff("KC", 2, "up"),
        "two_jokers",
        "V-37",
    ),
    # checks 6 and 9, discarding
    ("no card: discard", LAYING, 1, VonHerzenDiscard("XX"), "invalid_card", "V-2"),
    ("not held: discard", LAYING, 1, VonHerzenDiscard("7S"), "card_not_in_hand", "V-52"),
]


@pytest.mark.parametrize(
    ("state", "seat", "move", "code", "rule"), [pytest.param(*row, id=name) for name, *row in ROWS]
)
def test_the_first_check_that_fails_is_reported(
    state: VonHerzenState, seat: int, move: VonHerzenMove, code: str, rule: str
) -> None:
    assert refused(state, seat, move) == (code, rule)


def test_every_code_is_given_by_some_move() -> None:
    assert {row[4] for row in ROWS} == set(GAME.rejections)


def test_the_rulebook_has_every_number_once_and_in_order() -> None:
    assert [rule.number for rule in GAME.rules] == [f"V-{number}" for number in range(1, 80)]
    assert {row[5] for row in ROWS} <= {rule.number for rule in GAME.rules}


@pytest.mark.parametrize(
    "move",
    [
        {"type": "lay_off", "card": "7S", "run": 0, "end": "left"},
        {"type": "lay_off", "card": "7S", "run": 0},
        {"type": "lay_off", "card": "7S", "run": -1, "end": "up"},
        {"type": "lay_off", "card": "7S", "run": "0", "end": "up"},
        {"type": "discard"},
        {"type": "discard", "card": "7S", "seat": 1},
        {"type": "discard", "card": "7S" * 20},
        {"type": "offer", "cards": ["7S"] * 65},
        {"type": "offer", "cards": [7]},
        {"type": "meld", "cards": []},
        {},
    ],
    ids=str,
)
def test_what_is_no_move_is_malformed(move: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(move, GAME.types.move)


@pytest.mark.parametrize(
    ("state", "move"),
    [
        (OFFERING, VonHerzenPassOffer()),
        (ANSWERING, VonHerzenDecline()),
        (TAKING, VonHerzenLeave()),
        (AGREEING, VonHerzenWithdraw()),
        (DRAWING, VonHerzenDrawStock()),
        (PILE_ONLY, VonHerzenDrawPile("TD")),
        (replace(PILE_ONLY, options=replace(PILE_ONLY.options, pile_pick="any")), VonHerzenDrawPile("TD")),
        (LAYING, VonHerzenEndTurn()),
        (CLOSING, VonHerzenEndTurn()),
    ],
    ids=["offer", "answer", "take", "agree", "stock", "pile", "any of the pile", "lay", "closing"],
)
def test_the_move_for_an_absent_player_is_neutral(state: VonHerzenState, move: VonHerzenMove) -> None:
    assert timeout_move(state, state.turn) == move  # V-78
    after(state, (state.turn, move))
