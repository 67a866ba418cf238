"""What `legal` offers, with and without drafts, and the answers to questions about a hand."""

import pytest

from domain.decider import Rejection, SeatView, view_of
from domain.explain import every_choice
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.advice import answer
from domain.games.romme.bot import View, sample
from domain.games.romme.facts import RommeMeldPrepared, RommePrivateStream
from domain.games.romme.model import (
    RommeLayOffPlace,
    RommeLegalDiscard,
    RommeLegalDrawPile,
    RommeLegalLay,
    RommeLegalLayOff,
    RommeLegalSwapJoker,
    RommeMelds,
    RommePartition,
    RommeReadings,
    RommeState,
    RommeSwap,
)
from domain.games.romme.moves import (
    RommeAskMelds,
    RommeAskPartition,
    RommeAskReadings,
    RommeDiscard,
    RommeDrawStock,
    RommeLay,
)
from domain.games.romme.offers import listed_moves
from domain.games.romme.rules import legal
from tests.games.romme.positions import after, cards, code, position, prepare, privately


def faces(melds: object) -> list[str]:
    assert isinstance(melds, tuple)
    return [" ".join(card.face or card.card[:2] for card in meld.meld.cards) for meld in melds]


def preparable(state: RommeState, own: RommePrivateStream) -> list[str]:
    """Return the faces of what may be prepared. Each is accepted as it is."""
    found = private_stream.private(state, 0, own).preparable
    for one in found:
        facts = private_stream.decide(state, 0, own, one.draft)
        assert not isinstance(facts, Rejection)
        (fact,) = facts
        assert isinstance(fact, RommeMeldPrepared)
        assert (fact.kind, fact.points) == (one.kind, one.points)
    return [" ".join(card.face or card.card[:2] for card in one.draft.cards) for one in found]


def test_draws_are_listed_as_far_as_they_are_open() -> None:
    assert legal(position("4D", phase="draw", pile="9C"), 0) == (RommeDrawStock(), RommeLegalDrawPile("9C#1"))
    assert legal(position("4D", phase="draw", discard_draw="after_out"), 0) == (RommeDrawStock(),)
    assert legal(position("4D", phase="draw"), 1) == ()


def test_the_starter_may_discard_any_card() -> None:
    state = position("4D 5D JK#1", phase="opening")
    assert legal(state, 0) == (RommeLegalDiscard(("4D#1", "5D#1", "JK#1")),)


def test_before_coming_out_a_lay_is_offered_only_if_it_reaches_the_minimum() -> None:
    low = position("7H 7S 7C 2D 3S", drawn="3S")
    assert [type(entry) for entry in legal(low, 0)] == [RommeLegalDiscard]
    enough = position("7H 7S 7C QH KH JK#1 3S", drawn="3S")
    lay, discard = legal(enough, 0)
    assert isinstance(lay, RommeLegalLay)
    assert (lay.need, lay.drafted) == (30, False)
    assert sum(meld.points for meld in lay.best) >= 30
    assert faces(lay.alone) == ["QH KH AH", "JH QH KH"], "each of these is enough"
    assert isinstance(discard, RommeLegalDiscard)
    for move in listed_moves(lay):
        assert code(enough, move) == "ok"


def test_single_cards_are_offered_with_their_places() -> None:
    state = position("8H 7D JK#2 7H#2 KC", melds=["5H 6H JK#1=7H", "7C 7S 7H"], out=True, joker_swap=True)
    found = {type(entry): entry for entry in legal(state, 0)}
    lay_off = found[RommeLegalLayOff]
    assert isinstance(lay_off, RommeLegalLayOff)
    assert set(lay_off.places) == {
        RommeLayOffPlace("m1", "8H#1"),
        RommeLayOffPlace("m1", "JK#2", "4H"),
        RommeLayOffPlace("m1", "JK#2", "8H"),
        RommeLayOffPlace("m2", "7D#1"),
        RommeLayOffPlace("m2", "JK#2", "7D"),
    }
    assert found[RommeLegalSwapJoker] == RommeLegalSwapJoker((RommeSwap("m1", "JK#1", "7H#2"),))


def test_an_ace_that_fits_at_both_ends_is_offered_twice() -> None:
    state = position("AS 2D KC", melds=["2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"], out=True)
    places = [entry.places for entry in legal(state, 0) if isinstance(entry, RommeLegalLayOff)]
    assert places == [(RommeLayOffPlace("m1", "AS#1", None, "high"), RommeLayOffPlace("m1", "AS#1", None, "low"))]


FULL_OF_JOKERS = "5H 6H JK#1=7H JK#2=8H"
TOGETHER: list[tuple[str, str, str | None, list[str]]] = [
    # hand, meld, just-taken card, what is offered together
    ("JK#3 TH 2C", FULL_OF_JOKERS, None, ["JK#3=9H TH#1"]),
    ("JK#3 TH 3H 2C", FULL_OF_JOKERS, None, ["JK#3=9H TH#1", "JK#3=4H 3H#1"]),
    ("JK#3 JK#4 JH QH 2C", FULL_OF_JOKERS, None, ["JK#3=9H JK#4=TH JH#1 QH#1"]),
    ("JK#3 AH 2C", "3H 4H JK#1=5H JK#2=6H", None, ["JK#3=2H AH#1"]),
    ("JK#3 JK#4 JH 2C", FULL_OF_JOKERS, None, []),
    ("JK#3 TH#1 TH#2", FULL_OF_JOKERS, "TH#2", ["JK#3=9H TH#2"]),
    ("JK#3 JK#4 TH", FULL_OF_JOKERS, "JK#4", ["JK#4=9H TH#1"]),
    ("JK#3 TH", FULL_OF_JOKERS, None, []),
    ("JK#3 TH 2C", "5H 6H JK#1=7H", None, []),
    ("JK#3 7D 2C", "7C 7S JK#1=7H JK#2=7D", None, []),
]


@pytest.mark.parametrize(("hand", "meld", "taken", "expected"), TOGETHER)
def test_a_joker_that_is_taken_only_along_with_real_cards_is_offered_with_them(
    hand: str, meld: str, taken: str | None, expected: list[str]
) -> None:
    state = position(hand, melds=[meld], out=True, taken=taken)
    moves = [move for entry in legal(state, 0) if isinstance(entry, RommeLegalLayOff) for move in entry.together]
    found = [" ".join(f"{one.card}={one.face}" if one.face else one.card for one in move.cards) for move in moves]
    assert found == expected
    assert [code(state, move) for move in moves] == ["ok"] * len(moves)
    assert {move for entry in legal(state, 0) for move in listed_moves(entry)} >= set(moves)


def test_nothing_is_offered_that_would_leave_no_discard() -> None:
    state = position("8H 9H", melds=["5H 6H 7H"], out=True, taken="9H")
    assert legal(state, 0) == (RommeLegalDiscard(("8H#1",)),)


def test_the_samples_reach_every_listed_move() -> None:
    state = position("8H 7D JK#2 7H#2 KC", melds=["5H 6H JK#1=7H", "7C 7S 7H"], out=True, joker_swap=True)
    listed = [move for entry in legal(state, 0) for move in listed_moves(entry)]
    reached = list(every_choice(lambda choose: sample(view_of(ROMME_1, state, 0), choose), 100))
    assert reached == listed
    assert len(listed) > 10


# with drafts


def test_drafts_are_offered_to_be_laid_or_taken_back_and_block_the_discard() -> None:
    state = position("7H 7S 7C QH KH AH 2C 2S 2D 3S", drawn="3S")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"))
    found = {type(entry): entry for entry in private_stream.legal(state, 0, own)}
    assert set(found) == {RommeLegalLay}
    lay = found[RommeLegalLay]
    assert isinstance(lay, RommeLegalLay)
    assert not lay.drafted, "21 points are too few"
    assert preparable(state, own) == ["QH KH AH", "2C 2S 2D"], "without the reserved cards"
    own = privately(state, own, prepare("QH KH AH"))
    lay, *_ = private_stream.legal(state, 0, own)
    assert isinstance(lay, RommeLegalLay)
    assert lay.drafted
    assert RommeLay() in listed_moves(lay)


def test_without_drafts_the_same_is_offered_as_by_the_table_and_melds_to_prepare() -> None:
    state = position("7H 7S 7C 2D 3S", drawn="3S")
    assert private_stream.legal(state, 0, private_stream.new()) == legal(state, 0)
    assert preparable(state, private_stream.new()) == ["7C 7S 7H"]


def test_where_drafts_stand_against_every_move_there_is_no_sample() -> None:
    state = position("7H 7S 7C 2D", drawn="2D")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"))
    view: View = SeatView(
        seat=0,
        options=state.options,
        board=ROMME_1.views.board(state),
        hand=state.hands[0],
        legal=private_stream.legal(state, 0, own),
        private=private_stream.private(state, 0, own),
    )
    with pytest.raises(ValueError, match="taken back"):
        sample(view, range(1).index)


# questions


def asked(state: RommeState, text: str, meld: str | None = None) -> list[str]:
    found = answer(state, 0, RommeAskReadings(cards(text), meld))
    assert isinstance(found, RommeReadings), found
    return faces(found.readings)


def test_bare_cards_are_read_as_every_meld_they_can_be() -> None:
    state = position("QH KH JK#1 7C 7S 2D")
    assert asked(state, "QH KH JK#1") == ["JH QH KH", "QH KH AH"]
    assert asked(state, "7C 7S JK#1") == ["7C 7S 7H", "7C 7S 7D"]
    assert asked(state, "7C 2D JK#1") == []


def test_bare_cards_are_read_as_additions_to_a_meld() -> None:
    state = position("8H JK#1 7C 2D", melds=["5H 6H 7H"], out=True)
    assert asked(state, "JK#1", "m1") == ["4H", "8H"]
    assert asked(state, "8H JK#1", "m1") == ["8H 4H", "8H 9H"]
    assert asked(state, "7C", "m1") == []


def test_questions_are_answered_about_cards_that_are_held() -> None:
    state = position("8H JK#1 7C 2D", melds=["5H 6H 7H"])
    codes = [
        (RommeAskReadings(("KD#1",)), "card_not_in_hand"),
        (RommeAskReadings(("8H#1", "8H#1")), "duplicate_card"),
        (RommeAskReadings(("8H",)), "invalid_card"),
        (RommeAskReadings(("8H#1",), "m7"), "unknown_meld"),
    ]
    for question, expected in codes:
        found = answer(state, 0, question)
        assert isinstance(found, Rejection)
        assert found.code == expected
    over = after(position("4D", out=True), RommeDiscard("4D#1"))
    assert answer(over, 1, RommeAskPartition()) == Rejection("wrong_phase", "R-54")


def test_the_best_split_is_told_also_to_seats_that_wait() -> None:
    state = position("4D", others=["7H 7S 7C QH KH JK#1 3S"])
    found = answer(state, 1, RommeAskPartition())
    assert isinstance(found, RommePartition)
    assert (faces(found.melds), found.points, found.left) == (["7C 7S 7H", "QH KH AH"], 52, ("3S#1",))
    assert sum(meld.points for meld in found.first_lay) == 52
    melds = answer(state, 1, RommeAskMelds())
    assert isinstance(melds, RommeMelds)
    assert faces(melds.melds)[:2] == ["QH KH AH", "JH QH KH"]
