"""What happened at a table: the fold of its events."""

from typing import Any, assert_never

from msgspec import ValidationError, convert
from msgspec.structs import replace

from domain.decider import AnyGame, ImpossibleFactError, OptionProblem, Seat
from domain.seats import with_entry
from domain.table.model import (
    OPEN_SEAT,
    OPEN_STATUSES,
    Adjudicated,
    BotSeated,
    ClientSeedGiven,
    Facts,
    HostChanged,
    MatchStarted,
    Occupant,
    ReadyCleared,
    ReadyMarked,
    SeatFreed,
    SeatTaken,
    SecretRevealed,
    Setup,
    Status,
    TableClosed,
    TableCreated,
    TableFact,
    TableState,
)


def begin(game: AnyGame, table: str, facts: Facts, time: int) -> TableState:
    """Return the state after the first event of a table, received at `time` (ms since 1970 UTC)."""
    fact = facts.table[0] if facts.table else None
    if not isinstance(fact, TableCreated):
        raise ImpossibleFactError("the first fact of a table creates it")
    return apply(_created(game, table, fact, time), None, Facts(facts.table[1:], facts.game))


def _created(game: AnyGame, table: str, fact: TableCreated, time: int) -> TableState:
    if (game.key, game.rules_version) != (fact.game, fact.rules_version):
        raise ImpossibleFactError(f"{fact.game}/{fact.rules_version} folded under {game.rules_id}")
    try:
        options = convert(fact.options, game.options.type)
    except ValidationError as error:
        raise ImpossibleFactError(f"these are no options of {game.rules_id}") from error
    if fact.seats != game.options.seat_count(options, fact.seats):
        raise ImpossibleFactError(f"a table of {fact.seats} seats")
    if isinstance(problem := game.options.parse(fact.options, fact.seats), OptionProblem):
        raise ImpossibleFactError(f"a table of {game.rules_id} with {problem.option} like this")
    seats = (Occupant("person", fact.player), *[OPEN_SEAT] * (fact.seats - 1))
    return TableState(
        setup=Setup(table, game, options, fact.seats, fact.visibility, fact.commitment, time, fact.bot_pace),
        version=0,
        status="lobby",
        seats=seats,
        host=0,
        ready=(False,) * fact.seats,
        decisions=(None,) * fact.seats,
        game_state=game.decider.new(options, fact.seats),
    )


def apply(state: TableState, actor: Seat | None, facts: Facts, game_state: Any = None) -> TableState:
    """Return the state after one event: its facts, the next version, the decisions now open.

    `game_state` is the game's state after the facts, where judging them has made it already.
    """
    decider = state.setup.game.decider
    if game_state is None:
        game_state, changes = state.game_state, decider.changes
        for game_fact in facts.game:
            game_state = changes[type(game_fact)](game_state, game_fact)
    acting: tuple[Seat, ...] = decider.to_act(game_state) if state.status == "running" else ()
    if facts.table or not acting:  # while somebody has to act, a running match runs on
        state = _with_table_facts(state, facts, game_state)
        acting = decider.to_act(game_state) if state.status == "running" else ()
    version, before = state.version + 1, state.decisions
    decisions: list[int | None] = [None] * len(before)
    for seat in acting:  # a decision is numbered by the version (from 1) that opened it; it stays open while others act
        decisions[seat] = version if seat == actor else before[seat] or version
    return replace(state, version=version, decisions=tuple(decisions), game_state=game_state)


def _with_table_facts(earlier: TableState, facts: Facts, game_state: Any) -> TableState:
    """Return the state after an event's facts of the table, with the status that follows from those of the game."""
    state = earlier
    for fact in facts.table:
        state = evolve(state, fact)
    if facts.game:
        state = replace(state, status=_status(state, game_state))
    if facts.table or state.status != earlier.status:
        _require_all_of_event(earlier, state, facts)
    return state


def _require_all_of_event(before: TableState, state: TableState, facts: Facts) -> None:
    """Raise ImpossibleFactError if a fact is missing beside the others of its event, or one that does not follow."""
    kinds = {type(fact) for fact in facts.table}
    if (MatchStarted in kinds) > bool(facts.game):
        raise ImpossibleFactError("a match starts without a deal")
    if state.status == "running" and any(state.ready):
        raise ImpossibleFactError("ready marks outlive the start of a round")
    over = state.status not in OPEN_STATUSES and before.status in OPEN_STATUSES
    if (SecretRevealed in kinds) != (over and (before.status != "lobby" or MatchStarted in kinds)):
        raise ImpossibleFactError("the secret is revealed with the end of a match, and then only")
    if state.host is not None and state.seats[state.host].kind != "person":
        raise ImpossibleFactError("the host has left, but nobody else is host")
    if before.host is not None and state.host not in (None, before.host):
        heir = next_person(state, before.host)
        if state.seats[before.host].kind == "person" or state.host != heir:
            raise ImpossibleFactError(f"seat {state.host} cannot have become host")


def next_person(state: TableState, seat: Seat) -> Seat | None:
    """Return the next seat clockwise that a person holds, None if no other does."""
    count = state.setup.seats
    return next(
        (other for step in range(1, count) if state.seats[other := (seat + step) % count].kind == "person"), None
    )


def _status(state: TableState, game_state: Any) -> Status:
    """Return the status after facts of the game."""
    game = state.setup.game
    if state.status == "closed":
        raise ImpossibleFactError("a game goes on at a closed table")
    if game.decider.outcome(game_state) is not None:
        return "finished"
    if game.lobby is not None and state.status != "lobby" and game.lobby.between_rounds(game_state):
        return "between_rounds"
    if state.status != "lobby":
        return "running"
    if game.views.round_number(game_state):
        raise ImpossibleFactError("a round is dealt, but the match has not started")
    return "lobby"


def evolve(state: TableState, fact: TableFact) -> TableState:
    """Apply one recorded fact of the table; the version does not move."""
    match fact:
        case SeatTaken():
            return _seat_taken(state, fact)
        case ClientSeedGiven():
            return _client_seed_given(state, fact)
        case BotSeated():
            return _bot_seated(state, fact)
        case SeatFreed():
            _require_lobby(state, fact)
            if _occupant(state, fact.seat).kind == "open":
                raise ImpossibleFactError(f"seat {fact.seat} is freed, but it is open")
            return _seated(state, fact.seat, OPEN_SEAT)
        case HostChanged():
            if _occupant(state, fact.seat).kind != "person" or fact.seat == state.host:
                raise ImpossibleFactError(f"seat {fact.seat} cannot have become host")
            return replace(state, host=fact.seat)
        case ReadyMarked():
            return _ready_marked(state, fact)
        case ReadyCleared():
            if not any(state.ready):
                raise ImpossibleFactError("ready marks are cleared, but there are none")
            return replace(state, ready=(False,) * state.setup.seats)
        case MatchStarted():
            _require_lobby(state, fact)
            if any(occupant.kind == "open" for occupant in state.seats):
                raise ImpossibleFactError("match started with open seats")
            return replace(state, status="running")
        case TableClosed():
            if state.status not in OPEN_STATUSES or any(occupant.kind == "person" for occupant in state.seats):
                raise ImpossibleFactError(f"table closed in status {state.status}, or with a person at it")
            return replace(state, status="closed", host=None)
        case SecretRevealed():
            if state.status in ("lobby", "finished"):
                raise ImpossibleFactError(f"secret revealed in status {state.status}")
            return state
        case Adjudicated():
            return _adjudicated(state, fact)
        case TableCreated():
            raise ImpossibleFactError("a table is created once")
    assert_never(fact)


def _require_lobby(state: TableState, fact: TableFact) -> None:
    if state.status != "lobby":
        raise ImpossibleFactError(f"{type(fact).__name__} in status {state.status}")


def _occupant(state: TableState, seat: Seat) -> Occupant:
    if not 0 <= seat < state.setup.seats:
        raise ImpossibleFactError(f"there is no seat {seat}")
    return state.seats[seat]


def _seated(state: TableState, seat: Seat, occupant: Occupant) -> TableState:
    """Return the state with a seat held by somebody else, who has not marked it as ready."""
    return replace(state, seats=with_entry(state.seats, seat, occupant), ready=with_entry(state.ready, seat, False))


def _seat_taken(state: TableState, fact: SeatTaken) -> TableState:
    _require_lobby(state, fact)
    if _occupant(state, fact.seat).kind != "open":
        raise ImpossibleFactError(f"seat {fact.seat} is taken, but it is not open")
    if any(occupant.player == fact.player for occupant in state.seats):
        raise ImpossibleFactError("a player takes a second seat")
    return _seated(state, fact.seat, Occupant("person", fact.player, fact.client_seed))


def _client_seed_given(state: TableState, fact: ClientSeedGiven) -> TableState:
    _require_lobby(state, fact)
    occupant = _occupant(state, fact.seat)
    if occupant.kind != "person" or occupant.seed is not None:
        raise ImpossibleFactError(f"seat {fact.seat} cannot give a seed")
    return _seated(state, fact.seat, Occupant("person", occupant.player, fact.client_seed))


def _bot_seated(state: TableState, fact: BotSeated) -> TableState:
    occupant = _occupant(state, fact.seat)
    if state.status not in OPEN_STATUSES or occupant.kind != ("open" if state.status == "lobby" else "person"):
        raise ImpossibleFactError(f"no bot can have come to seat {fact.seat} in status {state.status}")
    seated = _seated(state, fact.seat, Occupant("bot", None, occupant.seed))
    return replace(seated, decisions=_without(seated.decisions, fact.seat))


def _ready_marked(state: TableState, fact: ReadyMarked) -> TableState:
    if state.status not in ("lobby", "between_rounds"):
        raise ImpossibleFactError(f"ready mark in status {state.status}")
    if _occupant(state, fact.seat).kind != "person" or state.ready[fact.seat] == fact.ready:
        raise ImpossibleFactError(f"seat {fact.seat} cannot have marked itself")
    return replace(state, ready=with_entry(state.ready, fact.seat, fact.ready))


def _adjudicated(state: TableState, fact: Adjudicated) -> TableState:
    if state.status in OPEN_STATUSES:
        raise ImpossibleFactError(f"adjudicated in status {state.status}")
    if not 1 <= fact.version <= (state.final_version or 0):
        raise ImpossibleFactError(f"the match has no version {fact.version} to decide about")
    if fact.annulled and fact.decision == "rejected":
        raise ImpossibleFactError("a match is annulled by rejecting a dispute")
    before = [one for one in state.adjudications if one.dispute == fact.dispute]
    if len(before) > 1 or any(one.arbiter == fact.arbiter or one.version != fact.version for one in before):
        raise ImpossibleFactError(f"dispute {fact.dispute} cannot be decided like this any more")
    return replace(state, adjudications=(*state.adjudications, fact))


def _without(decisions: tuple[int | None, ...], seat: Seat) -> tuple[int | None, ...]:
    """Forget a seat's decision: whoever holds the seat next opens a new one."""
    return (*decisions[:seat], None, *decisions[seat + 1 :])
