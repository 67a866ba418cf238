"""What exists in Von Herzen: options, the state and the view; moves are in `moves.py`, facts in `facts.py`.

Names are a storage format: tags and field names of options, moves and facts stand in recorded events. They
never change their meaning; a new field has a default, and what cannot be said that way is lifted, see
`domain/games/romme/lifts.py`.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta

from domain.cards import Card
from domain.decider import Seat
from domain.games.von_herzen.facts import VonHerzenCards, VonHerzenCardsSwapped, VonHerzenRoundEnd
from domain.options import option
from domain.structs import Value

VonHerzenColour: TypeAlias = Annotated[
    Literal["black", "red"], Meta(title="VonHerzenColour", description="Clubs and spades, or hearts and diamonds.")
]
VonHerzenPhase: TypeAlias = Literal[
    "before",
    "dealing",
    "swap_offer",
    "swap_answer",
    "swap_take",
    "swap_agree",
    "draw",
    "lay",
    "closing",
    "ending",
    "scoring",
    "over",
]
"""The step that is open. Nobody has to act in `before` (the match has not begun) and `over`, nor in what only
comes between the facts of one event: `ending`, `scoring` and `dealing` (a turn is to be ended after its
discard, a round to be counted, or to be dealt)."""

IDLE: Final[tuple[VonHerzenPhase, ...]] = ("before", "dealing", "ending", "scoring", "over")
"""The steps in which nobody has to act."""


# options


class VonHerzenOptions(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a table, complete (V-77)."""

    players: Annotated[
        int,
        Meta(ge=2, le=6),
        option("Number of players. If absent, the number of seats of the table.", title="Players"),
    ]  # V-1
    complete_rounds: Annotated[
        int,
        Meta(ge=1, le=10),
        option("Complete rounds: in each of them everybody deals once.", 2, title="Complete rounds"),
    ]  # V-70
    swap_rounds: Annotated[
        int, Meta(ge=1, le=2), option("How often everybody is giver in the swap phase.", 1, title="Swap rounds")
    ]  # V-26
    pile_pick: Annotated[
        Literal["any", "top"],
        option(
            "Which card of the discard pile may be taken.",
            "top",
            title="Taking from the discard pile",
            labels={"top": "Only the top card", "any": "Any card"},
        ),
    ]  # V-32
    own_joker_layoff: Annotated[
        bool,
        option(
            "Whether a joker may be added to one's own run on the table.", default=True, title="Add jokers to own runs"
        ),
    ]  # V-46
    pure_flute_four: Annotated[
        bool,
        option(
            "Whether a run of eight without a joker earns 4 extra points instead of 2.",
            default=False,
            title="Flute without a joker earns 4",
        ),
    ]  # V-66
    standstill_rounds: Annotated[
        int,
        Meta(ge=1, le=5),
        option("Go-rounds without progress that end a round.", 2, title="Go-rounds without progress"),
    ]  # V-60


# state


class VonHerzenRun(Value, frozen=True):
    """A run on the table, cards from its low end to its high end."""

    id: int
    """Its number in the round, from 0 in the order of laying."""
    owner: Seat
    cards: VonHerzenCards
    colour: VonHerzenColour
    joker: Card | None
    """The one card of the other colour, if any."""


class VonHerzenGiverTurn(Value, frozen=True):
    """What everybody knows of a giver's finished turn: numbers, never cards."""

    giver: Seat
    receiver: Seat
    offered: int
    """Cards offered; 0: the giver passed."""
    countered: int
    """Cards of the counter-proposal; 0: there was none."""
    result: Literal["passed", "declined", "withdrawn", "accepted", "taken", "agreed"]
    partner: Seat | None
    """The seat with which the giver swapped, if any."""
    swapped: int
    """Cards swapped each way."""


class VonHerzenSwap(Value, frozen=True):
    """A giver's running turn. The cards lie on the table but count to their owner's hand (V-25)."""

    giver: Seat
    receiver: Seat
    offered: VonHerzenCards = ()
    countered: VonHerzenCards = ()


class VonHerzenRoundResult(Value, frozen=True):
    """How a round ended; every list is by seat."""

    round: int
    ended: VonHerzenRoundEnd
    laid: tuple[int, ...]
    """Points for the real cards in the seat's runs, whoever laid them (V-61, V-62)."""
    flutes: tuple[int, ...]
    """Points for its runs of eight cards (V-64, V-66)."""
    kept: tuple[int, ...]
    """Points for the cards left in its hand, one below 0 for each (V-63)."""
    points: tuple[int, ...]
    """What the seat scored: the sum of the three."""


class VonHerzenState(Value, frozen=True):
    """Everything about a match, secrets included."""

    options: VonHerzenOptions
    totals: tuple[int, ...]
    score_sheet: tuple[VonHerzenRoundResult, ...] = ()
    """The finished rounds, the oldest first."""
    left: tuple[VonHerzenCards, ...] = ()
    """The cards left in each hand when the last finished round ended."""
    round: int = 0
    dealer: Seat = 0
    phase: VonHerzenPhase = "before"
    turn: Seat = 0
    """The seat to move, in the phases in which somebody has to."""
    hands: tuple[VonHerzenCards, ...] = ()
    """Each in canonical order, offered and countered cards included."""
    stock: VonHerzenCards = ()
    """Top card first."""
    pile: VonHerzenCards = ()
    """The discard pile, top card last."""
    melds: tuple[VonHerzenRun, ...] = ()
    taken: tuple[VonHerzenCards, ...] = ()
    """For each seat the cards it took from the discard pile and still holds: everybody saw them."""
    swap_round: int = 1
    swap: VonHerzenSwap | None = None
    giver_turns: tuple[VonHerzenGiverTurn, ...] = ()
    swaps: tuple[VonHerzenCardsSwapped, ...] = ()
    """The swaps of this round, complete."""
    turn_number: int = 0
    """Number of the turn in the meld phase, from 0."""
    idle_turns: int = 0
    """Finished turns in a row without progress (V-60)."""
    progress: bool = False
    """Whether the running turn has made progress."""
    out: Seat | None = None
    """Who went out first in this round."""


# views


class VonHerzenSwapBoard(Value, frozen=True):
    """The public side of a giver's running turn."""

    giver: Seat
    receiver: Seat
    offered: int
    countered: int


class VonHerzenBoard(Value, frozen=True):
    """The public part of a view (V-73)."""

    rounds: int
    """Rounds of the whole match (V-70)."""
    dealer: Seat
    phase: VonHerzenPhase
    turn: Seat | None
    hand_sizes: tuple[int, ...]
    stock_size: int
    pile: VonHerzenCards
    """Top card last."""
    melds: tuple[VonHerzenRun, ...]
    taken: tuple[VonHerzenCards, ...]
    """For each seat the cards it took from the discard pile and still holds."""
    swap_round: int
    swap: VonHerzenSwapBoard | None
    giver_turns: tuple[VonHerzenGiverTurn, ...]
    turn_number: int
    go_round: int
    """From 1 in the meld phase; 0 in the swap phase."""
    idle_turns: int
    idle_turns_max: int
    """So many turns in a row without progress end the round (V-60)."""
    out: Seat | None
    score_sheet: tuple[VonHerzenRoundResult, ...]
    """The finished rounds, the oldest first."""
    left: tuple[VonHerzenCards, ...]
    """The cards left in each hand when the last finished round ended, also once the next is dealt; empty before."""


class VonHerzenSwapSeen(Value, frozen=True):
    """A swap of this round as one of its two sides knows it."""

    partner: Seat
    gave: VonHerzenCards
    got: VonHerzenCards


class VonHerzenPrivate(Value, frozen=True):
    """What only this seat knows beyond its hand."""

    offered: VonHerzenCards
    """Its own cards that lie offered now; they still count to its hand."""
    countered: VonHerzenCards
    """Its own cards that lie in a counter-proposal now; they still count to its hand."""
    swaps: tuple[VonHerzenSwapSeen, ...]
    """Its swaps of this round, in order."""
