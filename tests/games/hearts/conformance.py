"""What the conformance suite needs to know of Hearts."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random

import msgspec

from domain.cards import Card, in_canonical_order, pack
from domain.games.hearts.deal import FIRST_CARD
from domain.games.hearts.model import (
    HeartsCardsExchanged,
    HeartsLegal,
    HeartsLegalPass,
    HeartsMove,
    HeartsPass,
    HeartsPlay,
    HeartsState,
)
from tests.conformance.zones import EVERYBODY, Zone, hidden_cards
from tests.games.hearts import make_corpus
from tests.games.hearts.corpus.comparison import difference

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({}, None),
    ({"target_score": 50}, 3),
    ({"target_score": 1}, 5),
    ({"variant": "spot", "target_score": 300}, 4),
    ({"black_maria": True, "target_score": 60}, 3),
    ({"omnibus": True, "moon_rule": "subtract_from_own", "target_score": 60}, None),
    ({"variant": "spot", "players": 3, "moon_rule": "subtract_from_own", "target_score": 200}, 3),
    ({"variant": "spot", "players": 5, "black_maria": True, "moon_rule": "none", "omnibus": True}, None),
    ({"variant": "standard", "players": 5, "moon_rule": "add_to_others", "omnibus": True, "target_score": 60}, None),
    ({"variant": "spot", "players": 4, "black_maria": True, "omnibus": False, "target_score": 400}, None),
]

FACTS_THAT_REVEAL = (HeartsCardsExchanged,)

HISTORY = ("last_trick",)
SHORT = ({"target_score": 20, "omnibus": True}, None)

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "standard": ({}, None),
    "spot_omnibus_three": ({"variant": "spot", "omnibus": True, "moon_rule": "subtract_from_own"}, 3),
    "black_maria_five": ({"black_maria": True, "target_score": 80}, 5),
}


def candidates(state: HeartsState, seat: int) -> Iterator[HeartsMove]:
    """Every card, whoever has it, names of no card, every pass of the own hand and wrong passes."""
    for card in (*pack(), "QX", "1S", "", "qs", "QS#1"):
        yield HeartsPlay(card)
    hand = state.hands[seat]
    for cards in combinations(hand, 3):
        yield HeartsPass(cards)
    for count in (0, 1, 2, 4, 13):
        yield HeartsPass(hand[:count])
    if hand:
        yield HeartsPass(hand[2::-1])
        yield HeartsPass((hand[0], hand[0], hand[-1]))
    for other in range(len(state.hands)):
        yield HeartsPass(state.hands[other][:3])
        yield HeartsPass((*hand[:2], *state.hands[other][-1:]))
        yield HeartsPass(state.passes[other])
    yield HeartsPass((*hand[:2], "XX"))


def listed(legal: tuple[HeartsLegal, ...], hand: tuple[Card, ...]) -> Iterable[HeartsMove]:
    """All moves that these entries allow; a pass once, in canonical order."""
    for entry in legal:
        if isinstance(entry, HeartsLegalPass):
            yield from (HeartsPass(cards) for cards in combinations(entry.cards, entry.count))
        else:
            yield from (HeartsPlay(card) for card in entry.cards)


def shown(move: HeartsMove) -> object:
    """A pass is face down: all look the same."""
    return "pass" if isinstance(move, HeartsPass) else move


def zones(state: HeartsState) -> list[Zone]:
    """Hands, the running trick and the completed ones; a committed card is still in its hand.

    Whoever passed a card to a hand knows it there. In play everybody knows who had the two of clubs: it is that
    seat's turn first.
    """
    taken = [card for trick in state.tricks for card in trick.cards]
    found = [Zone((*state.trick, *taken), EVERYBODY)]
    for holder, hand in enumerate(state.hands):
        for card in hand:
            givers = [giver for giver, cards in enumerate(state.passes) if card in cards]
            led_first = card == FIRST_CARD and state.phase == "playing"
            found.append(Zone((card,), EVERYBODY if led_first else (holder, *givers)))
    return found


def compared(seed: int) -> Iterator[str | None]:
    """Rounds of OpenSpiel's hearts; `make_corpus --check N --seed S` compares the same ones."""
    for number, recorded in enumerate(make_corpus.rounds(2**31, seed)):
        found = difference(recorded)
        yield found and f"make_corpus --check {number + 1} --seed {seed} ({recorded.kind}): {found}"


def permute_hidden(state: HeartsState, seat: int | None, rng: Random) -> HeartsState:
    """Exchange hidden cards between the other hands, and choose other hidden passes.

    The two of clubs stays where it is: whoever has it leads, and that is public. No seat gets a card
    of a suit that it has shown not to hold.
    """
    voids = shown_voids(state)
    hidden = [card for card in hidden_cards(zones(state), seat) if card != FIRST_CARD]
    owner = {card: other for other, hand in enumerate(state.hands) for card in hand}
    for _ in range(3 * len(hidden)):
        one, two = rng.choice(hidden), rng.choice(hidden)
        if one[1] not in voids[owner[two]] and two[1] not in voids[owner[one]]:
            owner[one], owner[two] = owner[two], owner[one]
    hands = tuple(
        in_canonical_order(card for card, holder in owner.items() if holder == other)
        for other in range(len(state.hands))
    )
    moved = msgspec.structs.replace(state, hands=hands)
    return msgspec.structs.replace(moved, passes=_other_passes(moved, state, seat, rng))


def shown_voids(state: HeartsState) -> list[set[str]]:
    """The suits that each seat has shown not to hold, by not following."""
    voids: list[set[str]] = [set() for _ in state.hands]
    runs = [(trick.leader, trick.cards) for trick in state.tricks]
    for leader, cards in [*runs, (state.leader, state.trick)]:
        for place, card in enumerate(cards):
            if card[1] != cards[0][1]:
                voids[(leader + place) % len(voids)].add(cards[0][1])
    return voids


def _other_passes(
    moved: HeartsState, state: HeartsState, viewer: int | None, rng: Random
) -> tuple[tuple[Card, ...], ...]:
    seats = len(state.hands)
    played = [(trick.leader, trick.cards) for trick in state.tricks] + [(state.leader, state.trick)]
    passes = []
    for giver, cards in enumerate(state.passes):
        receiver = (giver + state.offset) % seats
        known = giver == viewer or (receiver == viewer and state.phase != "passing")
        if not cards or known:
            passes.append(cards)
            continue
        holder = giver if state.phase == "passing" else receiver
        pool = [*moved.hands[holder]]
        pool += [trick[(holder - leader) % seats] for leader, trick in played if (holder - leader) % seats < len(trick)]
        kept = [card for card in cards if card == FIRST_CARD]
        own = moved.passes[holder] if holder != giver else ()
        free = [card for card in pool if card != FIRST_CARD and card not in own]
        passes.append(in_canonical_order(kept + rng.sample(free, len(cards) - len(kept))))
    return tuple(passes)
