"""The contract that every game fulfils: frozen structs and pure functions.

A game never sees a clock, a database or a source of randomness. It judges moves (`decide`), applies
recorded facts (`changes`), says what is allowed (`legal`) and builds what a viewer may know.

What is hidden is never removed from a message; messages are built from types that have no field for
it. A fact has up to three forms:

- the fact itself, complete: what the fold needs. If it hides nothing it is stored as it is;
- its public form (`public_form`), one for each fact, in the same order: what everybody learns;
- a private form (`private_form`) for a seat that may learn more than everybody.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, Union

from msgspec import Struct

from domain.cards import Card
from domain.structs import Move

Seat: TypeAlias = int
"""A position at the table, 0-based, clockwise."""

Lift: TypeAlias = Callable[[dict[str, Any], list[Any]], tuple[dict[str, Any], list[Any]]]
"""Makes an envelope and its sealed parts, as JSON values in an older format, those of the next format."""


class ImpossibleFactError(Exception):
    """A recorded fact does not fit the state it is applied to: the log or the rules are damaged.

    Raised by the functions of `Decider.changes` only. The reader that folds a stream adds its name and version.
    """


class Rejection(Struct, frozen=True, gc=False):
    """The refusal of a move by the rules. Nothing is recorded, nobody else learns of it."""

    code: str
    """Stable name in snake_case, a key of `Game.rejections`."""
    rule: str
    """The number of the rule that refuses, such as `H-22`."""
    have: int | None = None
    """What the seat has of a quantity that is missing, such as points of a first laying."""
    need: int | None = None
    """How much it would need."""


class OptionProblem(Struct, frozen=True, gc=False):
    """Why a set of options is refused: unknown name, bad value or a combination that is not allowed."""

    code: str
    """`option_unknown`, `option_value` or `option_conflict` (or `option_locked` in a running match)."""
    rule: str
    option: str
    """The option's name, as the rules write it; for an unknown one the name that was given."""


class OptionLabel(Struct, frozen=True, gc=False):
    """A value of an option, as a settings screen calls it."""

    value: int | bool | str | None
    """What is sent."""
    label: str
    """What is shown."""


class OptionDependency(Struct, frozen=True, gc=False):
    """Another option, and the values of it that go with a choice here."""

    option: str
    """The name of the other option."""
    values: tuple[int | bool | str | None, ...]
    """While it has one of these there is a choice."""


class OptionSetting(Struct, frozen=True, gc=False):
    """An option, as a settings screen shows it."""

    option: str
    """Its name in `options`."""
    title: str
    """What it is called."""
    help: str
    """One or two sentences on what it does."""
    labels: tuple[OptionLabel, ...]
    """Its values in words; none for numbers and yes or no."""
    depends_on: tuple[OptionDependency, ...]
    """There is a choice only while all of them hold; elsewhere it is left out or null."""


class Chance(Protocol):
    """All randomness a game gets. The implementation follows `bw1`; tests may stack the deck."""

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Return `cards` (given in canonical order) in the order of shuffle `shuffle_number` (from 0)
        of round `round_number` (from 1). The same arguments give the same order."""
        ...

    def draw(self, name: str, n: int) -> int:
        """Return the named single draw, uniform in 0..n-1, such as `first_dealer`."""
        ...


class Rule(Struct, frozen=True, gc=False):
    """A numbered rule with a short text in our own words, for clients to show."""

    number: str
    text: str


class Outcome(Struct, frozen=True, gc=False):
    """The end of a match."""

    totals: tuple[int, ...]
    places: tuple[int, ...]
    """Place of each seat, 1 is best; ties share a place."""


OptionsT = TypeVar("OptionsT", bound=Struct)
StateT = TypeVar("StateT", bound=Struct)
MoveT = TypeVar("MoveT", bound=Move)
FactT = TypeVar("FactT", bound=Struct)
BoardT = TypeVar("BoardT", bound=Struct)
PrivateT = TypeVar("PrivateT", bound=Struct)
LegalT = TypeVar("LegalT", bound=Struct)
OwnT = TypeVar("OwnT", bound=Struct)
"""The private state of a seat: what its private stream folds to."""
PrivateMoveT = TypeVar("PrivateMoveT", bound=Struct)
PrivateFactT = TypeVar("PrivateFactT", bound=Struct)
QuestionT = TypeVar("QuestionT", bound=Struct)
AnswerT = TypeVar("AnswerT", bound=Struct)


class SeatView(Struct, Generic[OptionsT, BoardT, PrivateT, LegalT], frozen=True, gc=False):
    """All that one seat may know of a game: what a bot decides from, and nothing else."""

    seat: Seat
    options: OptionsT
    """As `Views.options`."""
    board: BoardT
    hand: tuple[Card, ...]
    legal: tuple[LegalT, ...]
    """What the seat may do now; empty when it is not its turn."""
    private: PrivateT


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider(Generic[OptionsT, StateT, MoveT, FactT]):
    """The heart of a game: what follows from what is asked, and what is so after it."""

    new: Callable[[OptionsT, int], StateT]
    """The state before the match starts, for this many seats."""
    start: Callable[[StateT, Chance], tuple[FactT, ...]]
    """The facts that start the match: first draws and the first deal; more if rounds end in their deal."""
    decide: Callable[[StateT, Seat, MoveT, Chance], tuple[FactT, ...] | Rejection]
    """Judge a move. Its facts are all that follows from it, in order, the next deals and the end included."""
    changes: Mapping[type[Any], Callable[[StateT, Any], StateT]]
    """For each kind of fact the function that applies it: (state, fact) -> the state after it. ImpossibleFactError if
    the fact does not fit."""
    to_act: Callable[[StateT], tuple[Seat, ...]]
    """Seats that have an open decision, ascending; empty before the start, between rounds, at the end."""
    outcome: Callable[[StateT], Outcome | None]
    """The end of the match, None before it."""

    def evolve(self, state: StateT, fact: FactT) -> StateT:
        """Apply a fact. ImpossibleFactError if it does not fit."""
        return self.changes[type(fact)](state, fact)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRules(Generic[OptionsT]):
    """What a table can be created with. `domain.options` makes all of it from the struct."""

    type: type[OptionsT]
    """Struct of all options in full, in the order of the rules file, no defaults left open."""
    schema: Mapping[str, Any]
    """JSON Schema of the `options` object a client may send: every option with type, range, default."""
    settings: tuple[OptionSetting, ...]
    """The options in words, in the order of `type`."""
    parse: Callable[[Mapping[str, object], int | None], OptionsT | OptionProblem]
    """Judge raw options as decoded from JSON and fill in the defaults. The second argument is the
    number of seats the creator asked for, None if he did not say; a game with a `players` option
    takes it as that option's value if absent and refuses a contradiction (`option_conflict`)."""
    seat_count: Callable[[OptionsT, int | None], int]
    """Seats of a table with these options and, where options do not say it, the number asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Types(Generic[StateT, BoardT, PrivateT]):
    """What is stored and sent, as the unions that msgspec decodes.

    Every member of a union is a frozen struct tagged by `type` in snake_case. Class names begin with the game's
    name, because all but the state appear in the API contract.
    """

    state: type[StateT]
    """Struct of the whole state, all secrets and the options included; it survives a round trip
    through msgspec's JSON unchanged."""
    move: Any
    fact: Any
    """Union of complete facts (those that hide nothing and those that hide something)."""
    public_form: Any
    """Union of what `Views.public_form` returns."""
    private_form: Any
    """Union of what `Views.private_form` returns."""
    board: type[BoardT]
    private_part: type[PrivateT]
    legal: Any
    """Union of legal entries. The move itself is the entry where it leaves nothing to choose."""
    lifts: Mapping[int, Lift] = field(default_factory=dict[int, Lift])
    """For each older format of stored events its lift. What is written has the format after the last of them, 1 if
    there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views(Generic[OptionsT, StateT, FactT, BoardT, PrivateT, LegalT]):
    """What viewers may know. Forms see the fact alone, so a fact holds all that its forms need."""

    public_form: Callable[[FactT], Struct]
    """What everybody learns of a fact."""
    private_form: Callable[[FactT, Seat], Struct | None]
    """What a seat learns besides, None if it learns no more than everybody."""
    round_number: Callable[[StateT], int] = attrgetter("round")
    """The running or last round, from 1; 0 before the first. Left out where it is the field `round` of the state."""
    totals: Callable[[StateT], tuple[int, ...]] = attrgetter("totals")
    """A number for each seat. Left out where they are the field `totals` of the state."""
    options: Callable[[StateT], OptionsT] = attrgetter("options")
    """The options in force for the next deal. Left out where they are the field `options` of the state."""
    board: Callable[[StateT], BoardT]
    """The public part of a view: all that every seat and any spectator may know, but for what stands beside it in
    every game: options, round, totals and places."""
    hand: Callable[[StateT, Seat], tuple[Card, ...]]
    private_part: Callable[[StateT, Seat], PrivateT]
    """What only this seat may know beyond its hand (its own committed pass, say)."""
    legal: Callable[[StateT, Seat], tuple[LegalT, ...]]
    """One entry for each kind of move open to the seat now; empty if it has no decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Players(Generic[OptionsT, StateT, MoveT, BoardT, PrivateT, LegalT]):
    """Moves that no person makes."""

    bot: Callable[[SeatView[OptionsT, BoardT, PrivateT, LegalT], int], MoveT]
    """A sensible move from the view alone. The seed (0 .. 2**63-1) decides what the bot
    leaves to chance; the same view and seed give the same move."""
    sample: Callable[[SeatView[OptionsT, BoardT, PrivateT, LegalT], Callable[[int], int]], MoveT]
    """An acceptable move built from `legal` and the hand alone, as a client would that knows no
    rules. `choose(n)` picks from 0..n-1; over all choices every listed move is reached."""
    timeout_move: Callable[[StateT, Seat], MoveT]
    """The move the service makes for an absent player who has to act."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundLobby(Generic[StateT, FactT]):
    """For games whose host starts each round and may change options in between (Rommé).

    The table checks who asks and when; a game only judges what is asked.
    """

    between_rounds: Callable[[StateT], bool]
    """Whether no round is running and the match has not ended: the table is in its lobby."""
    start_round: Callable[[StateT, Chance], tuple[FactT, ...]]
    change_options: Callable[[StateT, Mapping[str, object]], tuple[FactT, ...] | OptionProblem]
    """Judge new values (raw, by option name); the facts of what changes, none if nothing does."""
    end_match: Callable[[StateT], tuple[FactT, ...] | Rejection]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateStreamRules(Generic[StateT, MoveT, PrivateT, LegalT, OwnT, PrivateMoveT, PrivateFactT]):
    """For games in which a seat records facts that nobody else ever sees (Rommé: drafts, order of the hand).

    They live in a stream of their own for each table and seat and change no public version. Folded, they are the
    seat's private state. What of it still holds follows from it and the table's state, so no command appends to both
    streams. The table's own events never depend on private streams: `resolve` makes a move self-contained.
    """

    draft_type: Any = None
    """The move that prepares a draft, None if there are no drafts."""
    take_back_type: Any = None
    """The move that dissolves drafts: one by its name, or all."""
    hand_order_type: Any = None
    """Union of the moves that order the hand, None if its order is not kept."""
    fact_type: Any
    new: Callable[[], OwnT]
    """The private state of a seat before the first fact."""
    decide: Callable[[StateT, Seat, OwnT, PrivateMoveT], tuple[PrivateFactT, ...] | Rejection]
    """Judge a private move: (state, seat, private state, move)."""
    evolve: Callable[[OwnT, PrivateFactT], OwnT]
    """Apply a private fact: (private state, fact)."""
    consulted: Callable[[StateT, Seat], bool]
    """Whether the private state of a seat may have a say in its next move: if not, `resolve` would return every
    acceptable move as it is, and need not be asked."""
    resolve: Callable[[StateT, Seat, OwnT, MoveT], MoveT | Rejection]
    """Judge a move of the table in the light of the private state and return it in full (state, seat, private
    state, move): `lay` without melds becomes `lay` with the drafted ones. The result goes to `Decider.decide`."""
    hand: Callable[[StateT, Seat, OwnT], tuple[Card, ...]]
    private: Callable[[StateT, Seat, OwnT], PrivateT]
    legal: Callable[[StateT, Seat, OwnT], tuple[LegalT, ...]]
    """`hand`, `private_part` and `legal` of the game as this seat sees them with its private state."""

    @property
    def move_type(self) -> Any:
        """Union of all private moves."""
        types: tuple[Any, ...] = (self.draft_type, self.take_back_type, self.hand_order_type)
        return Union[tuple(type_ for type_ in types if type_ is not None)]  # noqa: UP007 - built from a list


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice(Generic[StateT, QuestionT, AnswerT]):
    """For games whose moves cannot all be listed: answers a seat's question about its cards."""

    question_type: Any
    answer_type: Any
    answer: Callable[[StateT, Seat, QuestionT], AnswerT | Rejection]
    """(state, seat, question) -> answer or `Rejection`. It may use what the seat sees, nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[OptionsT, StateT, MoveT, FactT, BoardT, PrivateT, LegalT]):
    """One version of one game's rules, as the registry holds it: what it is called, and what it does, in groups."""

    key: str
    """`hearts`: the name in the API, in rules ids and of the folder."""
    rules_version: int
    title: str
    credits: str = ""
    seats: tuple[int, int]
    """Fewest and most seats, both inclusive."""
    rules: tuple[Rule, ...]
    rejections: Mapping[str, str]
    """Every code that `decide` and the lobby functions can give, with one sentence for the player."""
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Names of what views hold as codes or numbers: by field, then by value."""

    types: Types[StateT, BoardT, PrivateT]
    options: OptionRules[OptionsT]
    decider: Decider[OptionsT, StateT, MoveT, FactT]
    views: Views[OptionsT, StateT, FactT, BoardT, PrivateT, LegalT]
    players: Players[OptionsT, StateT, MoveT, BoardT, PrivateT, LegalT]

    lobby: RoundLobby[StateT, FactT] | None = None
    private_stream: PrivateStreamRules[StateT, MoveT, PrivateT, LegalT, Any, Any, Any] | None = None
    advice: Advice[StateT, Any, Any] | None = None

    @property
    def rules_id(self) -> str:
        """`hearts/1`: game and rules version, as bw1 hashes it."""
        return f"{self.key}/{self.rules_version}"


AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any, Any, Any]
AnyPrivateStream: TypeAlias = PrivateStreamRules[Any, Any, Any, Any, Any, Any, Any]


def view_of(game: AnyGame, state: Any, seat: Seat) -> SeatView[Any, Any, Any, Any]:
    """Return all that `seat` may know, as its bot gets it."""
    views = game.views
    return SeatView(
        seat=seat,
        options=views.options(state),
        board=views.board(state),
        hand=views.hand(state, seat),
        legal=views.legal(state, seat),
        private=views.private_part(state, seat),
    )
