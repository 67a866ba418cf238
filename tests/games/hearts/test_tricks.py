"""Tricks: worked cases 13.4, H-29 to H-32."""

import msgspec
import pytest

from domain.cards import in_canonical_order
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import HeartsPlay, HeartsState, HeartsTrick, HeartsTrickTaken
from tests.games.hearts.positions import accepted, options

Case = tuple[int, int, str, int, tuple[int, int, int, int]]

CASES: dict[str, Case] = {
    # id: players, leader, cards, winner, points: standard, spot, standard BM, spot BM
    "HC-T-1": (4, 0, "9D JD QH 3D", 1, (1, 12, 1, 12)),
    "HC-T-2": (4, 2, "TS QS KS AS", 1, (13, 25, 30, 42)),
    "HC-T-3": (4, 3, "2H AH KH QH", 0, (4, 41, 4, 41)),
    "HC-T-4": (5, 4, "5C 9H QS TH 4C", 4, (15, 44, 15, 44)),
    "HC-T-5": (3, 1, "8S AD AH", 1, (1, 14, 1, 14)),
    "HC-T-6": (4, 0, "JD 2D JH QS", 0, (14, 36, 14, 36)),
    "HC-T-7": (4, 1, "2C AC KS 9C", 2, (0, 0, 10, 10)),
}
TABLES = ("-", "SPOT", "BM", "SPOT BM")
EARLIER = HeartsTrick(0, ("2C", "3C", "4C"), 2)


def last_to_play(short: str, players: int, leader: int, cards: list[str]) -> HeartsState:
    """A state in which only the last card of the trick is missing; more tricks follow."""
    seat = (leader - 1) % players
    others = [card for card in PACK[players] if card not in cards and card[1] != cards[0][1]]
    hands = [others[other : other + 1] for other in range(players)]
    hands[seat] = [others[seat], cards[-1]]
    return msgspec.structs.replace(
        HEARTS_1.decider.new(options(short, players=players), players),
        phase="playing",
        round=1,
        hands=tuple(in_canonical_order(hand) for hand in hands),
        leader=leader,
        trick=tuple(cards[:-1]),
        tricks=(EARLIER,),
    )


@pytest.mark.parametrize("short", TABLES)
@pytest.mark.parametrize("case", CASES)
def test_the_highest_card_of_the_suit_led_takes_the_trick(case: str, short: str) -> None:
    players, leader, text, winner, points = CASES[case]
    cards = text.split()
    seat = (leader - 1) % players
    facts, after = accepted(last_to_play(short, players, leader, cards), seat, HeartsPlay(cards[-1]))
    value = points[TABLES.index(short)]
    assert facts[1:] == (HeartsTrickTaken(winner, value, 0),)
    assert after.tricks == (EARLIER, HeartsTrick(leader, tuple(cards), winner))
    assert after.points[winner] == sum(after.points) == value
    assert HEARTS_1.decider.to_act(after) == (winner,)
    assert after.trick == ()


def test_with_omnibus_the_jack_of_diamonds_is_a_bonus_beside_the_points() -> None:
    _, leader, text, winner, _ = CASES["HC-T-6"]
    facts, after = accepted(last_to_play("OM", 4, leader, text.split()), 3, HeartsPlay("QS"))
    assert facts[1] == HeartsTrickTaken(winner, 14, -10)
    assert after.bonus == (-10, 0, 0, 0)
