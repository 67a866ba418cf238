"""What happened at a table: the fold of its events."""

from typing import Any, assert_never

from msgspec import convert, structs

from domain.decider import AnyGame, ImpossibleFactError, Seat
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
    options = convert(fact.options, game.options.type)
    seats = (Occupant("person", fact.player), *[OPEN_SEAT] * (fact.seats - 1))
    return TableState(
        setup=Setup(table, game, options, fact.seats, fact.visibility, fact.commitment, time),
        version=0,
        status="lobby",
        seats=seats,
        host=0,
        ready=(False,) * fact.seats,
        decisions=(None,) * fact.seats,
        game_state=game.decider.new(options, fact.seats),
    )


def apply(state: TableState, actor: Seat | None, facts: Facts) -> TableState:
    """Return the state after one event: its facts, the next version, the decisions now open."""
    game_state: Any = state.game_state
    evolve_game = state.setup.game.decider.evolve
    for fact in facts.game:
        game_state = evolve_game(game_state, fact)
    return apply_judged(state, actor, facts, game_state)


def apply_judged(state: TableState, actor: Seat | None, facts: Facts, game_state: Any) -> TableState:
    """Return the state after one event whose game facts are known to lead to `game_state`."""
    version = state.version + 1
    for fact in facts.table:
        state = evolve(state, fact)
    game, status = state.setup.game, state.status
    acting: tuple[Seat, ...] = game.decider.to_act(game_state) if status == "running" else ()
    if facts.game and not acting:  # while somebody has to act, a running match runs on
        status = _status(game, state, game_state)
        acting = game.decider.to_act(game_state) if status == "running" else ()
    decisions = _decisions(state.decisions, acting, actor, version)
    return structs.replace(state, version=version, status=status, decisions=decisions, game_state=game_state)


def _status(game: AnyGame, state: TableState, game_state: Any) -> Status:
    if state.status == "closed":
        return "closed"
    if game.decider.outcome(game_state) is not None:
        return "finished"
    if game.lobby is not None and state.status != "lobby" and game.lobby.between_rounds(game_state):
        return "between_rounds"
    return "lobby" if state.status == "lobby" else "running"


def _decisions(
    before: tuple[int | None, ...], to_act: tuple[Seat, ...], actor: Seat | None, version: int
) -> tuple[int | None, ...]:
    """A decision is numbered by the version at which it opened and stays open while others act."""
    decisions: list[int | None] = [None] * len(before)
    for seat in to_act:
        open_since = before[seat]
        decisions[seat] = version if open_since is None or seat == actor else open_since
    return tuple(decisions)


def evolve(state: TableState, fact: TableFact) -> TableState:
    """Apply one recorded fact of the table; the version does not move."""
    match fact:
        case SeatTaken():
            return _seat(state, fact.seat, "open", Occupant("person", fact.player, fact.client_seed))
        case ClientSeedGiven():
            occupant = state.seats[fact.seat]
            return _seat(state, fact.seat, "person", Occupant("person", occupant.player, fact.client_seed))
        case BotSeated():
            occupant = state.seats[fact.seat]
            seated = _seat(state, fact.seat, occupant.kind, Occupant("bot", None, occupant.seed))
            return structs.replace(seated, decisions=_without(seated.decisions, fact.seat))
        case SeatFreed():
            return _seat(state, fact.seat, state.seats[fact.seat].kind, OPEN_SEAT)
        case HostChanged():
            return structs.replace(state, host=fact.seat)
        case ReadyMarked():
            ready = tuple(fact.ready if seat == fact.seat else mark for seat, mark in enumerate(state.ready))
            return structs.replace(state, ready=ready)
        case ReadyCleared():
            return structs.replace(state, ready=(False,) * state.setup.seats)
        case MatchStarted():
            if state.status != "lobby":
                raise ImpossibleFactError(f"match started in status {state.status}")
            return structs.replace(state, status="running")
        case TableClosed():
            return structs.replace(state, status="closed", host=None)
        case SecretRevealed():
            return state
        case Adjudicated():
            if state.status in OPEN_STATUSES:
                raise ImpossibleFactError(f"adjudicated in status {state.status}")
            return structs.replace(state, adjudications=(*state.adjudications, fact))
        case TableCreated():
            raise ImpossibleFactError("a table is created once")
    assert_never(fact)


def _seat(state: TableState, seat: Seat, before: str, after: Occupant) -> TableState:
    if seat >= state.setup.seats or state.seats[seat].kind != before:
        raise ImpossibleFactError(f"seat {seat} is not {before}")
    ready = tuple(mark and other != seat for other, mark in enumerate(state.ready))
    seats = (*state.seats[:seat], after, *state.seats[seat + 1 :])
    return structs.replace(state, seats=seats, ready=ready)


def _without(decisions: tuple[int | None, ...], seat: Seat) -> tuple[int | None, ...]:
    """Forget a seat's decision: whoever holds the seat next opens a new one."""
    return (*decisions[:seat], None, *decisions[seat + 1 :])
