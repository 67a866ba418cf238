"""What a seat of Von Herzen can ask for, and what it is told it may ask for."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from domain.cards import Card
from domain.structs import Legal, Move, Value

VonHerzenCardText: TypeAlias = Annotated[str, Meta(max_length=8, description="Rank then suit.", examples=["TH", "7C"])]
VonHerzenCardTexts: TypeAlias = Annotated[
    tuple[VonHerzenCardText, ...], Meta(max_length=64, description="Different cards.", examples=[["TH", "7C"]])
]
VonHerzenRunNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1000, description="The `id` of a run on the table.")]
VonHerzenEnd: TypeAlias = Literal["up", "down"]
"""`up` is the high end of a run (after its last card), `down` the low end."""


# moves of the swap phase


class VonHerzenOffer(Move, frozen=True, tag="offer"):
    """The giver lays cards face down before the receiver (V-12)."""

    cards: VonHerzenCardTexts


class VonHerzenPassOffer(Move, frozen=True, tag="pass_offer"):
    """The giver offers nothing (V-12)."""


class VonHerzenAccept(Move, frozen=True, tag="accept"):
    """The receiver swaps as many cards as are offered (V-15)."""

    cards: VonHerzenCardTexts


class VonHerzenCounter(Move, frozen=True, tag="counter"):
    """The receiver proposes to swap fewer cards and lays his own (V-16)."""

    cards: VonHerzenCardTexts


class VonHerzenDecline(Move, frozen=True, tag="decline"):
    """The receiver wants no swap (V-22)."""


class VonHerzenTake(Move, frozen=True, tag="take"):
    """Another player makes the original swap in the receiver's place (V-18)."""

    cards: VonHerzenCardTexts


class VonHerzenLeave(Move, frozen=True, tag="leave"):
    """Another player leaves the offer to the next (V-17)."""


class VonHerzenAgree(Move, frozen=True, tag="agree"):
    """The giver agrees to the counter-proposal and picks which offered cards he gives (V-21)."""

    cards: VonHerzenCardTexts


class VonHerzenWithdraw(Move, frozen=True, tag="withdraw"):
    """The giver refuses the counter-proposal (V-22)."""


# moves of the meld phase


class VonHerzenDrawStock(Move, frozen=True, tag="draw_stock"):
    """Take the top card of the stock (V-30)."""


class VonHerzenDrawPile(Move, frozen=True, tag="draw_pile"):
    """Take a card of the discard pile (V-30, V-32)."""

    card: VonHerzenCardText


class VonHerzenLay(Move, frozen=True, tag="lay"):
    """Lay a run from the hand, its cards from the low end to the high end (V-36)."""

    cards: VonHerzenCardTexts


class VonHerzenLayOff(Move, frozen=True, tag="lay_off"):
    """Add one card to an end of a run on the table (V-44, V-45)."""

    card: VonHerzenCardText
    run: VonHerzenRunNumber
    end: VonHerzenEnd
    """`up`: after the last card; `down`: before the first."""


class VonHerzenDiscard(Move, frozen=True, tag="discard"):
    """Put one card face up on the discard pile; this ends the turn (V-52)."""

    card: VonHerzenCardText


class VonHerzenEndTurn(Move, frozen=True, tag="end_turn"):
    """End the turn without a discard (V-53)."""


VonHerzenSwapMove: TypeAlias = (
    VonHerzenOffer
    | VonHerzenPassOffer
    | VonHerzenAccept
    | VonHerzenCounter
    | VonHerzenDecline
    | VonHerzenTake
    | VonHerzenLeave
    | VonHerzenAgree
    | VonHerzenWithdraw
)
VonHerzenMeldMove: TypeAlias = (
    VonHerzenDrawStock | VonHerzenDrawPile | VonHerzenLay | VonHerzenLayOff | VonHerzenDiscard | VonHerzenEndTurn
)
VonHerzenMove: TypeAlias = VonHerzenSwapMove | VonHerzenMeldMove


# legal entries: one for each kind of move open to a seat


class VonHerzenLegalOffer(Legal, frozen=True, tag="offer"):
    """Any `least` to `most` different cards of `cards` may be offered."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalPassOffer(Legal, frozen=True, tag="pass_offer"):
    """The seat may offer nothing."""


class VonHerzenLegalAccept(Legal, frozen=True, tag="accept"):
    """The offer may be accepted with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalCounter(Legal, frozen=True, tag="counter"):
    """Any `least` to `most` different cards of `cards` may be laid as a counter-proposal."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalDecline(Legal, frozen=True, tag="decline"):
    """The offer may be declined."""


class VonHerzenLegalTake(Legal, frozen=True, tag="take"):
    """The offer may be taken with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalLeave(Legal, frozen=True, tag="leave"):
    """The offer may be left to the next."""


class VonHerzenLegalAgree(Legal, frozen=True, tag="agree"):
    """The counter-proposal may be met with exactly `count` of the offered `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalWithdraw(Legal, frozen=True, tag="withdraw"):
    """The offer may be withdrawn."""


class VonHerzenLegalDrawStock(Legal, frozen=True, tag="draw_stock"):
    """The top card of the stock may be taken."""


class VonHerzenLegalDrawPile(Legal, frozen=True, tag="draw_pile"):
    """Any one of `cards` may be taken from the discard pile."""

    cards: tuple[Card, ...]


class VonHerzenLegalLay(Legal, frozen=True, tag="lay"):
    """A run can be laid. `runs` has one for each colour, lowest rank and length that the hand allows.

    A joker stands in them only where the hand lacks the card of the run's colour. The same runs with
    the other suit of the colour, or with a joker in the place of a real card, may be laid as well.
    """

    melds: tuple[tuple[Card, ...], ...]


class VonHerzenLayOffPlace(Value, frozen=True):
    """One card and one end of one run where it may be added."""

    card: Card
    run: int
    end: VonHerzenEnd


class VonHerzenLegalLayOff(Legal, frozen=True, tag="lay_off"):
    """Every single laying off that is open now."""

    places: tuple[VonHerzenLayOffPlace, ...]


class VonHerzenLegalDiscard(Legal, frozen=True, tag="discard"):
    """Any one of `cards` may be discarded."""

    cards: tuple[Card, ...]


class VonHerzenLegalEndTurn(Legal, frozen=True, tag="end_turn"):
    """The turn may be ended."""


VonHerzenLegal: TypeAlias = (
    VonHerzenLegalOffer
    | VonHerzenLegalPassOffer
    | VonHerzenLegalAccept
    | VonHerzenLegalCounter
    | VonHerzenLegalDecline
    | VonHerzenLegalTake
    | VonHerzenLegalLeave
    | VonHerzenLegalAgree
    | VonHerzenLegalWithdraw
    | VonHerzenLegalDrawStock
    | VonHerzenLegalDrawPile
    | VonHerzenLegalLay
    | VonHerzenLegalLayOff
    | VonHerzenLegalDiscard
    | VonHerzenLegalEndTurn
)
