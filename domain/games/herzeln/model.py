"""What exists in Herzeln: options, moves, facts and their public and private forms, state and view.

Names are a storage format: tags and field names of options, moves and facts stand in recorded events. They
never change their meaning; a new field has a default, and what cannot be said that way is lifted, see
`domain/games/romme/lifts.py`.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

from domain.cards import Card
from domain.decider import Seat
from domain.options import option
from domain.structs import Fact, Legal, Move, Tagged, Value, tag_after

HerzelnCardName: TypeAlias = Annotated[
    str, Meta(title="Card", max_length=8, description="Rank then suit.", examples=["QS", "TH"])
]
HerzelnEnd: TypeAlias = Annotated[
    Literal["open", "up", "down"],
    Meta(
        title="HerzelnEnd",
        description="Where a card goes: `open` for the first jack, then `up` for the high or `down` for the low end.",
    ),
]
HerzelnMatchLength: TypeAlias = Literal["one_series", "series_per_player"]
HerzelnPhase: TypeAlias = Literal["new", "tricks", "layout", "finished"]
HerzelnContract: TypeAlias = Annotated[
    int,
    Meta(
        description="1 hearts, 2 tricks wanted, 3 tricks unwanted, 4 queens, 5 king of hearts, "
        "6 last trick wanted, 7 last trick unwanted, 8 layout."
    ),
]

# options


class HerzelnOptions(Value, frozen=True, forbid_unknown_fields=True):
    """All options of a table (section 2)."""

    players: Annotated[
        int,
        option(
            "Number of players, which decides the pack (Z-1); if absent, the number of seats asked for.",
            title="Players",
            values=(3, 4),
        ),
    ]
    match_length: Annotated[
        HerzelnMatchLength,
        option(
            "One series of eight rounds, or as many series as players (Z-51).",
            "one_series",
            title="Length of the match",
            labels={"one_series": "One series", "series_per_player": "One series for each player"},
        ),
    ]
    stop_when_decided: Annotated[
        bool,
        option(
            "End a round once its last scoring card has been taken (Z-28).", default=False, title="Stop decided rounds"
        ),
    ]


# moves


class HerzelnMoveBase(Move, frozen=True, tag=tag_after("Herzeln")):
    """Base of moves: tags follow from class names."""


class HerzelnPlay(HerzelnMoveBase, frozen=True):
    """Play a card to the trick (contracts 1 to 7)."""

    card: HerzelnCardName


class HerzelnPlace(HerzelnMoveBase, frozen=True):
    """Place a card at an end of the line (contract 8)."""

    card: HerzelnCardName
    end: HerzelnEnd = "open"
    """`open` for the first jack, then `up` for the high or `down` for the low end."""


class HerzelnPass(HerzelnMoveBase, frozen=True):
    """Pass in the layout (contract 8), because no card fits."""


HerzelnMove: TypeAlias = HerzelnPlay | HerzelnPlace | HerzelnPass

# facts


class HerzelnFactBase(Fact, frozen=True, tag=tag_after("Herzeln")):
    """Base of facts and of their forms: tags follow from class names."""


class HerzelnFirstDealerDrawn(HerzelnFactBase, frozen=True):
    """The match has started; the first dealer was drawn."""

    dealer: Seat


class HerzelnPackDealt(HerzelnFactBase, frozen=True):
    """A round was dealt: the complete form, with the order of the pack."""

    round: int
    """Number of the round in the match, from 1."""
    contract: HerzelnContract
    dealer: Seat
    pack: tuple[Card, ...]
    """The shuffled pack; dealt singly from its first card, clockwise from the dealer's left."""


class HerzelnRoundDealt(HerzelnFactBase, frozen=True):
    """A round was dealt: what everybody learns."""

    round: int
    """Number of the round in the match, from 1."""
    contract: HerzelnContract
    dealer: Seat


class HerzelnHandDealt(HerzelnFactBase, frozen=True):
    """A round was dealt: what the owner of a hand learns."""

    round: int
    hand: tuple[Card, ...]
    """Sorted by suit (C S H D), then rank."""


class HerzelnCardPlayed(HerzelnFactBase, frozen=True):
    """A seat played a card to the trick."""

    seat: Seat
    card: Card


class HerzelnTrickTaken(HerzelnFactBase, frozen=True):
    """The trick is complete and goes to a seat, which leads to the next."""

    seat: Seat
    points: int
    """What the trick scores under the contract."""


class HerzelnCardPlaced(HerzelnFactBase, frozen=True):
    """A seat placed a card in the layout."""

    seat: Seat
    card: Card
    end: HerzelnEnd


class HerzelnPassed(HerzelnFactBase, frozen=True):
    """A seat had no card that fits the line."""

    seat: Seat


class HerzelnSeatFinished(HerzelnFactBase, frozen=True):
    """A seat placed its last card in the layout."""

    seat: Seat
    place: int
    """1 for the first to finish."""
    points: int


class HerzelnRoundScored(HerzelnFactBase, frozen=True):
    """A round is over."""

    round: int
    points: tuple[int, ...]
    """Points of the round by seat."""
    totals: tuple[int, ...]
    """Points of the match so far by seat."""
    left: tuple[tuple[Card, ...], ...]
    """Cards left in the hands, by seat."""


class HerzelnMatchEnded(HerzelnFactBase, frozen=True):
    """The last round has been scored."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    """Place of each seat, 1 is best; ties share a place."""


HerzelnOpenFact: TypeAlias = (
    HerzelnFirstDealerDrawn
    | HerzelnCardPlayed
    | HerzelnTrickTaken
    | HerzelnCardPlaced
    | HerzelnPassed
    | HerzelnSeatFinished
    | HerzelnRoundScored
    | HerzelnMatchEnded
)
HerzelnFact: TypeAlias = HerzelnOpenFact | HerzelnPackDealt
HerzelnPublicFact: TypeAlias = HerzelnOpenFact | HerzelnRoundDealt
HerzelnPrivateFact: TypeAlias = HerzelnHandDealt

# parts that state and board share


class HerzelnTrick(Value, frozen=True):
    """A completed trick."""

    leader: Seat
    cards: tuple[Card, ...]
    """In the order of play, the leader's first."""
    winner: Seat
    points: int


class HerzelnForcedPass(Value, frozen=True):
    """A pass in the layout, and the ranks the seat was asked for and did not have."""

    seat: Seat
    asked: tuple[str, ...]
    """Ranks at the high and the low end; `J` at an empty line."""


class HerzelnRoundResult(Value, frozen=True):
    """A finished round."""

    round: int
    """Number of the round in the match, from 1."""
    contract: HerzelnContract
    dealer: Seat
    points: tuple[int, ...]


# state


class HerzelnTricks(Tagged, frozen=True, tag="tricks"):
    """A round of contracts 1 to 7."""

    number: int
    contract: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    leader: Seat
    trick: tuple[Card, ...]
    taken: tuple[HerzelnTrick, ...]


class HerzelnLayout(Tagged, frozen=True, tag="layout"):
    """A round of contract 8."""

    number: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    turn: Seat
    line: tuple[Card, ...]
    finished: tuple[Seat, ...]
    passes: tuple[HerzelnForcedPass, ...]
    passes_running: int
    """Passes since the last card was placed."""
    last_mover: Seat | None


class HerzelnState(Value, frozen=True):
    """The whole state of a match. The finished round stays until the next is dealt."""

    options: HerzelnOptions
    first_dealer: Seat | None
    totals: tuple[int, ...]
    score_sheet: tuple[HerzelnRoundResult, ...]
    left: tuple[tuple[Card, ...], ...]
    """Cards that were left in the hands when the last scored round ended."""
    places: tuple[int, ...] | None
    round: HerzelnTricks | HerzelnLayout | None
    last_trick: HerzelnTrick | None = None
    """The last trick of the rounds that are scored; null before the first."""


# views


class HerzelnTricksBoard(Tagged, frozen=True, tag="tricks"):
    """The public part of a round of tricks."""

    leader: Seat
    """Who leads or led to the current trick."""
    trick: tuple[Card, ...]
    """The current trick in the order of play."""
    taken: tuple[HerzelnTrick, ...]
    """Completed tricks, the oldest first."""
    tricks_won: tuple[int, ...]
    """Number of tricks by seat."""


class HerzelnLayoutBoard(Tagged, frozen=True, tag="layout"):
    """The public part of a layout."""

    line: tuple[Card, ...]
    """All cards of the line, the low end first."""
    up: str | None
    """Rank that fits at the high end; None while the line is empty."""
    down: str | None
    """Rank that fits at the low end; None while the line is empty."""
    finished: tuple[Seat, ...]
    """Seats that are out, in the order of finishing."""
    passes: tuple[HerzelnForcedPass, ...]
    """All passes, the oldest first."""


HerzelnRoundBoard: TypeAlias = Annotated[HerzelnTricksBoard | HerzelnLayoutBoard, Meta(title="HerzelnRoundBoard")]


class HerzelnBoard(Value, frozen=True):
    """All that every seat and any spectator may know of a match."""

    phase: HerzelnPhase
    """`new` before the start; `tricks` and `layout` as the contract says."""
    rounds: int
    """Number of rounds of the match."""
    contract: HerzelnContract | None
    """None before the start."""
    dealer: Seat | None
    turn: Seat | None
    """Whose turn it is."""
    hand_sizes: tuple[int, ...]
    """Number of cards in each hand."""
    points: tuple[int, ...]
    """Points of the running or last round so far, by seat."""
    score_sheet: tuple[HerzelnRoundResult, ...]
    """All finished rounds, the oldest first."""
    left: tuple[tuple[Card, ...], ...]
    """Cards that were left in each hand when the last finished round ended."""
    play: HerzelnRoundBoard | None
    """The round itself; None before the start."""
    last_trick: HerzelnTrick | None
    """The last completed trick, also once the next round is dealt; None before the first."""


class HerzelnPrivate(Value, frozen=True):
    """What a seat knows beyond its hand: nothing in this game."""


# what may be done now


class HerzelnLegalBase(Legal, frozen=True, tag=tag_after("Herzeln")):
    """Base of legal entries: tags follow from class names."""


class HerzelnLegalPlay(HerzelnLegalBase, frozen=True):
    """One of these cards may be played."""

    cards: tuple[Card, ...]


class HerzelnPlacement(Value, frozen=True):
    """A card that may be placed, and where."""

    card: Card
    ends: tuple[HerzelnEnd, ...]


class HerzelnLegalPlace(HerzelnLegalBase, frozen=True):
    """One of these cards must be placed, at one of its ends."""

    placements: tuple[HerzelnPlacement, ...]


HerzelnLegal: TypeAlias = HerzelnLegalPlay | HerzelnLegalPlace | HerzelnPass
