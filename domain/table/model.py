"""What exists at a table: seats, facts about them, the state, refusals."""

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from domain.decider import AnyGame, Seat
from domain.structs import Fact, tag_after

Status: TypeAlias = Literal["lobby", "starting", "running", "between_rounds", "finished", "closed"]
"""`lobby`: before the match. `starting`: seats reveal the seeds that they committed to; no table is, before shuffles
under `bw2`. `between_rounds`: the host starts the next round (Rommé). `closed`: given
up before its end."""
Visibility: TypeAlias = Literal["public", "private"]
BotPace: TypeAlias = Literal["normal", "quick"]
"""How long bots wait before a move. `quick` counts only while a single person sits at the table."""
SeatKind: TypeAlias = Literal["open", "person", "bot"]

OPEN_STATUSES: Final = ("lobby", "running", "between_rounds")
"""Statuses in which a table still accepts commands."""


# What is asked of a table beside the game's moves

TableCommand: TypeAlias = Literal[
    "create", "sit", "seat_bot", "unseat_bot", "leave_table", "start", "options", "ready", "end", "adjudicate"
]
"""Types of events that record no move. No move of a game has such a type."""
FORMER_COMMANDS: Final[Mapping[str, TableCommand]] = {"leave": "leave_table"}
"""What older events call commands of the table: in Von Herzen a move has that name, which answers a decision."""


class Setup(Struct, frozen=True, gc=False):
    """What is fixed when a table is created."""

    table: str
    """The table's id, a UUID in its usual text form."""
    game: AnyGame
    options: Any
    """The game's options in full at creation; a running game keeps its own."""
    seats: int
    visibility: Visibility
    commitment: str
    """C of bw1 in hex: binds the server to the secret of this table."""
    created: int
    """Milliseconds since 1970 UTC."""
    bot_pace: BotPace = "normal"


class Occupant(Struct, frozen=True, gc=False):
    """Who holds a seat."""

    kind: SeatKind = "open"
    player: str | None = None
    """The account's id while a person holds the seat."""
    seed: str | None = None
    """Client seed in hex, kept with the seat for the match key."""


OPEN_SEAT: Final = Occupant()


# Facts


class TableFactBase(Fact, frozen=True, tag=tag_after("")):
    """Base of facts: tags follow from class names."""


class TableCreated(TableFactBase, frozen=True, omit_defaults=True):
    """The table exists; its creator holds seat 0 and is host."""

    game: str
    rules_version: int
    options: dict[str, Any]
    seats: int
    visibility: Visibility
    player: str
    commitment: str
    bot_pace: BotPace = "normal"


class SeatTaken(TableFactBase, frozen=True, omit_defaults=True):
    """A person sat down."""

    seat: Seat
    player: str
    client_seed: str | None = None


class ClientSeedGiven(TableFactBase, frozen=True):
    """A seated person added the seed that the shuffles will depend on."""

    seat: Seat
    client_seed: str


class BotSeated(TableFactBase, frozen=True):
    """A bot sits on an open seat, or took over from the person who left."""

    seat: Seat


class SeatFreed(TableFactBase, frozen=True):
    """A seat became open before the match."""

    seat: Seat


class HostChanged(TableFactBase, frozen=True):
    """Another person is host, since the former one left."""

    seat: Seat


class ReadyMarked(TableFactBase, frozen=True):
    """A seated person set or cleared a ready mark. It informs the host and binds nobody."""

    seat: Seat
    ready: bool


class ReadyCleared(TableFactBase, frozen=True):
    """All ready marks are gone, since an option changed or a round began."""


class MatchStarted(TableFactBase, frozen=True):
    """The match began; the match key is fixed from here on."""


class SecretRevealed(TableFactBase, frozen=True):
    """The table's secret, once the match is over: every shuffle and seal can be checked with it."""

    secret: str


class TableClosed(TableFactBase, frozen=True):
    """No person is left: nothing more happens at this table."""

    reason: Literal["abandoned"]


Verdict: TypeAlias = Literal["upheld", "rejected", "void"]
"""How an arbiter decides a dispute. `void`: it cannot be decided, or the match cannot count as played."""


class Adjudicated(TableFactBase, frozen=True):
    """An arbiter decided a dispute about this match, after its end. Nothing of what was played changes."""

    dispute: str
    """The dispute's id; its own stream holds claim, evidence and reasons."""
    version: int
    """The disputed version of the table."""
    arbiter: str
    """The account of the arbiter who decided."""
    decision: Verdict
    annulled: bool
    """Whether the match no longer counts in standings."""
    resolution: int
    """The version of the dispute's stream that decides it."""
    hash: str
    """The chain hash of that version in hex: binds the match to the dispute as it was decided."""


TableFact: TypeAlias = (
    TableCreated
    | SeatTaken
    | ClientSeedGiven
    | BotSeated
    | SeatFreed
    | HostChanged
    | ReadyMarked
    | ReadyCleared
    | MatchStarted
    | SecretRevealed
    | TableClosed
    | Adjudicated
)


class Facts(Struct, frozen=True, gc=False):
    """All that follows from one command: the table's facts, then the game's."""

    table: tuple[TableFact, ...] = ()
    game: tuple[Any, ...] = ()


class Accepted(Struct, frozen=True, gc=False):
    """A move that the rules accept: its facts, and the game's state after them."""

    facts: Facts
    game_state: Any


# State


class TableState(Struct, frozen=True, gc=False):
    """The fold of a table's events."""

    setup: Setup
    version: int
    status: Status
    seats: tuple[Occupant, ...]
    host: Seat | None
    ready: tuple[bool, ...]
    decisions: tuple[int | None, ...]
    """For each seat the number of its open decision."""
    game_state: Any
    """The game's state."""
    adjudications: tuple[Adjudicated, ...] = ()
    """What arbiters decided about the finished match, in order."""

    @property
    def annulled(self) -> bool:
        """Whether the last word on any dispute is that the match does not count."""
        return any(last.annulled for last in {one.dispute: one for one in self.adjudications}.values())

    @property
    def final_version(self) -> int | None:
        """The version that ended the match, None before: every later event is an adjudication."""
        return None if self.status in OPEN_STATUSES else self.version - len(self.adjudications)


class TableRefusal(Struct, frozen=True, gc=False):
    """The table, not a rule of the game, refuses a command. Nothing is recorded."""

    code: str
    """A key of `REFUSALS`."""


REFUSALS: Final[dict[str, str]] = {
    "match_over": "The match is over, or the table was closed.",
    "match_started": "The match has already started.",
    "round_not_next": "This is not the next round.",
    "match_not_started": "The match has not started yet.",
    "no_round_lobby": "In this game rounds start by themselves.",
    "round_running": "A round is being played; this is possible only between rounds.",
    "not_host": "Only the host of the table may do this.",
    "not_seated": "You hold no seat at this table.",
    "already_seated": "You already hold a seat at this table.",
    "seat_taken": "This seat is not open.",
    "seat_unknown": "The table has no such seat.",
    "table_full": "No seat is open.",
    "code_required": "A private table is joined with its join code.",
    "seat_not_bot": "There is no bot in this seat.",
    "seats_open": "Every seat must be taken by a person or a bot before the match can start.",
    "seed_given": "This seat has already given a client seed.",
    "options_fixed": "The options of this game are fixed when the table is created.",
    "no_private_stream": "This game has neither drafts nor a hand order.",
    "no_advice": "This game gives no advice.",
    "match_not_open": "This match ends by itself.",
    "stale_decision": "This decision is not open for your seat.",
    "decision_taken": "This decision has already been answered with another move.",
    "wrong_game": "This move belongs to another game.",
    "match_running": "The match is not over.",
    "version_unknown": "The match has no such version.",
    "dispute_decided": "This dispute was decided, and so was the appeal.",
    "annulled_rejected": "A match cannot be annulled by rejecting a dispute.",
}
"""Every refusal of a table with one sentence for the caller."""
