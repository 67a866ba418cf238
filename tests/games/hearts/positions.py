"""Positions, decks and whole matches for the tests of Hearts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import msgspec

from domain.cards import Card, in_canonical_order
from domain.decider import Chance, OptionProblem, Rejection, SeatView, view_of
from domain.fairness import MatchChance
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsBoard,
    HeartsFact,
    HeartsLegal,
    HeartsMove,
    HeartsOptions,
    HeartsPrivate,
    HeartsState,
    HeartsTrick,
)
from domain.games.hearts.values import penalties
from tests.games import given
from tests.games.given import Stacked

View = SeatView[HeartsOptions, HeartsBoard, HeartsPrivate, HeartsLegal]

_SHORT: dict[str, dict[str, object]] = {
    "-": {},
    "BM": {"black_maria": True},
    "OM": {"omnibus": True},
    "SPOT": {"variant": "spot"},
}

TABLES: tuple[dict[str, object], ...] = tuple(
    {"variant": variant, "players": players, "omnibus": omnibus, **moon}
    for variant in ("standard", "spot")
    for players in (3, 4, 5)
    for omnibus in (False, True)
    for moon in (
        {"black_maria": False, "moon_rule": "add_to_others"},
        {"black_maria": False, "moon_rule": "subtract_from_own"},
        {"black_maria": True, "moon_rule": "none"},
    )
)
"""The 36 tables of H-6, without their targets."""


def options(short: str = "-", **given: object) -> HeartsOptions:
    """Return options from abbreviations such as `SPOT BM` and values by name."""
    raw: dict[str, object] = {}
    for word in short.split():
        raw |= _SHORT[word]
    return table_of(raw | given)


def table_of(raw: dict[str, object]) -> HeartsOptions:
    """Return the options of raw ones that must be right."""
    parsed = HEARTS_1.options.parse(raw, None)
    assert not isinstance(parsed, OptionProblem), parsed
    return parsed


def chance(seed: int = 0) -> MatchChance:
    """Return the chance of a match that follows from a number."""
    return MatchChance(seed.to_bytes(32, "big"))


def evolved(state: HeartsState, facts: Sequence[HeartsFact]) -> HeartsState:
    """Return the state after these facts."""
    after: HeartsState = given.folded(HEARTS_1, state, facts)
    return after


def accepted(
    state: HeartsState, seat: int, move: HeartsMove, by: Chance | None = None
) -> tuple[tuple[HeartsFact, ...], HeartsState]:
    """Return the facts of a move that must be accepted, and the state after it."""
    return given.accepted(HEARTS_1, state, seat, move, by)


def rejected(state: HeartsState, seat: int, move: HeartsMove) -> Rejection:
    """Return why a move is refused; it must be."""
    return given.refused(HEARTS_1, state, seat, move)


def dealt(order: Sequence[Card], table: HeartsOptions, *, round_number: int = 1) -> HeartsState:
    """Return the state after the deal of a round from a known deck order."""
    before = msgspec.structs.replace(HEARTS_1.decider.new(table, table.players), round=round_number - 1)
    return evolved(before, HEARTS_1.decider.start(before, Stacked({round_number: order})))


def deck_giving(hand: Sequence[Card], seat: int, seats: int) -> tuple[Card, ...]:
    """Return a deck order that deals this hand to a seat."""
    mine, others = iter(hand), iter([card for card in PACK[seats] if card not in hand])
    return tuple(next(mine if place % seats == seat else others) for place in range(len(PACK[seats])))


def playing(
    table: HeartsOptions, *, seat: int, hand: str, trick: str, number: int, broken: bool, taken: str = ""
) -> HeartsState:
    """Return a state in which `seat` is to play to trick `number` and holds `hand`.

    The tricks before went to the seats in turn and are filled with other cards: with the cards of
    `taken`, and with hearts only if they are broken.
    """
    seats = table.players
    cards, played = hand.split(), trick.split()
    others = [card for card in PACK[seats] if card not in cards and card not in played]
    before = [*taken.split(), *(card for card in others if card[1] == "H" and broken)][: seats * (number - 1)]
    before += [card for card in others if card[1] != "H" and card not in before][: seats * (number - 1) - len(before)]
    left = iter([card for card in others if card not in before])
    leader = (seat - len(played)) % seats
    hands = [
        cards if other == seat else [next(left) for _ in range(len(cards) - ((other - leader) % seats < len(played)))]
        for other in range(seats)
    ]
    assert next(left, None) is None
    tricks = tuple(
        HeartsTrick(leader, tuple(before[start : start + seats]), start // seats % seats)
        for start in range(0, len(before), seats)
    )
    return msgspec.structs.replace(
        HEARTS_1.decider.new(table, seats),
        phase="playing",
        round=seats,
        passes=((),) * seats,
        hands=tuple(in_canonical_order(held) for held in hands),
        leader=leader,
        trick=tuple(played),
        broken=broken,
        tricks=tricks,
        points=tuple(
            sum(penalties(table).get(card, 0) for done in tricks if done.winner == other for card in done.cards)
            for other in range(seats)
        ),
    )


@dataclass(frozen=True)
class Step:
    """One accepted move of a match, or its start (seat and move are None)."""

    seat: int | None
    move: HeartsMove | None
    before: HeartsState
    facts: tuple[HeartsFact, ...]
    after: HeartsState


Mover = Callable[[View, Random], HeartsMove]


def by_sample(view: View, rng: Random) -> HeartsMove:
    """Move like a client that picks any legal move."""
    return HEARTS_1.players.sample(view, rng.randrange)


def by_bot(view: View, rng: Random) -> HeartsMove:
    """Move like the bot."""
    return HEARTS_1.players.bot(view, rng.getrandbits(63))


def steps(table: HeartsOptions, seed: int, mover: Mover = by_sample) -> Iterator[Step]:
    """Play a match to its end; seats that may commit a pass do so in any order."""
    rng, by = Random(seed), chance(seed)
    before = HEARTS_1.decider.new(table, table.players)
    facts = HEARTS_1.decider.start(before, by)
    state = evolved(before, facts)
    yield Step(None, None, before, facts, state)
    while seats := HEARTS_1.decider.to_act(state):
        seat = rng.choice(seats)
        move = mover(view_of(HEARTS_1, state, seat), rng)
        facts, after = accepted(state, seat, move, by)
        yield Step(seat, move, state, facts, after)
        state = after
