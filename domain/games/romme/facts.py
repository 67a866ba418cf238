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
from domain.structs import Fact, Value

# facts


class RommeRoundStarted(Fact, frozen=True, tag="round_started"):
    """A round begins under these options."""

    round: int
    starter: Seat
    options: RommeOptions


class RommePackDealt(Fact, frozen=True, tag="pack_dealt"):
    """The cards were dealt. Secret: the order of the pack; card k went to seat starter + k (R-9)."""

    starter: Seat
    seats: int
    order: tuple[Card, ...]


class RommeCardDrawn(Fact, frozen=True, tag="card_drawn"):
    """The top card of the stock was drawn. Secret from others: which card it was."""

    seat: Seat
    card: Card


class RommePileDrawn(Fact, frozen=True, tag="pile_drawn"):
    """The top card of the pile was taken."""

    seat: Seat
    card: Card


class RommeMeldsLaid(Fact, frozen=True, tag="melds_laid"):
    """New melds lie on the table."""

    seat: Seat
    melds: tuple[RommeMeld, ...]
    points: int
    """Their sum."""
    came_out: bool
    """It was the first laying of this seat in the round."""


class RommeCardsLaidOff(Fact, frozen=True, tag="cards_laid_off"):
    """Cards were added to a meld."""

    seat: Seat
    meld: str
    cards: tuple[Card, ...]
    slots: tuple[RommeSlot, ...]
    """The whole meld afterwards."""


class RommeJokerSwapped(Fact, frozen=True, tag="joker_swapped"):
    """A real card took the place of a joker, which went to the hand."""

    seat: Seat
    meld: str
    joker: Card
    card: Card


class RommeCardDiscarded(Fact, frozen=True, tag="card_discarded"):
    """A card was put on the pile; the turn is over."""

    seat: Seat
    card: Card


class RommeStockEmptied(Fact, frozen=True, tag="stock_emptied"):
    """A turn ended with an empty stock."""

    count: int
    """How many times this has happened in this round, 1 to 4."""


class RommeStockShuffled(Fact, frozen=True, tag="stock_shuffled"):
    """The pile but its top card became the new stock. Secret: its order, the top card first (R-57)."""

    count: int
    order: tuple[Card, ...]


class RommeRoundEnded(Fact, frozen=True, tag="round_ended"):
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


class RommeMatchEnded(Fact, frozen=True, tag="match_ended"):
    """The match is over."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    """Place of each seat, 1 is best; equal totals share a place (R-69)."""


class RommeOptionChanged(Fact, frozen=True, tag="option_changed"):
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


class RommeHandsDealt(Fact, frozen=True, tag="hands_dealt"):
    """The cards were dealt, as everybody sees it."""

    counts: tuple[int, ...]
    """Cards of each seat."""
    stock_count: int


class RommeStockDrawn(Fact, frozen=True, tag="stock_drawn"):
    """A seat drew from the stock, as everybody sees it."""

    seat: Seat


class RommeStockReshuffled(Fact, frozen=True, tag="stock_reshuffled"):
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


class RommeHandDealt(Fact, frozen=True, tag="hand_dealt"):
    """The hand you were dealt, in the order of dealing."""

    cards: tuple[Card, ...]


RommePrivateFact: TypeAlias = RommeHandDealt | RommeCardDrawn

# facts of the private stream


class RommeMeldPrepared(Fact, frozen=True, tag="meld_prepared"):
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


class RommeMeldsTakenBack(Fact, frozen=True, tag="melds_taken_back"):
    """Drafts were dissolved."""

    drafts: tuple[str, ...]


class RommeHandArranged(Fact, frozen=True, tag="hand_arranged"):
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
