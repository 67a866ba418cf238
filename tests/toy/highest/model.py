"""Highest Card: options, moves, facts, state and views."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card, CardText

# options


class HighestOptions(Struct, frozen=True):
    """All options of a table."""

    rounds: Annotated[int, Meta(ge=1, le=5)] = 2
    hand_size: Annotated[int, Meta(ge=1, le=6)] = 3


# moves


class HighestChoose(Struct, frozen=True, tag_field="type", tag="choose", forbid_unknown_fields=True):
    """Choose a card of one's hand, face down."""

    card: CardText


# facts


class HighestRoundDealt(Struct, frozen=True, tag_field="type", tag="round_dealt"):
    """The whole pack in dealing order: card k goes to seat k mod n while hands are short. Secret."""

    round: int
    seats: int
    hand_size: int
    order: tuple[Card, ...]


class HighestCardChosen(Struct, frozen=True, tag_field="type", tag="card_chosen"):
    """A seat chose a card, face down. The card is secret."""

    seat: int
    card: Card


class HighestCardsShown(Struct, frozen=True, tag_field="type", tag="cards_shown"):
    """All chosen cards, by seat, and who gets how many points for them."""

    cards: tuple[Card, ...]
    winner: int
    points: int


class HighestMatchEnded(Struct, frozen=True, tag_field="type", tag="match_ended"):
    """The last round was played."""

    totals: tuple[int, ...]


HighestFact: TypeAlias = HighestRoundDealt | HighestCardChosen | HighestCardsShown | HighestMatchEnded


# what others learn of facts


class HighestHandsDealt(Struct, frozen=True, tag_field="type", tag="hands_dealt"):
    """Public form of the deal."""

    round: int
    hand_size: int


class HighestChoiceMade(Struct, frozen=True, tag_field="type", tag="choice_made"):
    """Public form of a choice."""

    seat: int


class HighestHandReceived(Struct, frozen=True, tag_field="type", tag="hand_received"):
    """What a seat learns of the deal: its hand."""

    cards: tuple[Card, ...]


class HighestOwnChoice(Struct, frozen=True, tag_field="type", tag="own_choice"):
    """What a seat learns of its own choice."""

    card: Card


HighestPublicFact: TypeAlias = HighestHandsDealt | HighestChoiceMade | HighestCardsShown | HighestMatchEnded
HighestPrivateFact: TypeAlias = HighestHandReceived | HighestOwnChoice


# state


class HighestState(Struct, frozen=True):
    """The whole state; chosen cards stay in their hand until all are shown."""

    options: HighestOptions
    round: int
    hands: tuple[tuple[Card, ...], ...]
    stock: tuple[Card, ...]
    chosen: tuple[Card | None, ...]
    shown: tuple[Card, ...]
    totals: tuple[int, ...]
    ended: bool


# views


class HighestBoard(Struct, frozen=True):
    """What everybody may know."""

    hand_sizes: tuple[int, ...]
    stock_size: int
    has_chosen: tuple[bool, ...]
    shown: tuple[Card, ...]


class HighestPrivate(Struct, frozen=True):
    """What only the seat may know beyond its hand."""

    chosen: Card | None


class HighestChoices(Struct, frozen=True, tag_field="type", tag="choose"):
    """The cards that may be chosen: the whole hand."""

    cards: tuple[Card, ...]
