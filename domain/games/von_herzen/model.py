"""What exists in a match of Von Herzen: options, the state and what is shown of it."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.cards import Card
from domain.decider import Seat
from domain.games.von_herzen.facts import Cards, VonHerzenCardsSwapped

Colour: TypeAlias = Literal["black", "red"]
Phase: TypeAlias = Literal[
    "before",
    "dealing",
    "swap_offer",
    "swap_answer",
    "swap_take",
    "swap_agree",
    "draw",
    "lay",
    "closing",
    "scoring",
    "over",
]
"""The step that is open. Nobody has to act in `before` (the match has not begun), `scoring` and `dealing`
(between the facts of one event: a round is to be counted, or to be dealt) and `over`."""

IDLE: Final[tuple[Phase, ...]] = ("before", "dealing", "scoring", "over")
"""The steps in which nobody has to act."""


class VonHerzenOptions(Struct, frozen=True, gc=False):
    """The options of a table, complete (V-77)."""

    # V-1
    players: Annotated[
        int, Meta(ge=2, le=6, description="Number of players. If absent, the number of seats of the table.")
    ]
    # V-70
    complete_rounds: Annotated[
        int, Meta(ge=1, le=10, description="Complete rounds: in each of them everybody deals once.")
    ] = 2
    # V-26
    swap_rounds: Annotated[int, Meta(ge=1, le=2, description="How often everybody is giver in the swap phase.")] = 1
    # V-32
    pile_pick: Annotated[Literal["top", "any"], Meta(description="Which card of the discard pile may be taken.")] = (
        "top"
    )
    # V-46
    own_joker_layoff: Annotated[
        bool, Meta(description="Whether a joker may be added to one's own run on the table.")
    ] = True
    # V-66
    pure_flute_four: Annotated[
        bool, Meta(description="Whether a run of eight without a joker earns 4 extra points instead of 2.")
    ] = False
    # V-60
    standstill_rounds: Annotated[int, Meta(ge=1, le=5, description="Go-rounds without progress that end a round.")] = 2


# state


class VonHerzenRun(Struct, frozen=True, gc=False):
    """A run on the table, cards from its low end to its high end."""

    id: int
    """Its number in the round, from 0 in the order of laying."""
    owner: Seat
    cards: Cards
    colour: Colour
    joker: Card | None
    """The one card of the other colour, if any."""


class VonHerzenGiverTurn(Struct, frozen=True, gc=False):
    """What everybody knows of a giver's finished turn: numbers, never cards."""

    giver: Seat
    receiver: Seat
    offered: int
    """Cards offered; 0: the giver passed."""
    countered: int
    """Cards of the counter-proposal; 0: there was none."""
    result: Literal["passed", "declined", "withdrawn", "accepted", "taken", "agreed"]
    partner: Seat | None
    """With whom the giver swapped, if he did."""
    swapped: int
    """Cards swapped each way."""


class VonHerzenSwap(Struct, frozen=True, gc=False):
    """A giver's running turn. The cards lie on the table but count to their owner's hand (V-25)."""

    giver: Seat
    receiver: Seat
    offered: Cards = ()
    countered: Cards = ()


class VonHerzenState(Struct, frozen=True, gc=False):
    """Everything about a match, secrets included."""

    options: VonHerzenOptions
    totals: tuple[int, ...]
    scores: tuple[tuple[int, ...], ...] = ()
    """Scores of the finished rounds, one row of seats for each."""
    round: int = 0
    dealer: Seat = 0
    phase: Phase = "before"
    actor: Seat = 0
    """The seat to move, in the phases in which somebody has to."""
    hands: tuple[Cards, ...] = ()
    """Each in canonical order, offered and countered cards included."""
    stock: Cards = ()
    """Top card first."""
    pile: Cards = ()
    """The discard pile, top card last."""
    runs: tuple[VonHerzenRun, ...] = ()
    taken: tuple[Cards, ...] = ()
    """For each seat the cards it took from the discard pile and still holds: everybody saw them."""
    swap_round: int = 1
    swap: VonHerzenSwap | None = None
    giver_turns: tuple[VonHerzenGiverTurn, ...] = ()
    swaps: tuple[VonHerzenCardsSwapped, ...] = ()
    """The swaps of this round, complete."""
    turn: int = 0
    """Number of the turn in the meld phase, from 0."""
    idle: int = 0
    """Finished turns in a row without progress (V-60)."""
    progress: bool = False
    """Whether the running turn has made progress."""
    out: Seat | None = None
    """Who went out first in this round."""


# what is shown of it


class VonHerzenSwapBoard(Struct, frozen=True, gc=False):
    """The public side of a giver's running turn."""

    giver: Seat
    receiver: Seat
    offered: int
    countered: int


class VonHerzenBoard(Struct, frozen=True, gc=False):
    """The public part of a view (V-73)."""

    options: VonHerzenOptions
    round: int
    rounds: int
    """Rounds of the whole match (V-70)."""
    dealer: Seat
    phase: Phase
    actor: Seat | None
    hand_counts: tuple[int, ...]
    stock: int
    pile: Cards
    """Top card last."""
    runs: tuple[VonHerzenRun, ...]
    taken: tuple[Cards, ...]
    """For each seat the cards it took from the discard pile and still holds."""
    swap_round: int
    swap: VonHerzenSwapBoard | None
    giver_turns: tuple[VonHerzenGiverTurn, ...]
    turn: int
    go_round: int
    """From 1 in the meld phase; 0 in the swap phase."""
    idle: int
    idle_most: int
    """So many turns in a row without progress end the round (V-60)."""
    out: Seat | None
    scores: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]


class VonHerzenSwapSeen(Struct, frozen=True, gc=False):
    """A swap of this round as one of its two sides knows it."""

    partner: Seat
    gave: Cards
    got: Cards


class VonHerzenPrivate(Struct, frozen=True, gc=False):
    """What only this seat knows beyond its hand."""

    offered: Cards
    """Its own cards that lie offered now; they still count to its hand."""
    countered: Cards
    """Its own cards that lie in a counter-proposal now; they still count to its hand."""
    swaps: tuple[VonHerzenSwapSeen, ...]
    """Its swaps of this round, in order."""
