"""What can have happened: complete facts, and their public and private forms."""

from typing import Literal, TypeAlias

from domain.cards import Card
from domain.decider import Seat
from domain.games.von_herzen.moves import VonHerzenEnd
from domain.structs import Fact, tag_after

VonHerzenCards: TypeAlias = tuple[Card, ...]
VonHerzenSwapKind: TypeAlias = Literal["accepted", "taken", "agreed"]
VonHerzenRoundEnd: TypeAlias = Literal["out", "standstill"]


# facts that hide nothing


class VonHerzenFactBase(Fact, frozen=True, tag=tag_after("VonHerzen")):
    """Base of facts and of their forms: tags follow from class names."""


class VonHerzenFirstDealerDrawn(VonHerzenFactBase, frozen=True):
    """The first dealer of the match was drawn (V-10)."""

    dealer: Seat


class VonHerzenOfferPassed(VonHerzenFactBase, frozen=True):
    """The giver offered nothing."""

    giver: Seat


class VonHerzenOfferDeclined(VonHerzenFactBase, frozen=True):
    """The receiver declined; the offered cards went back unseen."""

    giver: Seat
    receiver: Seat


class VonHerzenOfferLeft(VonHerzenFactBase, frozen=True):
    """A seat that was asked after a counter-proposal left the offer to the next."""

    seat: Seat


class VonHerzenOfferWithdrawn(VonHerzenFactBase, frozen=True):
    """The giver refused the counter-proposal; all cards went back unseen."""

    giver: Seat
    receiver: Seat


class VonHerzenPileDrawn(VonHerzenFactBase, frozen=True):
    """A seat took a card of the discard pile."""

    seat: Seat
    card: Card


class VonHerzenRunLaid(VonHerzenFactBase, frozen=True):
    """A seat laid a run; `run` is its id for the rest of the round, cards from low to high."""

    seat: Seat
    run: int
    cards: VonHerzenCards


class VonHerzenCardLaidOff(VonHerzenFactBase, frozen=True):
    """A seat added a card to an end of a run."""

    seat: Seat
    card: Card
    run: int
    end: VonHerzenEnd


class VonHerzenCardDiscarded(VonHerzenFactBase, frozen=True):
    """A seat discarded a card."""

    seat: Seat
    card: Card


class VonHerzenTurnEnded(VonHerzenFactBase, frozen=True):
    """A seat's turn is over; `went_out`: because its hand is empty (V-54)."""

    seat: Seat
    went_out: bool


class VonHerzenRoundScored(VonHerzenFactBase, frozen=True):
    """The round is over: what is left in the hands and in the stock is shown, and what everybody scored."""

    round: int
    ended: VonHerzenRoundEnd
    hands: tuple[VonHerzenCards, ...]
    stock: VonHerzenCards
    """In canonical order, not in the order of drawing."""
    scores: tuple[int, ...]
    totals: tuple[int, ...]


class VonHerzenMatchEnded(VonHerzenFactBase, frozen=True):
    """The last round is scored: the highest total wins (V-71)."""

    totals: tuple[int, ...]
    places: tuple[int, ...]


# facts that hide something: complete, public and private form


class VonHerzenRoundDealt(VonHerzenFactBase, frozen=True):
    """A round was dealt from this order of the pack, first card first."""

    round: int
    dealer: Seat
    seats: int
    pack: VonHerzenCards


class VonHerzenRoundDealtPublic(VonHerzenFactBase, frozen=True):
    """A round was dealt: `hand` cards for everyone, the rest is the stock."""

    round: int
    dealer: Seat
    hand: int
    stock: int


class VonHerzenRoundDealtPrivate(VonHerzenFactBase, frozen=True):
    """The hand that the seat was dealt."""

    hand: VonHerzenCards


class VonHerzenCardsOffered(VonHerzenFactBase, frozen=True):
    """The giver laid these cards face down before the receiver."""

    giver: Seat
    receiver: Seat
    cards: VonHerzenCards


class VonHerzenCardsOfferedPublic(VonHerzenFactBase, frozen=True):
    """The giver laid `count` cards face down before the receiver."""

    giver: Seat
    receiver: Seat
    count: int


class VonHerzenCardsOfferedPrivate(VonHerzenFactBase, frozen=True):
    """The cards that the seat offered."""

    cards: VonHerzenCards


class VonHerzenOfferCountered(VonHerzenFactBase, frozen=True):
    """The receiver proposed to swap fewer cards and laid these face down."""

    giver: Seat
    receiver: Seat
    cards: VonHerzenCards


class VonHerzenOfferCounteredPublic(VonHerzenFactBase, frozen=True):
    """The receiver proposed to swap `count` cards and laid as many face down."""

    giver: Seat
    receiver: Seat
    count: int


class VonHerzenOfferCounteredPrivate(VonHerzenFactBase, frozen=True):
    """The cards that the seat laid for its counter-proposal."""

    cards: VonHerzenCards


class VonHerzenCardsSwapped(VonHerzenFactBase, frozen=True):
    """The giver's `given` went to the partner, who gave him as many, `received`."""

    giver: Seat
    partner: Seat
    kind: VonHerzenSwapKind
    given: VonHerzenCards
    received: VonHerzenCards


class VonHerzenCardsSwappedPublic(VonHerzenFactBase, frozen=True):
    """The giver and the partner swapped `count` cards."""

    giver: Seat
    partner: Seat
    kind: VonHerzenSwapKind
    count: int


class VonHerzenCardsSwappedPrivate(VonHerzenFactBase, frozen=True):
    """What the seat gave to the other side of the swap, and what it got."""

    gave: VonHerzenCards
    got: VonHerzenCards


class VonHerzenStockDrawn(VonHerzenFactBase, frozen=True):
    """A seat drew this card, the top one of the stock."""

    seat: Seat
    card: Card


class VonHerzenStockDrawnPublic(VonHerzenFactBase, frozen=True):
    """A seat drew the top card of the stock."""

    seat: Seat


class VonHerzenStockDrawnPrivate(VonHerzenFactBase, frozen=True):
    """The card that the seat drew."""

    card: Card


VonHerzenOpenFact: TypeAlias = (
    VonHerzenCardLaidOff
    | VonHerzenCardDiscarded
    | VonHerzenTurnEnded
    | VonHerzenRunLaid
    | VonHerzenPileDrawn
    | VonHerzenOfferPassed
    | VonHerzenOfferDeclined
    | VonHerzenOfferLeft
    | VonHerzenOfferWithdrawn
    | VonHerzenFirstDealerDrawn
    | VonHerzenRoundScored
    | VonHerzenMatchEnded
)
VonHerzenFact: TypeAlias = (
    VonHerzenOpenFact
    | VonHerzenStockDrawn
    | VonHerzenCardsOffered
    | VonHerzenOfferCountered
    | VonHerzenCardsSwapped
    | VonHerzenRoundDealt
)
VonHerzenPublicFact: TypeAlias = (
    VonHerzenOpenFact
    | VonHerzenStockDrawnPublic
    | VonHerzenCardsOfferedPublic
    | VonHerzenOfferCounteredPublic
    | VonHerzenCardsSwappedPublic
    | VonHerzenRoundDealtPublic
)
VonHerzenPrivateFact: TypeAlias = (
    VonHerzenStockDrawnPrivate
    | VonHerzenCardsOfferedPrivate
    | VonHerzenOfferCounteredPrivate
    | VonHerzenCardsSwappedPrivate
    | VonHerzenRoundDealtPrivate
)
