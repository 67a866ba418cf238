"""Who sees what of a table: its view and its events, for a seat, for a spectator, and for all after the end."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from domain.cards import Card
from domain.codec import Event
from domain.decider import Outcome, Seat
from domain.table.model import FORMER_COMMANDS, BotPace, SeatKind, Status, TableFact, TableState, Visibility


class SeatPublic(Struct, frozen=True, gc=False):
    """A seat as everybody sees it."""

    seat: Seat
    kind: SeatKind
    """`open`: nobody sits there yet."""
    player: str | None
    """The account of a person; null for bots and open seats."""
    name: str | None
    """The person's public name; null for bots, open seats and erased accounts."""
    total: int
    """The points of the match so far."""
    ready: bool
    """The ready mark. It informs the host and binds nobody."""
    place: int | None
    """Place at the end of the match, 1 is best; null before."""


class People(Struct, frozen=True, gc=False):
    """The seats of a table as everybody sees them, which stay the same for most of a round."""

    made_from: tuple[Any, ...]
    """To see whether they have to be rebuilt."""
    seats: tuple[SeatPublic, ...]
    """In their order."""


class TablePublic(Struct, frozen=True, gc=False):
    """The part of a view that is the same for everybody."""

    game: str
    table: str
    """The table's id."""
    rules_version: int
    """The rules version, which stays the same until the end of the match."""
    status: Status
    """`lobby` before the match, `starting` while seats reveal their seeds (not before `bw2`), `running` while somebody
    has to act, `between_rounds` where the host starts each round, `finished` after the last round, `closed` when
    nobody is left. New ones may be added."""
    version: int
    """Number of events so far: one for each accepted command."""
    visibility: Visibility
    """A `private` table is not listed; others join it with its join code, and read it if the host invites them."""
    bot_pace: BotPace
    """How long bots wait before a move: `normal` is a third of a second and more; `quick`, while a single person
    sits at the table, about a twentieth. New ones may be added."""
    created: int
    """Milliseconds since 1970 UTC."""
    host: Seat | None
    """The seat that may start, end, change options and seat bots; null when nobody is left."""
    seats: tuple[SeatPublic, ...]
    """All seats, in their order."""
    options: Any
    """All options with their values, defaults included."""
    commitment: str
    """SHA-256 that binds the server to its secret for the shuffles, in hex; the secret is revealed at the end."""
    round: int
    """The current round, from 1; 0 before the match."""
    to_act: tuple[Seat, ...]
    """The seats that the game waits for; several at once where they decide at the same time."""
    board: Any
    """The game's public part; null before the match."""


class You(Struct, frozen=True, gc=False):
    """The part of a view that only one seat gets."""

    seat: Seat
    decision: int | None
    """The number to send with the next move; null while no decision is open."""
    hand: tuple[Card, ...]
    """The seat's cards."""
    legal: tuple[Any, ...]
    """An entry for each kind of move that is open now; empty while it is not the seat's turn."""
    private: Any
    """What else only this seat may know in this game; null before the match."""


class EventSeen(Struct, frozen=True, gc=False):
    """An event as one viewer may see it."""

    version: int
    """Its number at the table, from 1."""
    time: int
    """Milliseconds since 1970 UTC."""
    type: str
    """The command of the table, or the type of the move; no move is called like a command."""
    seat: Seat | None
    """The seat that acted; null for somebody without a seat, and for decisions of arbiters."""
    decision: int | None
    """The decision that a move answered."""
    table: tuple[TableFact, ...]
    """What happened to seats, host and match."""
    facts: tuple[Any, ...]
    """What happened in the game, in order; facts told to this viewer alone come last."""


NOBODY: Final[Mapping[str, str]] = {}


def people_of(state: TableState, names: Mapping[str, str], before: People | None = None) -> People:
    """Return the seats as everybody may see them; `before`, those of an earlier state, if nothing has changed."""
    game, game_state = state.setup.game, state.game_state
    totals, outcome = game.views.totals(game_state), game.decider.outcome(game_state)
    made_from = (state.seats, state.ready, totals, outcome, names)
    if before is not None and before.made_from == made_from:
        return before
    return People(made_from, _seats(state, names, totals, outcome))


def public_view(state: TableState, names: Mapping[str, str], people: People | None = None) -> TablePublic:
    """Return what everybody may see. `names` maps players' ids to public names; erased ones are missing.

    `people` are those of this state and these names, if they are known.
    """
    setup = state.setup
    game = setup.game
    game_state = state.game_state
    round_ = game.views.round_number(game_state)
    started = state.status != "lobby" and round_ > 0
    return TablePublic(
        game=game.key,
        table=setup.table,
        rules_version=game.rules_version,
        status=state.status,
        version=state.version,
        visibility=setup.visibility,
        bot_pace=setup.bot_pace,
        created=setup.created,
        host=state.host,
        seats=(people or people_of(state, names)).seats,
        options=game.views.options(game_state),
        commitment=setup.commitment,
        round=round_,
        to_act=tuple([seat for seat, decision in enumerate(state.decisions) if decision is not None]),
        board=game.views.board(game_state) if started else None,
    )


def _seats(
    state: TableState, names: Mapping[str, str], totals: tuple[int, ...], outcome: Outcome | None
) -> tuple[SeatPublic, ...]:
    return tuple(
        [
            SeatPublic(
                seat,
                occupant.kind,
                occupant.player,
                names.get(occupant.player) if occupant.player else None,
                totals[seat],
                state.ready[seat],
                None if outcome is None else outcome.places[seat],
            )
            for seat, occupant in enumerate(state.seats)
        ]
    )


def seat_part(state: TableState, seat: Seat, *, private_state: Any = None) -> You:
    """Return what only `seat` may see. `private_state` is the fold of its private stream where it has one."""
    game = state.setup.game
    game_state = state.game_state
    if state.status == "lobby" or game.views.round_number(game_state) == 0:
        return You(seat, None, (), (), None)
    decision = state.decisions[seat]
    if game.private_stream is None or private_state is None:
        hand, private = game.views.hand(game_state, seat), game.views.private_part(game_state, seat)
        legal = () if decision is None else game.views.legal(game_state, seat)
    else:
        hand, private = (
            game.private_stream.hand(game_state, seat, private_state),
            game.private_stream.private(game_state, seat, private_state),
        )
        legal = () if decision is None else game.private_stream.legal(game_state, seat, private_state)
    return You(seat, decision, hand, legal, private)


def splice(public: bytes, part: bytes | None) -> bytes:
    """Return the complete view: the public part with `you` as its last field, null for a spectator."""
    return b'%b,"you":%b}' % (public[:-1], part or b"null")


def event_seen(event: Event, viewer: Seat | None, *, over: bool) -> EventSeen:
    """Return the event for a seat, or for a spectator (None); after the match (`over`) complete for all."""
    if over:
        facts = event.facts.game
    elif viewer is None or not event.private[viewer]:
        facts = event.public
    else:
        facts = event.public + event.private[viewer]
    type_ = event.type if event.move is not None else FORMER_COMMANDS.get(event.type, event.type)
    return EventSeen(event.version, event.time, type_, event.actor, event.decision, event.facts.table, facts)
