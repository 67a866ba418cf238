"""Overboard: options, moves, facts, state and views."""

from typing import Annotated, TypeAlias

from msgspec import Meta

from domain.cards import Card, CardText
from domain.decider import Seat
from domain.structs import Fact, Legal, Move, Value, tag_after

# bases; tags follow from class names, and whoever renames a class gives it its old tag


class OverboardMoveBase(Move, frozen=True, tag=tag_after("Overboard")):
    """Base of moves."""


class OverboardFactBase(Fact, frozen=True, tag=tag_after("Overboard")):
    """Base of facts and of their forms."""


class OverboardLegalBase(Legal, frozen=True, tag=tag_after("Overboard")):
    """Base of legal entries."""


# options


class OverboardOptions(Value, frozen=True):
    """All options of a table. O-9"""

    lives: Annotated[int, Meta(ge=1, le=3, description="Lives of each seat.")] = 2
    goal: Annotated[int, Meta(ge=15, le=31, description="Points that end a round at once.")] = 31


# moves


class OverboardSwap(OverboardMoveBase, frozen=True):
    """Give a card of one's hand for one of the raft."""

    give: CardText
    take: CardText


class OverboardSwapAll(OverboardMoveBase, frozen=True):
    """Give the whole hand for the whole raft."""


class OverboardStay(OverboardMoveBase, frozen=True):
    """Keep one's hand."""


OverboardMove: TypeAlias = OverboardSwap | OverboardSwapAll | OverboardStay


# facts


class OverboardPackDealt(OverboardFactBase, frozen=True):
    """The whole pack in dealing order: three cards for each seat aboard, then three for the raft. Secret."""

    round: int
    aboard: tuple[Seat, ...]
    starter: Seat
    order: tuple[Card, ...]


class OverboardCardSwapped(OverboardFactBase, frozen=True):
    """A seat gave a card for one of the raft."""

    seat: Seat
    give: Card
    take: Card


class OverboardHandSwapped(OverboardFactBase, frozen=True):
    """A seat gave its hand, which everybody sees now, for the raft."""

    seat: Seat
    cards: tuple[Card, ...]


class OverboardStayed(OverboardFactBase, frozen=True):
    """A seat kept its hand."""

    seat: Seat


class OverboardRoundScored(OverboardFactBase, frozen=True):
    """The round is over: all hands are shown, and some seats lost a life."""

    round: int
    hands: tuple[tuple[Card, ...], ...]
    lost: tuple[Seat, ...]


class OverboardMatchEnded(OverboardFactBase, frozen=True):
    """One seat is left aboard."""

    places: tuple[int, ...]


OverboardOpenFact: TypeAlias = (
    OverboardCardSwapped | OverboardHandSwapped | OverboardStayed | OverboardRoundScored | OverboardMatchEnded
)
OverboardFact: TypeAlias = OverboardOpenFact | OverboardPackDealt


# what others learn of facts


class OverboardRoundDealt(OverboardFactBase, frozen=True):
    """Public form of the deal."""

    round: int
    starter: Seat
    raft: tuple[Card, ...]


class OverboardHandDealt(OverboardFactBase, frozen=True):
    """What a seat aboard learns of the deal."""

    cards: tuple[Card, ...]


OverboardPublicFact: TypeAlias = OverboardOpenFact | OverboardRoundDealt
OverboardPrivateFact: TypeAlias = OverboardHandDealt


# state


class OverboardState(Value, frozen=True):
    """The whole state."""

    options: OverboardOptions
    lives: tuple[int, ...]
    places: tuple[int | None, ...]
    """Of seats that are out; None while they play."""
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


class OverboardBoard(Value, frozen=True):
    """What everybody may know."""

    turn: Seat | None
    starter: Seat
    raft: tuple[Card, ...]
    lives: tuple[int, ...]
    hand_sizes: tuple[int, ...]
    last_hands: tuple[tuple[Card, ...], ...]


class OverboardPrivate(Value, frozen=True):
    """What only the seat may know beyond its hand: what it is worth."""

    value: int


class OverboardLegalSwap(OverboardLegalBase, frozen=True):
    """Any of these may be given for any of those."""

    give: tuple[Card, ...]
    take: tuple[Card, ...]


OverboardLegal: TypeAlias = OverboardLegalSwap | OverboardSwapAll | OverboardStay
