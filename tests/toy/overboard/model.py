"""Overboard: options, moves, facts, state and views."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card
from domain.decider import Seat

CardText: TypeAlias = Annotated[str, Meta(max_length=8, description="A card, rank then suit.", examples=["QS"])]


# options


class OverboardOptions(Struct, frozen=True):
    """All options of a table."""

    lives: int
    goal: int


# moves


class OverboardSwap(Struct, frozen=True, tag_field="type", tag="swap", forbid_unknown_fields=True):
    """Give a card of one's hand for one of the raft."""

    give: CardText
    take: CardText


class OverboardSwapAll(Struct, frozen=True, tag_field="type", tag="swap_all", forbid_unknown_fields=True):
    """Give the whole hand for the whole raft."""


class OverboardStay(Struct, frozen=True, tag_field="type", tag="stay", forbid_unknown_fields=True):
    """Keep one's hand."""


OverboardMove: TypeAlias = OverboardSwap | OverboardSwapAll | OverboardStay


# facts


class OverboardPackDealt(Struct, frozen=True, tag_field="type", tag="pack_dealt"):
    """The whole pack in dealing order: three cards for each seat aboard, then three for the raft. Secret."""

    round: int
    aboard: tuple[Seat, ...]
    starter: Seat
    order: tuple[Card, ...]


class OverboardCardSwapped(Struct, frozen=True, tag_field="type", tag="card_swapped"):
    """A seat gave a card for one of the raft."""

    seat: Seat
    give: Card
    take: Card


class OverboardHandSwapped(Struct, frozen=True, tag_field="type", tag="hand_swapped"):
    """A seat gave its hand, which everybody sees now, for the raft."""

    seat: Seat
    cards: tuple[Card, ...]


class OverboardStayed(Struct, frozen=True, tag_field="type", tag="stayed"):
    """A seat kept its hand."""

    seat: Seat


class OverboardRoundScored(Struct, frozen=True, tag_field="type", tag="round_scored"):
    """The round is over: all hands are shown, and some seats lost a life."""

    round: int
    hands: tuple[tuple[Card, ...], ...]
    lost: tuple[Seat, ...]


class OverboardMatchEnded(Struct, frozen=True, tag_field="type", tag="match_ended"):
    """One seat is left aboard."""

    places: tuple[int, ...]


OverboardOpenFact: TypeAlias = (
    OverboardCardSwapped | OverboardHandSwapped | OverboardStayed | OverboardRoundScored | OverboardMatchEnded
)
OverboardFact: TypeAlias = OverboardOpenFact | OverboardPackDealt


# what others learn of facts


class OverboardRoundDealt(Struct, frozen=True, tag_field="type", tag="round_dealt"):
    """Public form of the deal."""

    round: int
    starter: Seat
    raft: tuple[Card, ...]


class OverboardHandDealt(Struct, frozen=True, tag_field="type", tag="hand_dealt"):
    """What a seat aboard learns of the deal."""

    cards: tuple[Card, ...]


OverboardPublicFact: TypeAlias = OverboardOpenFact | OverboardRoundDealt
OverboardPrivateFact: TypeAlias = OverboardHandDealt


# state


class OverboardState(Struct, frozen=True):
    """The whole state."""

    options: OverboardOptions
    lives: tuple[int, ...]
    places: tuple[int | None, ...]
    """Of seats overboard; None while they are aboard."""
    round: int = 0
    starter: Seat = 0
    turn: Seat | None = None
    turns: int = 0
    """Turns taken in this round."""
    stays: int = 0
    """Turns since somebody swapped."""
    hands: tuple[tuple[Card, ...], ...] = ()
    """Empty between rounds."""
    raft: tuple[Card, ...] = ()
    rest: tuple[Card, ...] = ()
    taken: tuple[Card, ...] = ()
    """Cards that were taken from the raft in this round."""
    last_hands: tuple[tuple[Card, ...], ...] = ()
    """As the last finished round ended."""


# views


class OverboardBoard(Struct, frozen=True):
    """What everybody may know."""

    turn: Seat | None
    starter: Seat
    raft: tuple[Card, ...]
    lives: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    last_hands: tuple[tuple[Card, ...], ...]


class OverboardPrivate(Struct, frozen=True):
    """What only the seat may know beyond its hand: what it is worth."""

    value: int


class OverboardLegalSwap(Struct, frozen=True, tag_field="type", tag="swap"):
    """Any of these may be given for any of those."""

    give: tuple[Card, ...]
    take: tuple[Card, ...]


OverboardLegal: TypeAlias = OverboardLegalSwap | OverboardSwapAll | OverboardStay
