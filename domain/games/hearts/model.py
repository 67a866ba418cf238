"""What exists in Hearts: options, moves, facts and their public and private forms, state and view.

Names are a storage format: tags and field names of options, moves and facts stand in recorded events. They
never change their meaning; a new field has a default, and what cannot be said that way is lifted, see
`domain/games/romme/lifts.py`.
"""

from typing import Annotated, Literal, Self, TypeAlias

from msgspec import Meta
from msgspec.structs import replace

from domain.cards import Card
from domain.decider import Seat
from domain.options import Follows, option
from domain.structs import Fact, Legal, Move, Value, tag_after

# options

HeartsVariant: TypeAlias = Literal["standard", "spot"]
HeartsMoonRule: TypeAlias = Literal["add_to_others", "subtract_from_own", "none"]


class HeartsOptions(Value, frozen=True, forbid_unknown_fields=True):
    """The six options of a table, in full; they never change during a match (H-4, H-7)."""

    variant: Annotated[
        HeartsVariant,
        option(
            "Spot Hearts counts each heart by its number and the queen of spades 25.",
            "standard",
            title="Variant",
            labels={"standard": "Standard", "spot": "Spot Hearts"},
        ),
    ]
    players: Annotated[int, Meta(ge=3, le=5), option("Number of seats.", 4, title="Players")]
    black_maria: Annotated[
        bool,
        option("King and ace of spades cost 10 and 7, and nobody shoots the moon.", default=False, title="Black Maria"),
    ]
    omnibus: Annotated[bool, option("The jack of diamonds takes off 10.", default=False, title="Omnibus")]
    moon_rule: Annotated[
        HeartsMoonRule,
        option(
            "What a moon does. The default, and the only value allowed, is none with black_maria; "
            "without it the default is add_to_others and none is not allowed.",
            Follows("black_maria", {False: "add_to_others", True: "none"}, off="none"),  # H-5
            title="Shooting the moon",
            labels={
                "add_to_others": "Add to the others",
                "subtract_from_own": "Subtract from the shooter",
                "none": "No moon",
            },
        ),
    ]
    target_score: Annotated[
        int,
        Meta(ge=1, le=5000),
        option(
            "The match ends when a total reaches it. Default: 100, in Spot Hearts 500.",
            Follows("variant", {"standard": 100, "spot": 500}),  # H-8
            title="Target score",
        ),
    ]


# moves

HeartsCardName: TypeAlias = Annotated[
    str, Meta(title="Card", max_length=8, description="Rank then suit.", examples=["QS"])
]


class HeartsMoveBase(Move, frozen=True, tag=tag_after("Hearts")):
    """Base of moves: tags follow from class names."""


class HeartsPass(HeartsMoveBase, frozen=True):
    """Commit three cards of your hand to be passed; final, seen by nobody before the exchange."""

    cards: Annotated[tuple[HeartsCardName, ...], Meta(max_length=16, examples=[["QS", "AS", "KH"]])]
    """Three different cards in any order."""

    def canonical(self) -> Self:
        return replace(self, cards=tuple(sorted(self.cards)))


class HeartsPlay(HeartsMoveBase, frozen=True):
    """Play one card to the trick."""

    card: HeartsCardName


HeartsMove: TypeAlias = HeartsPass | HeartsPlay

# facts


class HeartsFactBase(Fact, frozen=True, tag=tag_after("Hearts")):
    """Base of facts and of their forms: tags follow from class names."""


class HeartsRoundDealt(HeartsFactBase, frozen=True):
    """A round was dealt. Secret: the order of the pack; card k went to seat k modulo the seats (H-12)."""

    round: int
    offset: int
    """Three cards go to the seat this many places clockwise; 0 in a hold round (H-14)."""
    seats: int
    order: tuple[Card, ...]


class HeartsPassCommitted(HeartsFactBase, frozen=True):
    """A seat chose the three cards it passes. Secret: the cards, in canonical order."""

    seat: Seat
    cards: tuple[Card, ...]


class HeartsCardsExchanged(HeartsFactBase, frozen=True):
    """All passes changed hands at once. Secret: the cards, by the seat that gave them."""

    offset: int
    leader: Seat
    """The seat that now holds the two of clubs and leads (H-20)."""
    passes: tuple[tuple[Card, ...], ...]


class HeartsCardPlayed(HeartsFactBase, frozen=True):
    """A card was played to the trick."""

    seat: Seat
    card: Card


class HeartsTrickTaken(HeartsFactBase, frozen=True):
    """A seat won the trick and leads the next one."""

    seat: Seat
    points: int
    """Sum of the penalty values in the trick."""
    bonus: int
    """-10 if the jack of diamonds counts and was in it, else 0."""


class HeartsRoundScored(HeartsFactBase, frozen=True):
    """The round was counted; every list is by seat."""

    round: int
    raw: tuple[int, ...]
    bonus: tuple[int, ...]
    moon: Seat | None
    """The seat that shot the moon."""
    results: tuple[int, ...]
    totals: tuple[int, ...]


class HeartsMatchEnded(HeartsFactBase, frozen=True):
    """The match is over."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    """Place of each seat, 1 is best; equal totals share a place (H-49)."""


HeartsFact: TypeAlias = (
    HeartsRoundDealt
    | HeartsPassCommitted
    | HeartsCardsExchanged
    | HeartsCardPlayed
    | HeartsTrickTaken
    | HeartsRoundScored
    | HeartsMatchEnded
)

# public forms of facts that hide something


class HeartsRoundBegun(HeartsFactBase, frozen=True):
    """A round was dealt, as everybody sees it."""

    round: int
    offset: int
    """Three cards go to the seat this many places clockwise; 0: nobody passes in this round."""
    hand_size: int
    leader: Seat | None
    """The seat that leads the two of clubs; None while it depends on the passing."""


class HeartsPassMade(HeartsFactBase, frozen=True):
    """A seat has committed its pass, as everybody sees it."""

    seat: Seat


class HeartsExchangeMade(HeartsFactBase, frozen=True):
    """The passed cards changed hands, as everybody sees it."""

    offset: int
    leader: Seat


HeartsPublicFact: TypeAlias = (
    HeartsRoundBegun
    | HeartsPassMade
    | HeartsExchangeMade
    | HeartsCardPlayed
    | HeartsTrickTaken
    | HeartsRoundScored
    | HeartsMatchEnded
)

# private forms, for the seat they are addressed to


class HeartsHandDealt(HeartsFactBase, frozen=True):
    """The hand you were dealt, in canonical order."""

    hand: tuple[Card, ...]


class HeartsPassChosen(HeartsFactBase, frozen=True):
    """The three cards you committed, in canonical order."""

    cards: tuple[Card, ...]


class HeartsCardsReceived(HeartsFactBase, frozen=True):
    """The three cards you received, in canonical order."""

    giver: Seat
    cards: tuple[Card, ...]


HeartsPrivateFact: TypeAlias = HeartsHandDealt | HeartsPassChosen | HeartsCardsReceived

# state

HeartsPhase: TypeAlias = Literal["new", "passing", "playing", "finished"]
"""`new` before the first deal; the others as in H-51."""


class HeartsTrick(Value, frozen=True):
    """A completed trick."""

    leader: Seat
    cards: tuple[Card, ...]
    """In the order played, the leader's first, then clockwise."""
    winner: Seat


class HeartsRoundResult(Value, frozen=True):
    """How a round was counted; every list is by seat."""

    round: int
    raw: tuple[int, ...]
    bonus: tuple[int, ...]
    moon: Seat | None
    points: tuple[int, ...]
    """What the round counts for each seat, the moon and the bonus included."""


class HeartsState(Value, frozen=True):
    """Everything about a match, secrets included."""

    options: HeartsOptions
    phase: HeartsPhase
    round: int
    """From 1; 0 before the first deal."""
    offset: int
    passes: tuple[tuple[Card, ...], ...]
    """By the seat that gives; empty for a seat that has not committed."""
    hands: tuple[tuple[Card, ...], ...]
    """By seat, in canonical order."""
    leader: Seat
    """Who leads the trick; of no meaning while cards are passed."""
    trick: tuple[Card, ...]
    """The cards of the running trick, the leader's first."""
    broken: bool
    """A heart was played in this round (H-26)."""
    tricks: tuple[HeartsTrick, ...]
    """The completed tricks of this round."""
    points: tuple[int, ...]
    """Penalty values taken in this round, by seat."""
    bonus: tuple[int, ...]
    """Bonus taken in this round, by seat."""
    totals: tuple[int, ...]
    score_sheet: tuple[HeartsRoundResult, ...]
    last_trick: HeartsTrick | None
    """The last trick of the rounds that are scored, None before the first."""


# views


class HeartsBoard(Value, frozen=True):
    """What all seats and any spectator may know (H-52)."""

    phase: HeartsPhase
    removed: tuple[Card, ...]
    """The cards that are not in the pack for this number of players."""
    offset: int
    """Three cards go to the seat this many places clockwise; 0: nobody passes in this round."""
    committed: tuple[Seat, ...]
    """The seats that have committed their pass; empty once the cards have changed hands."""
    hand_sizes: tuple[int, ...]
    turn: Seat | None
    """The seat that has to play; None if no card is to be played now."""
    leader: Seat | None
    """The seat that led, or has to lead, the running trick."""
    trick_number: int
    """From 1; 0 outside of play."""
    trick: tuple[Card, ...]
    """The cards of the running trick, the leader's first, then clockwise."""
    broken: bool
    tricks: tuple[HeartsTrick, ...]
    """The completed tricks of this round."""
    points: tuple[int, ...]
    """Penalty values taken in this round, by seat."""
    bonus: tuple[int, ...]
    """Bonus taken in this round, by seat."""
    last_trick: HeartsTrick | None
    """The last completed trick, also once the next round is dealt; None before the first."""
    score_sheet: tuple[HeartsRoundResult, ...]
    """The rounds that are scored, the oldest first."""


class HeartsPrivate(Value, frozen=True):
    """What only this seat knows beyond its hand; empty where nothing was passed."""

    passed: tuple[Card, ...]
    """The cards this seat committed in this round."""
    passed_to: Seat | None
    received: tuple[Card, ...]
    """The cards it received in this round; empty before the exchange."""
    received_from: Seat | None


# what may be done now


class HeartsLegalBase(Legal, frozen=True, tag=tag_after("Hearts")):
    """Base of legal entries: tags follow from class names."""


class HeartsLegalPass(HeartsLegalBase, frozen=True):
    """Any `count` different ones of these cards may be passed."""

    cards: tuple[Card, ...]
    count: int


class HeartsLegalPlay(HeartsLegalBase, frozen=True):
    """Any one of these cards may be played."""

    cards: tuple[Card, ...]


HeartsLegal: TypeAlias = HeartsLegalPass | HeartsLegalPlay
