"""What can have happened: complete facts, their public and private forms, and facts of the private stream."""

from typing import TypeAlias

from domain.cards import Card
from domain.decider import Seat
from domain.games.romme.model import (
    RommeEndReason,
    RommeMeld,
    RommeMeldKind,
    RommeOptions,
    RommeOptionValue,
    RommeSlot,
)
from domain.structs import Fact, Value, tag_after

# facts


class RommeFactBase(Fact, frozen=True, tag=tag_after("Romme")):
    """Base of facts and of their forms: tags follow from class names."""


class RommeRoundStarted(RommeFactBase, frozen=True):
    """A round begins under these options."""

    round: int
    starter: Seat
    options: RommeOptions


class RommePackDealt(RommeFactBase, frozen=True):
    """The cards were dealt. Secret: the order of the pack; card k went to seat starter + k (R-9)."""

    starter: Seat
    seats: int
    order: tuple[Card, ...]


class RommeCardDrawn(RommeFactBase, frozen=True):
    """The top card of the stock was drawn. Secret from others: which card it was."""

    seat: Seat
    card: Card


class RommePileDrawn(RommeFactBase, frozen=True):
    """The top card of the pile was taken."""

    seat: Seat
    card: Card


class RommeMeldsLaid(RommeFactBase, frozen=True):
    """New melds lie on the table."""

    seat: Seat
    melds: tuple[RommeMeld, ...]
    points: int
    """Their sum."""
    came_out: bool
    """It was the first laying of this seat in the round."""


class RommeCardsLaidOff(RommeFactBase, frozen=True):
    """Cards were added to a meld."""

    seat: Seat
    meld: str
    cards: tuple[Card, ...]
    slots: tuple[RommeSlot, ...]
    """The whole meld afterwards."""


class RommeJokerSwapped(RommeFactBase, frozen=True):
    """A real card took the place of a joker, which went to the hand."""

    seat: Seat
    meld: str
    joker: Card
    card: Card


class RommeCardDiscarded(RommeFactBase, frozen=True):
    """A card was put on the pile; the turn is over."""

    seat: Seat
    card: Card


class RommeStockEmptied(RommeFactBase, frozen=True):
    """A turn ended with an empty stock."""

    count: int
    """How many times this has happened in this round, 1 to 4."""


class RommeStockShuffled(RommeFactBase, frozen=True):
    """The pile but its top card became the new stock. Secret: its order, the top card first (R-57)."""

    count: int
    order: tuple[Card, ...]


class RommeRoundEnded(RommeFactBase, frozen=True):
    """The round was counted; every list is by seat."""

    round: int
    reason: RommeEndReason
    winners: tuple[Seat, ...]
    hand_romme: bool
    hands: tuple[tuple[Card, ...], ...]
    """The cards left, in canonical order, so that the order tells nothing (R-64, R-78)."""
    values: tuple[int, ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


class RommeMatchEnded(RommeFactBase, frozen=True):
    """The match is over."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    """Place of each seat, 1 is best; equal totals share a place (R-69)."""


class RommeOptionChanged(RommeFactBase, frozen=True):
    """The host changed an option; it holds from the next deal on (R-76, R-77)."""

    name: str
    old: RommeOptionValue
    new: RommeOptionValue
    changed: bool
    """The new value differs from the default."""


RommeFact: TypeAlias = (
    RommeRoundStarted
    | RommePackDealt
    | RommeCardDrawn
    | RommePileDrawn
    | RommeMeldsLaid
    | RommeCardsLaidOff
    | RommeJokerSwapped
    | RommeCardDiscarded
    | RommeStockEmptied
    | RommeStockShuffled
    | RommeRoundEnded
    | RommeMatchEnded
    | RommeOptionChanged
)

# public forms of facts that hide something


class RommeHandsDealt(RommeFactBase, frozen=True):
    """The cards were dealt, as everybody sees it."""

    counts: tuple[int, ...]
    """Cards of each seat."""
    stock_count: int


class RommeStockDrawn(RommeFactBase, frozen=True):
    """A seat drew from the stock, as everybody sees it."""

    seat: Seat


class RommeStockReshuffled(RommeFactBase, frozen=True):
    """The pile became the new stock, as everybody sees it."""

    count: int
    size: int
    """Cards in the new stock."""


RommePublicFact: TypeAlias = (
    RommeRoundStarted
    | RommeHandsDealt
    | RommeStockDrawn
    | RommePileDrawn
    | RommeMeldsLaid
    | RommeCardsLaidOff
    | RommeJokerSwapped
    | RommeCardDiscarded
    | RommeStockEmptied
    | RommeStockReshuffled
    | RommeRoundEnded
    | RommeMatchEnded
    | RommeOptionChanged
)

# private forms, for the seat they are addressed to


class RommeHandDealt(RommeFactBase, frozen=True):
    """The hand you were dealt, in the order of dealing."""

    cards: tuple[Card, ...]


RommePrivateFact: TypeAlias = RommeHandDealt | RommeCardDrawn

# facts of the private stream


class RommeMeldPrepared(RommeFactBase, frozen=True):
    """A meld was put aside."""

    turn_number: int
    """The turn it belongs to (`RommeState.turn_number`)."""
    lays: int
    """How often the seat had laid in that turn (`RommeState.lays`)."""
    draft: str
    kind: RommeMeldKind
    slots: tuple[RommeSlot, ...]
    points: int
    sum: int
    """Points of all open drafts."""
    missing: int
    """What they lack for the first laying; 0 once out."""


class RommeMeldsTakenBack(RommeFactBase, frozen=True):
    """Drafts were dissolved."""

    drafts: tuple[str, ...]


class RommeHandArranged(RommeFactBase, frozen=True):
    """The hand got a new order."""

    arrivals: int
    """What had come by then (`RommeState.arrivals`): later cards are put to the right."""
    cards: tuple[Card, ...]


RommePrivateStreamFact: TypeAlias = RommeMeldPrepared | RommeMeldsTakenBack | RommeHandArranged


class RommePrivateStream(Value, frozen=True):
    """What a seat's private facts add up to; what of it still holds depends on the table."""

    turn_number: int
    """The turn of the last draft."""
    lays: int
    prepared: int
    """Drafts made in that turn, so that names are not used again (R-41)."""
    drafts: tuple[RommeMeldPrepared, ...]
    arranged: RommeHandArranged | None
