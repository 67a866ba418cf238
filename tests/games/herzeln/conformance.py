"""What the conformance suite needs to know of Herzeln."""

from collections.abc import Iterable
from itertools import combinations
from random import Random

from msgspec.structs import replace

from domain.games.herzeln.model import (
    HerzelnLayout,
    HerzelnMove,
    HerzelnPass,
    HerzelnPlace,
    HerzelnPlay,
    HerzelnRoundScored,
    HerzelnState,
    HerzelnTricks,
)
from domain.games.herzeln.order import PACKS, in_hand_order
from tests.conformance.zones import EVERYBODY, Zone, hidden_cards

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({"players": 4}, None),
    ({"players": 3, "stop_when_decided": True}, None),
    ({"match_length": "series_per_player", "stop_when_decided": True}, 4),
    ({"players": 3, "match_length": "series_per_player", "stop_when_decided": False}, 3),
    ({"players": 4, "match_length": "one_series", "stop_when_decided": True}, 4),
    ({}, 3),
]
"""Every number of players and both values of every option."""

FACTS_THAT_REVEAL = (HerzelnRoundScored,)
HISTORY = ("left", "last_trick")

SHORT = ({"players": 3}, None)

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "three_players": ({"players": 3}, None),
    "four_players": ({}, 4),
    "four_players_stop_when_decided": ({"stop_when_decided": True}, 4),
    "three_players_series_per_player": ({"match_length": "series_per_player", "stop_when_decided": True}, 3),
}


# cards


def zones(state: HerzelnState) -> list[Zone]:
    """Hands, known to all once the round is scored, and tricks or the line."""
    now = state.round
    if now is None:
        return []
    scored = len(state.score_sheet) >= now.number
    held = [Zone(hand, EVERYBODY if scored else (seat,)) for seat, hand in enumerate(now.hands)]
    if isinstance(now, HerzelnTricks):
        return [*held, Zone((*now.trick, *(card for trick in now.taken for card in trick.cards)), EVERYBODY)]
    return [*held, Zone(now.line, EVERYBODY)]


def permute_hidden(state: HerzelnState, seat: int | None, rng: Random) -> HerzelnState:
    """Exchange cards between the other hands, so that nobody gets what he has shown not to hold."""
    if not hidden_cards(zones(state), seat):
        return state
    now = state.round
    assert now is not None
    hands = [list(hand) for hand in now.hands]
    missing = _missing(now)
    others = [other for other, hand in enumerate(hands) if hand and other != seat]
    for one, other in combinations(others, 2):
        for _ in range(8):
            first, second = rng.randrange(len(hands[one])), rng.randrange(len(hands[other]))
            given, got = hands[one][first], hands[other][second]
            if not missing[one] & set(got) and not missing[other] & set(given):
                hands[one][first], hands[other][second] = got, given
    return replace(state, round=replace(now, hands=tuple(map(in_hand_order, hands))))


def _missing(now: HerzelnTricks | HerzelnLayout) -> list[set[str]]:
    """Return for each seat the suits it did not follow, or the ranks it passed on."""
    missing: list[set[str]] = [set() for _ in now.hands]
    if isinstance(now, HerzelnLayout):
        for forced in now.passes:
            missing[forced.seat].update(forced.asked)
        return missing
    for leader, played in [*((trick.leader, trick.cards) for trick in now.taken), (now.leader, now.trick)]:
        for place, card in enumerate(played):
            if card[1] != played[0][1]:
                missing[(leader + place) % len(missing)].add(played[0][1])
    return missing


# moves


def candidates(state: HerzelnState, seat: int) -> Iterable[HerzelnMove]:
    """Every card of the larger pack, made-up cards too, played and placed at every end; and a pass."""
    yield HerzelnPass()
    for card in (*PACKS[4], "2C", "10H", "ah", "A", "JK#1", ""):
        yield HerzelnPlay(card)
        yield HerzelnPlace(card, "open")
        yield HerzelnPlace(card, "up")
        yield HerzelnPlace(card, "down")
