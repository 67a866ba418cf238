"""What happens in a match of Von Herzen: complete facts, and their public and private forms."""

from typing import Literal, TypeAlias

from domain.cards import Card
from domain.decider import Seat
from domain.games.von_herzen.moves import VonHerzenEnd
from domain.structs import Fact

VonHerzenCards: TypeAlias = tuple[Card, ...]
VonHerzenSwapKind: TypeAlias = Literal["accepted", "taken", "agreed"]
VonHerzenRoundEnd: TypeAlias = Literal["out", "standstill"]


# facts that hide nothing


class VonHerzenFirstDealerDrawn(Fact, frozen=True, tag="first_dealer_drawn"):
    """The first dealer of the match was drawn (V-10)."""

    dealer: Seat


class VonHerzenOfferPassed(Fact, frozen=True, tag="offer_passed"):
    """The giver offered nothing."""

    giver: Seat


class VonHerzenOfferDeclined(Fact, frozen=True, tag="offer_declined"):
    """The receiver declined; the offered cards went back unseen."""

    giver: Seat
    receiver: Seat


class VonHerzenOfferLeft(Fact, frozen=True, tag="offer_left"):
    """A seat that was asked after a counter-proposal left the offer to the next."""

    seat: Seat


class VonHerzenOfferWithdrawn(Fact, frozen=True, tag="offer_withdrawn"):
    """The giver refused the counter-proposal; all cards went back unseen."""

    giver: Seat
    receiver: Seat


class VonHerzenPileDrawn(Fact, frozen=True, tag="pile_drawn"):
    """A seat took a card of the discard pile."""

    seat: Seat
    card: Card


class VonHerzenRunLaid(Fact, frozen=True, tag="run_laid"):
    """A seat laid a run; `run` is its id for the rest of the round, cards from low to high."""

    seat: Seat
    run: int
    cards: VonHerzenCards


class VonHerzenCardLaidOff(Fact, frozen=True, tag="card_laid_off"):
    """A seat added a card to an end of a run."""

    seat: Seat
    card: Card
    run: int
    end: VonHerzenEnd


class VonHerzenCardDiscarded(Fact, frozen=True, tag="card_discarded"):
    """A seat discarded a card."""

    seat: Seat
    card: Card


class VonHerzenTurnEnded(Fact, frozen=True, tag="turn_ended"):
    """A seat's turn is over; `went_out`: because its hand is empty (V-54)."""

    seat: Seat
    went_out: bool


class VonHerzenRoundScored(Fact, frozen=True, tag="round_scored"):
    """The round is over: what is left in the hands and in the stock is shown, and what everybody scored."""

    round: int
    ended: VonHerzenRoundEnd
    hands: tuple[VonHerzenCards, ...]
    stock: VonHerzenCards
    """In canonical order, not in the order of drawing."""
    scores: tuple[int, ...]
    totals: tuple[int, ...]


class VonHerzenMatchEnded(Fact, frozen=True, tag="match_ended"):
    """The last round is scored: the highest total wins (V-71)."""

    totals: tuple[int, ...]
    places: tuple[int, ...]


# facts that hide something: complete, public and private form


class VonHerzenRoundDealt(Fact, frozen=True, tag="round_dealt"):
    """A round was dealt from this order of the pack, first card first."""

    round: int
    dealer: Seat
    seats: int
    pack: VonHerzenCards


class VonHerzenRoundDealtPublic(Fact, frozen=True, tag="round_dealt_public"):
    """A round was dealt: `hand` cards for everyone, the rest is the stock."""

    round: int
    dealer: Seat
    hand: int
    stock: int


class VonHerzenRoundDealtPrivate(Fact, frozen=True, tag="round_dealt_private"):
    """The hand that the seat was dealt."""

    hand: VonHerzenCards


class VonHerzenCardsOffered(Fact, frozen=True, tag="cards_offered"):
    """The giver laid these cards face down before the receiver."""

    giver: Seat
    receiver: Seat
    cards: VonHerzenCards


class VonHerzenCardsOfferedPublic(Fact, frozen=True, tag="cards_offered_public"):
    """The giver laid `count` cards face down before the receiver."""

    giver: Seat
    receiver: Seat
    count: int


class VonHerzenCardsOfferedPrivate(Fact, frozen=True, tag="cards_offered_private"):
    """The cards that the seat offered."""

    cards: VonHerzenCards


class VonHerzenOfferCountered(Fact, frozen=True, tag="offer_countered"):
    """The receiver proposed to swap fewer cards and laid these face down."""

    giver: Seat
    receiver: Seat
    cards: VonHerzenCards


class VonHerzenOfferCounteredPublic(Fact, frozen=True, tag="offer_countered_public"):
    """The receiver proposed to swap `count` cards and laid as many face down."""

    giver: Seat
    receiver: Seat
    count: int


class VonHerzenOfferCounteredPrivate(Fact, frozen=True, tag="offer_countered_private"):
    """The cards that the seat laid for its counter-proposal."""

    cards: VonHerzenCards


class VonHerzenCardsSwapped(Fact, frozen=True, tag="cards_swapped"):
    """The giver's `given` went to the partner, who gave him as many, `received`."""

    giver: Seat
    partner: Seat
    kind: VonHerzenSwapKind
    given: VonHerzenCards
    received: VonHerzenCards


class VonHerzenCardsSwappedPublic(Fact, frozen=True, tag="cards_swapped_public"):
    """The giver and the partner swapped `count` cards."""

    giver: Seat
    partner: Seat
    kind: VonHerzenSwapKind
    count: int


class VonHerzenCardsSwappedPrivate(Fact, frozen=True, tag="cards_swapped_private"):
    """What the seat gave to the other side of the swap, and what it got."""

    gave: VonHerzenCards
    got: VonHerzenCards


class VonHerzenStockDrawn(Fact, frozen=True, tag="stock_drawn"):
    """A seat drew this card, the top one of the stock."""

    seat: Seat
    card: Card


class VonHerzenStockDrawnPublic(Fact, frozen=True, tag="stock_drawn_public"):
    """A seat drew the top card of the stock."""

    seat: Seat


class VonHerzenStockDrawnPrivate(Fact, frozen=True, tag="stock_drawn_private"):
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
