"""What exists in Rommé: options, melds, the state and the view; moves are in `moves.py`, facts in `facts.py`.

Names are a storage format: tags and field names of options, moves and facts stand in recorded events. They
never change their meaning; a new field has a default, and what cannot be said that way is lifted, see
`domain/games/romme/lifts.py`.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, field

from domain.cards import Card, Face
from domain.decider import Seat
from domain.games.romme.moves import RommeChosenMeld, RommeDrawStock, RommeEnd, RommeLayOff, RommePrepare
from domain.options import Follows, option
from domain.structs import Legal, Tagged, Value, tag_after

# options

RommeMatchEnd: TypeAlias = Literal["rounds", "points", "open"]
RommeDiscardDraw: TypeAlias = Literal["always", "after_out"]


class RommeOptions(Value, frozen=True, forbid_unknown_fields=True):
    """The seven options in full; the first four are house rules (R-71)."""

    first_meld_min: Annotated[
        Literal[30, 40, 0],
        option(
            "Points that the first laying of a seat in a round must reach; 0: any meld will do.",
            30,
            title="Points to come out",
            labels={30: "30 points", 40: "40 points", 0: "None"},
        ),
    ]
    joker_swap: Annotated[
        bool,
        option("A joker on the table may be taken for the card it stands for.", default=False, title="Swap jokers"),
    ]
    hand_romme_double: Annotated[
        bool,
        option("Going out in one turn doubles what the others count.", default=True, title="Hand Rommé counts double"),
    ]
    discard_draw: Annotated[
        RommeDiscardDraw,
        option(
            "Who may take the top of the pile: everybody, or only seats that have laid.",
            "always",
            title="Taking from the pile",
            labels={"always": "Everybody", "after_out": "Only who is out"},
        ),
    ]
    match_end: Annotated[
        RommeMatchEnd,
        option(
            "After a number of rounds, at a number of points, or when the host ends it. Fixed with the first deal.",
            "rounds",
            title="End of the match",
            labels={
                "rounds": "After a number of rounds",
                "points": "At a number of points",
                "open": "When the host ends it",
            },
        ),
    ]
    rounds: Annotated[
        Annotated[int, Meta(ge=1, le=30)] | None,
        option(
            "Only if the match ends by rounds: how many, 5 if not given; otherwise null.",
            Follows("match_end", {"rounds": 5, "points": None, "open": None}, off=None),
            title="Number of rounds",
        ),
    ]
    target_score: Annotated[
        Literal[100, 200, 300, 500, 1000] | None,
        option(
            "Only if the match ends by points: how many, 500 if not given; otherwise null.",
            Follows("match_end", {"rounds": None, "points": 500, "open": None}, off=None),
            title="Limit of points",
        ),
    ]


RommeOptionValue: TypeAlias = int | bool | str | None


# melds

RommeMeldKind: TypeAlias = Annotated[
    Literal["set", "run"],
    Meta(title="RommeMeldKind", description="A set has one rank in several suits, a run several ranks in one suit."),
]


class RommeSlot(Value, frozen=True):
    """A place of a meld: the card that lies there and the face it shows."""

    card: Card
    face: Face


class RommeMeld(Value, frozen=True):
    """A meld on the table; runs from low to high, sets in suit order."""

    id: str
    """`m1`, `m2`, ... in order of laying within the round (R-32)."""
    owner: Seat
    """Who laid it; without effect."""
    kind: RommeMeldKind
    slots: tuple[RommeSlot, ...]
    points: int
    """What it counted when it was laid (R-30)."""


class RommeDraft(Value, frozen=True):
    """A meld that its seat has prepared and not laid; nobody else knows of it (R-39)."""

    draft: str
    """`p1`, `p2`, ... within the turn."""
    kind: RommeMeldKind
    slots: tuple[RommeSlot, ...]
    points: int


class RommeReading(Value, frozen=True):
    """One thing that cards can be: the meld as it may be sent, and what it counts."""

    kind: RommeMeldKind
    points: int
    meld: RommeChosenMeld


# state

RommePhase: TypeAlias = Literal["lobby", "opening", "draw", "play", "emptied", "shuffling", "scoring", "over"]
"""`lobby` before the first round, `over` after each; `opening` is the starter's discard (section 17).

`emptied`, `shuffling` and `scoring` only come between the facts of one event: the stock is to be counted as
empty, the pile to be shuffled, the round to be counted."""
RommeEndReason: TypeAlias = Literal["out", "exhausted"]


class RommeRoundResult(Value, frozen=True):
    """How a round ended; every list is by seat."""

    round: int
    reason: RommeEndReason
    """`out`: somebody discarded the last card; `exhausted`: the stock was empty for the fourth time."""
    winners: tuple[Seat, ...]
    hand_romme: bool
    values: tuple[int, ...]
    """Hand values of the cards left."""
    points: tuple[int, ...]
    """Round points."""
    options: RommeOptions
    """What the round was played under (R-76)."""


class RommeState(Value, frozen=True):
    """Everything about a match, secrets included; every list is by seat."""

    options: RommeOptions
    """In force from the next deal on."""
    seats: int
    totals: tuple[int, ...]
    score_sheet: tuple[RommeRoundResult, ...]
    """One for each round that ended."""
    places: tuple[int, ...] | None
    """Set when the match has ended."""
    round: int
    """The running or last round, from 1; 0 before the first deal."""
    round_options: RommeOptions
    """Snapshot the running or last round is played under."""
    starter: Seat
    phase: RommePhase
    turn: Seat
    turn_number: int
    """Turns of the match begun so far: drafts belong to one of them."""
    lays: int
    """Times the seat on turn has laid melds in this turn: open drafts end with each."""
    arrivals: int
    """Deals, draws and swaps of the match so far: tells whether a card came after its hand was arranged."""
    hands: tuple[tuple[Card, ...], ...]
    """Each in the order in which the cards came (R-82)."""
    entered: tuple[tuple[int, ...], ...]
    """For each card of each hand the value of `arrivals` when it came."""
    shown: tuple[tuple[Card, ...], ...]
    """Cards of each hand that everybody saw it take, from the pile or as a joker from a meld."""
    first_lay: tuple[int | None, ...]
    """Points of the first laying; None: not out."""
    out_at_turn_start: bool
    """Whether the seat that drew last was out before it did (R-55)."""
    taken: Card | None
    """The just-taken card of this turn (R-24)."""
    drawn: Card | None
    """The card drawn from the stock in this turn; only its seat may know it."""
    progress: bool
    """In this turn somebody drew from the stock, laid, laid off or swapped (R-19)."""
    idle_turns: int
    stock: tuple[Card, ...]
    """The order of the last shuffle as far as it was not dealt, the top card first."""
    stock_drawn: int
    """How many cards of it were drawn."""
    pile: tuple[Card, ...]
    """The top card last."""
    melds: tuple[RommeMeld, ...]
    empties: int

    def is_out(self, seat: Seat) -> bool:
        """Whether a seat has laid in this round (R-36)."""
        return self.first_lay[seat] is not None

    def meld_named(self, name: str) -> RommeMeld | None:
        """Return the meld on the table that has this name (R-32)."""
        return next((meld for meld in self.melds if meld.id == name), None)

    @property
    def stock_size(self) -> int:
        """Cards left in the stock."""
        return len(self.stock) - self.stock_drawn


# views


class RommeRoundRow(Value, frozen=True):
    """A round that ended, in the score sheet; every list is by seat."""

    round: int
    reason: RommeEndReason
    winners: tuple[Seat, ...]
    hand_romme: bool
    values: tuple[int, ...]
    """Hand values of the cards left."""
    points: tuple[int, ...]
    """Round points."""
    options: RommeOptions | None
    """What the round was played under, where that is not what holds from the next deal on (R-76)."""


class RommeBoard(Value, frozen=True):
    """What all seats and any spectator may know (R-86); every list is by seat."""

    phase: RommePhase
    changed: tuple[str, ...]
    """Names of the options that differ from their defaults (R-77)."""
    round_options: RommeOptions | None
    """What the running or last round is played under, where that is not what holds from the next deal on."""
    starter: Seat | None
    turn: Seat | None
    hand_sizes: tuple[int, ...]
    first_lay: tuple[int | None, ...]
    """Points of the first laying; None: not out."""
    shown: tuple[tuple[Card, ...], ...]
    """Cards of each hand that everybody saw it take, from the pile or as a joker from a meld."""
    taken: Card | None
    """The card taken from the pile in this turn, which may not be discarded in it."""
    stock_size: int
    empties: int
    """How often the stock was empty at the end of a turn; the fourth time ends the round."""
    idle_turns: int
    """Turns in a row without progress; at twelve times the seats the stock must be drawn from."""
    pile_top: Card | None
    pile_size: int
    melds: tuple[RommeMeld, ...]
    score_sheet: tuple[RommeRoundRow, ...]
    """The rounds that ended, the oldest first."""
    hands: tuple[tuple[Card, ...], ...] | None
    """All hands as the last round left them, open until the next deal (R-64)."""


class RommePreparable(Value, frozen=True):
    """A meld that may be set aside now."""

    kind: RommeMeldKind
    points: int
    draft: RommePrepare
    """The draft as it can be sent."""


class RommePrivate(Value, frozen=True):
    """What only this seat knows beyond its hand."""

    drawn: Card | None
    """The card drawn from the stock in this turn."""
    drafts: tuple[RommeDraft, ...]
    """The open drafts; as long as there are any, nothing can be discarded. Each can be taken back."""
    preparable: tuple[RommePreparable, ...]
    """Melds of cards that are in no draft, most points first; other readings of the same cards may be accepted too.
    Empty unless the seat may lay."""
    points: int
    """Sum of the drafts."""
    missing: int
    """What the drafts lack for the first laying; 0 once out."""


# what may be done now


class RommeLegalBase(Legal, frozen=True, tag=tag_after("Romme")):
    """Base of legal entries: tags follow from class names."""


class RommeLegalDrawPile(RommeLegalBase, frozen=True):
    """This card may be taken from the pile."""

    card: Card


class RommeLegalLay(RommeLegalBase, frozen=True):
    """Melds can be laid; only suggestions, other choices may be accepted too."""

    need: int
    """Points that all melds laid together must reach; 0 once out."""
    drafted: bool
    """The open drafts are accepted as they are: `lay` without melds."""
    best: tuple[RommeReading, ...]
    """The best lay that was found: all of these together."""
    alone: tuple[RommeReading, ...]
    """Melds each of which is accepted on its own."""


class RommeLayOffPlace(Value, frozen=True, omit_defaults=True):
    """One card and a place where it may be laid off."""

    meld: str
    card: Card
    face: Face | None = field(default=None, name="as")
    """For a joker: what it has to be declared as."""
    end: RommeEnd | None = None
    """Set only where both ends are possible."""


class RommeLegalLayOff(RommeLegalBase, frozen=True, omit_defaults=True):
    """Any one of these cards may be laid off; several together may be accepted too."""

    places: tuple[RommeLayOffPlace, ...]
    together: tuple[RommeLayOff, ...] = ()
    """Moves that are accepted as they are: a joker that its run takes only along with real cards (R-45)."""


class RommeSwap(Value, frozen=True):
    """A joker on the table and a card of the hand that may take its place."""

    meld: str
    joker: Card
    card: Card


class RommeLegalSwapJoker(RommeLegalBase, frozen=True):
    """Any one of these swaps may be made."""

    swaps: tuple[RommeSwap, ...]


class RommeLegalDiscard(RommeLegalBase, frozen=True):
    """Any one of these cards may be discarded."""

    cards: tuple[Card, ...]


RommeLegal: TypeAlias = (
    RommeDrawStock | RommeLegalDrawPile | RommeLegalLay | RommeLegalLayOff | RommeLegalSwapJoker | RommeLegalDiscard
)

# answers


class RommeAnswerBase(Tagged, frozen=True, tag=tag_after("Romme")):
    """Base of answers: tags follow from class names."""


class RommeReadings(RommeAnswerBase, frozen=True):
    """Everything the cards can be; empty if they fit nowhere."""

    readings: tuple[RommeReading, ...]
    """For a meld on the table `meld` holds the cards to add, kind and points the result."""


class RommePartition(RommeAnswerBase, frozen=True):
    """The best split of the hand that was found."""

    melds: tuple[RommeReading, ...]
    """Worth most hand value together; they need not be a lay that is allowed now."""
    points: int
    """Their meld points."""
    left: tuple[Card, ...]
    """The cards in none of them."""
    first_lay: tuple[RommeReading, ...]
    """While not out: the split with the most meld points."""


class RommeMelds(RommeAnswerBase, frozen=True):
    """Every meld that the hand can form, most points first, with as few jokers as its faces need."""

    melds: tuple[RommeReading, ...]


RommeAnswer: TypeAlias = RommeReadings | RommePartition | RommeMelds
