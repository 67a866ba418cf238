"""The computer player: allowed moves from the view alone, and sensible ones (Z-47)."""

from random import Random

import pytest

from domain.decider import view_of
from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.imagination import RANK_MASK, SUIT_MASK, Imagination, hidden_cards, impossible_cards, mask
from domain.games.herzeln.model import HerzelnMove, HerzelnPassed, HerzelnPlace, HerzelnPlay, HerzelnState, HerzelnTrick
from domain.games.herzeln.order import PACKS
from domain.games.herzeln.rules import to_act
from domain.games.herzeln.views import board, hand
from tests.games.herzeln.tables import after, at_layout, at_tricks, cards, match, options


def choice(state: HerzelnState, seat: int, seed: int) -> HerzelnMove:
    """Return the bot's move."""
    return HERZELN_1.players.bot(view_of(HERZELN_1, state, seat), seed)


@pytest.mark.parametrize("players", [3, 4])
def test_bots_play_a_match_to_its_end_with_allowed_moves(players: int) -> None:
    *_, (state, _, _, facts) = match(options(players), seed=players, mover=lambda state, seat: choice(state, seat, 1))

    assert HERZELN_1.decider.outcome(after(state, facts)) is not None


def test_the_same_view_and_seed_give_the_same_move() -> None:
    for number, (state, seat, _, _) in enumerate(match(options(4), seed=4)):
        if seat is not None and number % 9 == 0:
            assert choice(state, seat, 2**63 - 1) == choice(state, seat, 2**63 - 1)


def test_imagined_deals_agree_with_everything_that_was_seen() -> None:
    for number, (state, seat, _, _) in enumerate(match(options(4), seed=5)):
        if seat is None or number % 5:
            continue
        seen = board(state)
        impossible = impossible_cards(seen)
        imagined = Imagination(seen, hand(state, seat), seat, Random(number).random).deal()
        assert [cards_of.bit_count() for cards_of in imagined] == list(seen.hand_sizes)
        assert imagined[seat] == mask(hand(state, seat))
        assert sum(imagined) == sum(hidden_cards(seen, hand(state, seat))) + mask(hand(state, seat))
        assert not any(held & never for held, never in zip(imagined, impossible, strict=True))


def test_what_a_seat_did_not_follow_or_passed_on_it_cannot_hold() -> None:
    taken = HerzelnTrick(1, cards("AC 8C 7H KC"), 1, 0)
    tricks = at_tricks(1, {0: "7C"}, leader=1, trick="8D 9D 9S", taken=(taken,))
    passed = HerzelnPassed(0)
    layout = after(at_layout("JS QD", {0: "7H", 1: "KD 9D"}), [passed])

    assert impossible_cards(board(tricks)) == [0, 0, 0, SUIT_MASK["C"] | SUIT_MASK["D"]]
    assert impossible_cards(board(layout)) == [RANK_MASK["K"] | RANK_MASK["9"], 0, 0, 0]


CLUBLESS = {
    "queen": "AS KS QS 7S 8H 9H 7D 8D",
    "king": "AS 8S 7S KH 7H 7D 8D 9D",
    "hearts": "AS 8S 7S AH 7H 7D 8D 9D",
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("contract", "trick", "held", "wanted"),
    [
        # what costs points is thrown into somebody else's trick
        (1, "AC 9C 7C", CLUBLESS["hearts"], "AH"),
        (4, "AC 9C 7C", CLUBLESS["queen"], "QS"),
        (5, "AC 9C 7C", CLUBLESS["king"], "KH"),
        # or put under a higher card
        (1, "AH 9H 8H", "KH 7H 7C 8C 7S 8S 7D 8D", "KH"),
        (4, "AS 9S 8S", "QS 7S 7C 8C 7H 8H 7D 8D", "QS"),
        # an unwanted trick is left to others, a wanted one is taken as cheaply as possible
        (3, "QC 9C 8C", "JC AC AS TS AH TH AD TD", "JC"),
        (2, "QC 9C 8C", "7C KC AC 7S 8S 7H 8H 7D", "KC"),
        # sure tricks are led if tricks are wanted, dangerous cards are not if they are unwanted
        (2, "", "AC TC KC QC 7S 7H 8H 7D", "AC TC KC QC"),
        (3, "", "7C QC JS 8S TH 9H KD 8D", "7C JS 8S 9H 8D"),
        (5, "", "7C QC JS 8S TH 9H KD 8D", "7C QC JS 8S 9H KD 8D"),
        (7, "", "7C QC JS 8S TH 9H KD 8D", "QC JS TH KD"),
    ],
)
def test_the_bot_avoids_or_collects_as_the_contract_asks(
    contract: int, trick: str, held: str, wanted: str, seed: int
) -> None:
    state = first_trick(contract, trick, held)

    move = choice(state, to_act(state)[0], seed)
    assert isinstance(move, HerzelnPlay)
    assert move.card in cards(wanted)


def first_trick(contract: int, trick: str, held: str) -> HerzelnState:
    """Return a state in the first trick: seat 3 holds `held` and is to play, the others what is left."""
    played = cards(trick)
    rest = [card for card in PACKS[4] if card not in played and card not in cards(held)]
    hands = {3: held}
    for seat in range(3):
        count = 7 if played else 8
        hands[seat] = " ".join(rest[seat * count : (seat + 1) * count])
    return at_tricks(contract, hands, leader=0 if played else 3, trick=trick)


@pytest.mark.parametrize("seed", range(5))
def test_the_bot_keeps_its_exits_in_the_layout(seed: int) -> None:
    """It places the king: nobody else has a nine, so that end waits for it."""
    line = "JC QC KC TC AC 7C 8C 9C JS QS KS TS AS 7S 8S 9S JH QH"
    state = at_layout(line, {0: "KH 9H 9D", 1: "JD QD KD TD", 2: "AH AD 7H 7D", 3: "8H 8D TH"})

    assert choice(state, 0, seed) == HerzelnPlace("KH", "up")


@pytest.mark.parametrize("players", [3, 4])
def test_the_bot_is_clearly_better_than_random_players(players: int) -> None:
    random = Random(players)

    def mover(state: HerzelnState, seat: int) -> HerzelnMove:
        view = view_of(HERZELN_1, state, seat)
        return (
            HERZELN_1.players.bot(view, random.getrandbits(63))
            if seat == 0
            else HERZELN_1.players.sample(view, random.randrange)
        )

    lead = 0
    for seed in range(8):
        *_, (state, _, _, facts) = match(options(players), seed, mover)
        totals = after(state, facts).totals
        lead += totals[0] - max(totals[1:])

    assert lead > 0
