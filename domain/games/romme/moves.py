"""What a seat may ask for: moves of the table, moves of its private stream, questions about its cards."""

from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta, field
from msgspec.structs import replace

from domain.structs import Move, Value, tag_after

RommeCardId: TypeAlias = Annotated[
    str,
    Meta(
        title="Card",
        max_length=16,
        description="Rank, suit and pack, such as QS#1 or TH#2, or a joker, JK#1 to JK#6.",
        examples=["QS#1", "JK#3"],
    ),
]
RommeFaceName: TypeAlias = Annotated[
    str, Meta(title="Face", max_length=16, description="Rank and suit.", examples=["8H"])
]
RommeMeldId: TypeAlias = Annotated[
    str, Meta(max_length=16, description="Name of a meld on the table, such as m2.", examples=["m2"])
]
RommeDraftId: TypeAlias = Annotated[
    str, Meta(max_length=16, description="Name of a draft of this turn, such as p1.", examples=["p1"])
]
RommeEnd: TypeAlias = Annotated[
    Literal["low", "high"],
    Meta(title="RommeEnd", description="Where a new ace goes if a run of 13 leaves it open (R-48)."),
]

# cards as a player declares them


class RommeChosenCard(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A card for a meld; a joker with the face it stands for (R-28)."""

    card: RommeCardId
    face: RommeFaceName | None = field(default=None, name="as")
    """The face that a joker stands for; left out for any other card."""


RommeChosenCards: TypeAlias = Annotated[
    tuple[RommeChosenCard, ...],
    Meta(
        max_length=40,
        description="The cards in any order; every joker says as which face.",
        examples=[[{"card": "5H#1"}, {"card": "6H#2"}, {"card": "JK#1", "as": "7H"}]],
    ),
]
RommeChosenEnd: TypeAlias = Annotated[
    RommeEnd | None,
    Meta(description="Where the ace goes in a run of all 13 ranks: high if not given; otherwise without effect."),
]


class RommeChosenMeld(Value, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Cards that are to form one new meld."""

    cards: RommeChosenCards
    end: RommeChosenEnd = None

    def canonical(self) -> Self:
        """Return the meld with its cards in a fixed order, see `Move.canonical`."""
        return replace(self, cards=_in_order(self.cards))


def _in_order(cards: tuple[RommeChosenCard, ...]) -> tuple[RommeChosenCard, ...]:
    return tuple(sorted(cards, key=lambda chosen: (chosen.card, chosen.face or "")))


# moves of the table


class RommeMoveBase(Move, frozen=True, tag=tag_after("Romme")):
    """Base of moves: tags follow from class names."""


class RommeDrawStock(RommeMoveBase, frozen=True):
    """Draw the top card of the stock."""


class RommeDrawPile(RommeMoveBase, frozen=True):
    """Take the top card of the discard pile; it cannot be discarded in the same turn."""


class RommeLay(RommeMoveBase, frozen=True, omit_defaults=True):
    """Lay new melds on the table, all of them or none."""

    melds: Annotated[tuple[RommeChosenMeld, ...], Meta(max_length=40)] | None = None
    """The melds in the order they are named on the table; left out: all open drafts."""

    def canonical(self) -> Self:
        return self if self.melds is None else replace(self, melds=tuple([meld.canonical() for meld in self.melds]))


class RommeLayOff(RommeMoveBase, frozen=True, omit_defaults=True):
    """Add cards of the hand to one meld on the table."""

    meld: RommeMeldId
    cards: RommeChosenCards
    end: RommeChosenEnd = None

    def canonical(self) -> Self:
        return replace(self, cards=_in_order(self.cards))


class RommeSwapJoker(RommeMoveBase, frozen=True):
    """Put the real card in the place of a joker on the table and take the joker."""

    meld: RommeMeldId
    joker: RommeCardId
    card: RommeCardId


class RommeDiscard(RommeMoveBase, frozen=True):
    """Put one card on the discard pile: the end of the turn, and of the round if it was the last card."""

    card: RommeCardId


RommeMove: TypeAlias = RommeDrawStock | RommeDrawPile | RommeLay | RommeLayOff | RommeSwapJoker | RommeDiscard

# moves of the private stream


class RommePrepare(RommeMoveBase, frozen=True, omit_defaults=True):
    """Set a meld aside without laying it; nobody else learns of it."""

    cards: RommeChosenCards
    end: RommeChosenEnd = None


class RommeTakeBack(RommeMoveBase, frozen=True, omit_defaults=True):
    """Dissolve one draft, or all of them."""

    draft: RommeDraftId | None = None
    """Left out: all drafts."""


class RommeSortHand(RommeMoveBase, frozen=True):
    """Sort your hand once; cards that come later are put on the right."""

    by: Literal["suit", "rank"]


class RommeMoveCard(RommeMoveBase, frozen=True):
    """Move one card of the hand to another place."""

    card: RommeCardId
    index: Annotated[int, Meta(ge=-(2**31), lt=2**31, examples=[0])]
    """Its place in the new order, from 0."""


class RommeArrangeHand(RommeMoveBase, frozen=True):
    """Set the whole order of the hand."""

    cards: Annotated[tuple[RommeCardId, ...], Meta(max_length=120)]
    """Every card of the hand once, from left to right."""


RommeHandOrder: TypeAlias = RommeSortHand | RommeMoveCard | RommeArrangeHand
RommePrivateMove: TypeAlias = RommePrepare | RommeTakeBack | RommeHandOrder

# questions


class RommeQuestionBase(Move, frozen=True, tag=tag_after("RommeAsk")):
    """Base of questions: tags follow from class names."""


class RommeAskReadings(RommeQuestionBase, frozen=True):
    """What can these cards of your hand form, as a new meld or added to one on the table?"""

    cards: Annotated[tuple[RommeCardId, ...], Meta(max_length=40, examples=[["QH#1", "KH#1", "JK#1"]])]
    """Cards of the hand, jokers undeclared."""
    meld: RommeMeldId | None = None
    """A meld to add them to; left out: a new meld."""


class RommeAskPartition(RommeQuestionBase, frozen=True):
    """How is the hand best split into melds?"""


class RommeAskMelds(RommeQuestionBase, frozen=True):
    """Which melds can be made from your hand?"""


RommeQuestion: TypeAlias = RommeAskReadings | RommeAskPartition | RommeAskMelds
