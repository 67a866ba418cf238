"""What a seat of Von Herzen can ask for, and what it is told it may ask for."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card

VonHerzenCardText: TypeAlias = Annotated[str, Meta(max_length=8, description="Rank then suit.", examples=["TH", "7C"])]
VonHerzenCardTexts: TypeAlias = Annotated[
    tuple[VonHerzenCardText, ...], Meta(max_length=64, description="Different cards.", examples=[["TH", "7C"]])
]
VonHerzenRunNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1000, description="The `id` of a run on the table.")]
VonHerzenEnd: TypeAlias = Literal["up", "down"]
"""`up` is the high end of a run (after its last card), `down` the low end."""


# moves of the swap phase


class VonHerzenOffer(Struct, frozen=True, gc=False, tag_field="type", tag="offer", forbid_unknown_fields=True):
    """The giver lays cards face down before the receiver (V-12)."""

    cards: VonHerzenCardTexts


class VonHerzenPassOffer(Struct, frozen=True, gc=False, tag_field="type", tag="pass_offer", forbid_unknown_fields=True):
    """The giver offers nothing (V-12)."""


class VonHerzenAccept(Struct, frozen=True, gc=False, tag_field="type", tag="accept", forbid_unknown_fields=True):
    """The receiver swaps as many cards as are offered (V-15)."""

    cards: VonHerzenCardTexts


class VonHerzenCounter(Struct, frozen=True, gc=False, tag_field="type", tag="counter", forbid_unknown_fields=True):
    """The receiver proposes to swap fewer cards and lays his own (V-16)."""

    cards: VonHerzenCardTexts


class VonHerzenDecline(Struct, frozen=True, gc=False, tag_field="type", tag="decline", forbid_unknown_fields=True):
    """The receiver wants no swap (V-22)."""


class VonHerzenTake(Struct, frozen=True, gc=False, tag_field="type", tag="take", forbid_unknown_fields=True):
    """Another player makes the original swap in the receiver's place (V-18)."""

    cards: VonHerzenCardTexts


class VonHerzenLeave(Struct, frozen=True, gc=False, tag_field="type", tag="leave", forbid_unknown_fields=True):
    """Another player leaves the offer to the next (V-17)."""


class VonHerzenAgree(Struct, frozen=True, gc=False, tag_field="type", tag="agree", forbid_unknown_fields=True):
    """The giver agrees to the counter-proposal and picks which offered cards he gives (V-21)."""

    cards: VonHerzenCardTexts


class VonHerzenWithdraw(Struct, frozen=True, gc=False, tag_field="type", tag="withdraw", forbid_unknown_fields=True):
    """The giver refuses the counter-proposal (V-22)."""


# moves of the meld phase


class VonHerzenDrawStock(Struct, frozen=True, gc=False, tag_field="type", tag="draw_stock", forbid_unknown_fields=True):
    """Take the top card of the stock (V-30)."""


class VonHerzenDrawPile(Struct, frozen=True, gc=False, tag_field="type", tag="draw_pile", forbid_unknown_fields=True):
    """Take a card of the discard pile (V-30, V-32)."""

    card: VonHerzenCardText


class VonHerzenLay(Struct, frozen=True, gc=False, tag_field="type", tag="lay", forbid_unknown_fields=True):
    """Lay a run from the hand, its cards from the low end to the high end (V-36)."""

    cards: VonHerzenCardTexts


class VonHerzenLayOff(Struct, frozen=True, gc=False, tag_field="type", tag="lay_off", forbid_unknown_fields=True):
    """Add one card to an end of a run on the table (V-44, V-45)."""

    card: VonHerzenCardText
    run: VonHerzenRunNumber
    end: VonHerzenEnd
    """`up`: after the last card; `down`: before the first."""


class VonHerzenDiscard(Struct, frozen=True, gc=False, tag_field="type", tag="discard", forbid_unknown_fields=True):
    """Put one card face up on the discard pile; this ends the turn (V-52)."""

    card: VonHerzenCardText


class VonHerzenEndTurn(Struct, frozen=True, gc=False, tag_field="type", tag="end_turn", forbid_unknown_fields=True):
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


class VonHerzenLegalOffer(Struct, frozen=True, gc=False, tag_field="type", tag="offer"):
    """Any `least` to `most` different cards of `cards` may be offered."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalPassOffer(Struct, frozen=True, gc=False, tag_field="type", tag="pass_offer"):
    """The seat may offer nothing."""


class VonHerzenLegalAccept(Struct, frozen=True, gc=False, tag_field="type", tag="accept"):
    """The offer may be accepted with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalCounter(Struct, frozen=True, gc=False, tag_field="type", tag="counter"):
    """Any `least` to `most` different cards of `cards` may be laid as a counter-proposal."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalDecline(Struct, frozen=True, gc=False, tag_field="type", tag="decline"):
    """The offer may be declined."""


class VonHerzenLegalTake(Struct, frozen=True, gc=False, tag_field="type", tag="take"):
    """The offer may be taken with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalLeave(Struct, frozen=True, gc=False, tag_field="type", tag="leave"):
    """The offer may be left to the next."""


class VonHerzenLegalAgree(Struct, frozen=True, gc=False, tag_field="type", tag="agree"):
    """The counter-proposal may be met with exactly `count` of the offered `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalWithdraw(Struct, frozen=True, gc=False, tag_field="type", tag="withdraw"):
    """The offer may be withdrawn."""


class VonHerzenLegalDrawStock(Struct, frozen=True, gc=False, tag_field="type", tag="draw_stock"):
    """The top card of the stock may be taken."""


class VonHerzenLegalDrawPile(Struct, frozen=True, gc=False, tag_field="type", tag="draw_pile"):
    """Any one of `cards` may be taken from the discard pile."""

    cards: tuple[Card, ...]


class VonHerzenLegalLay(Struct, frozen=True, gc=False, tag_field="type", tag="lay"):
    """A run can be laid. `runs` has one for each colour, lowest rank and length that the hand allows.

    A joker stands in them only where the hand lacks the card of the run's colour. The same runs with
    the other suit of the colour, or with a joker in the place of a real card, may be laid as well.
    """

    runs: tuple[tuple[Card, ...], ...]


class VonHerzenLayOffPlace(Struct, frozen=True, gc=False):
    """One card and one end of one run where it may be added."""

    card: Card
    run: int
    end: VonHerzenEnd


class VonHerzenLegalLayOff(Struct, frozen=True, gc=False, tag_field="type", tag="lay_off"):
    """Every single laying off that is open now."""

    places: tuple[VonHerzenLayOffPlace, ...]


class VonHerzenLegalDiscard(Struct, frozen=True, gc=False, tag_field="type", tag="discard"):
    """Any one of `cards` may be discarded."""

    cards: tuple[Card, ...]


class VonHerzenLegalEndTurn(Struct, frozen=True, gc=False, tag_field="type", tag="end_turn"):
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
