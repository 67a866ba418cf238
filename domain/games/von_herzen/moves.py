"""What a seat may ask for, and the entries that say what it may do now."""

from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from domain.cards import Card
from domain.structs import Legal, Move, Value, tag_after

VonHerzenCardText: TypeAlias = Annotated[
    str, Meta(title="Card", max_length=8, description="Rank then suit.", examples=["TH", "7C"])
]
VonHerzenCardTexts: TypeAlias = Annotated[
    tuple[VonHerzenCardText, ...], Meta(max_length=64, description="Different cards.", examples=[["TH", "7C"]])
]
VonHerzenRunNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1000, description="The `id` of a run on the table.")]
VonHerzenEnd: TypeAlias = Annotated[
    Literal["up", "down"],
    Meta(title="VonHerzenEnd", description="`up`: the high end of a run, after its last card; `down`: the low end."),
]


# moves of the swap phase


class VonHerzenMoveBase(Move, frozen=True, tag=tag_after("VonHerzen")):
    """Base of moves: tags follow from class names."""


class VonHerzenCardsMove(VonHerzenMoveBase, frozen=True):
    """Base of moves that name cards in any order."""

    cards: VonHerzenCardTexts

    def canonical(self) -> Self:
        return replace(self, cards=tuple(sorted(self.cards)))


class VonHerzenOffer(VonHerzenCardsMove, frozen=True):
    """The giver lays cards face down before the receiver (V-12)."""


class VonHerzenPassOffer(VonHerzenMoveBase, frozen=True):
    """The giver offers nothing (V-12)."""


class VonHerzenAccept(VonHerzenCardsMove, frozen=True):
    """The receiver swaps as many cards as are offered (V-15)."""


class VonHerzenCounter(VonHerzenCardsMove, frozen=True):
    """The receiver proposes to swap fewer cards and lays his own (V-16)."""


class VonHerzenDecline(VonHerzenMoveBase, frozen=True):
    """The receiver wants no swap (V-22)."""


class VonHerzenTake(VonHerzenCardsMove, frozen=True):
    """Another player makes the original swap in the receiver's place (V-18)."""


class VonHerzenLeave(VonHerzenMoveBase, frozen=True):
    """Another player leaves the offer to the next (V-17)."""


class VonHerzenAgree(VonHerzenCardsMove, frozen=True):
    """The giver agrees to the counter-proposal and picks which offered cards he gives (V-21)."""


class VonHerzenWithdraw(VonHerzenMoveBase, frozen=True):
    """The giver refuses the counter-proposal (V-22)."""


# moves of the meld phase


class VonHerzenDrawStock(VonHerzenMoveBase, frozen=True):
    """Take the top card of the stock (V-30)."""


class VonHerzenDrawPile(VonHerzenMoveBase, frozen=True):
    """Take a card of the discard pile (V-30, V-32)."""

    card: VonHerzenCardText


class VonHerzenLay(VonHerzenMoveBase, frozen=True):
    """Lay a run from the hand, its cards from the low end to the high end (V-36)."""

    cards: VonHerzenCardTexts


class VonHerzenLayOff(VonHerzenMoveBase, frozen=True):
    """Add one card to an end of a run on the table (V-44, V-45)."""

    card: VonHerzenCardText
    run: VonHerzenRunNumber
    end: VonHerzenEnd
    """`up`: after the last card; `down`: before the first."""


class VonHerzenDiscard(VonHerzenMoveBase, frozen=True):
    """Put one card face up on the discard pile; this ends the turn (V-52)."""

    card: VonHerzenCardText


class VonHerzenEndTurn(VonHerzenMoveBase, frozen=True):
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


class VonHerzenLegalBase(Legal, frozen=True, tag=tag_after("VonHerzen")):
    """Base of legal entries: tags follow from class names."""


class VonHerzenLegalOffer(VonHerzenLegalBase, frozen=True):
    """Any `least` to `most` different cards of `cards` may be offered."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalAccept(VonHerzenLegalBase, frozen=True):
    """The offer may be accepted with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalCounter(VonHerzenLegalBase, frozen=True):
    """Any `least` to `most` different cards of `cards` may be laid as a counter-proposal."""

    cards: tuple[Card, ...]
    least: int
    most: int


class VonHerzenLegalTake(VonHerzenLegalBase, frozen=True):
    """The offer may be taken with exactly `count` different cards of `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalAgree(VonHerzenLegalBase, frozen=True):
    """The counter-proposal may be met with exactly `count` of the offered `cards`."""

    cards: tuple[Card, ...]
    count: int


class VonHerzenLegalDrawPile(VonHerzenLegalBase, frozen=True):
    """Any one of `cards` may be taken from the discard pile."""

    cards: tuple[Card, ...]


class VonHerzenLegalLay(VonHerzenLegalBase, frozen=True):
    """A run can be laid. `melds` has one for each colour, lowest rank and length that the hand allows.

    A joker stands in them only where the hand lacks the card of the run's colour. The same runs with
    the other suit of the colour, or with a joker in the place of a real card, may be laid as well.
    """

    melds: tuple[tuple[Card, ...], ...]


class VonHerzenLayOffPlace(Value, frozen=True):
    """One card and one end of one run where it may be added."""

    card: Card
    run: int
    end: VonHerzenEnd


class VonHerzenLegalLayOff(VonHerzenLegalBase, frozen=True):
    """Every single laying off that is open now."""

    places: tuple[VonHerzenLayOffPlace, ...]


class VonHerzenLegalDiscard(VonHerzenLegalBase, frozen=True):
    """Any one of `cards` may be discarded."""

    cards: tuple[Card, ...]


VonHerzenLegal: TypeAlias = (
    VonHerzenLegalOffer
    | VonHerzenPassOffer
    | VonHerzenLegalAccept
    | VonHerzenLegalCounter
    | VonHerzenDecline
    | VonHerzenLegalTake
    | VonHerzenLeave
    | VonHerzenLegalAgree
    | VonHerzenWithdraw
    | VonHerzenDrawStock
    | VonHerzenLegalDrawPile
    | VonHerzenLegalLay
    | VonHerzenLegalLayOff
    | VonHerzenLegalDiscard
    | VonHerzenEndTurn
)
