"""What is allowed at a table: its commands and the refusals, in the order of their checks.

Every function returns the facts that follow, or why the command is refused. `seat` is the asking
player's seat, None if he holds none.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from domain.decider import AnyGame, Chance, OptionProblem, Rejection, Seat
from domain.table.fold import next_person
from domain.table.model import (
    OPEN_STATUSES,
    Accepted,
    Adjudicated,
    BotPace,
    BotSeated,
    ClientSeedGiven,
    Facts,
    HostChanged,
    MatchStarted,
    ReadyCleared,
    ReadyMarked,
    SeatFreed,
    SeatTaken,
    SecretRevealed,
    TableClosed,
    TableCreated,
    TableFact,
    TableRefusal,
    TableState,
    Visibility,
)


def create(
    game: AnyGame,
    options: Mapping[str, object],
    seats: int | None,
    bots: tuple[Seat, ...],
    *,
    player: str,
    visibility: Visibility,
    commitment: str,
    bot_pace: BotPace = "normal",
) -> Facts | OptionProblem | TableRefusal:
    """Judge a new table. `seats` is the number asked for where the options do not say it."""
    parsed = game.options.parse(options, seats)
    if isinstance(parsed, OptionProblem):
        return parsed
    count = game.options.seat_count(parsed, seats)
    if any(bot >= count for bot in bots):
        return TableRefusal("seat_unknown")
    if 0 in bots:
        return TableRefusal("seat_taken")
    fact = TableCreated(
        game=game.key,
        rules_version=game.rules_version,
        options=to_builtins(parsed),
        seats=count,
        visibility=visibility,
        player=player,
        commitment=commitment,
        bot_pace=bot_pace,
    )
    return Facts((fact, *[BotSeated(seat) for seat in sorted(set(bots))]))


def sit(state: TableState, player: str, seat: Seat | None, client_seed: str | None) -> Facts | TableRefusal:
    """Judge sitting down on `seat`, or on the first open one; who sits already may add a seed."""
    if state.status not in OPEN_STATUSES:
        return TableRefusal("match_over")
    if state.status != "lobby":
        return TableRefusal("match_started")
    held = seat_of(state, player)
    if held is not None:
        if client_seed is None or seat not in (None, held):
            return TableRefusal("already_seated")
        if state.seats[held].seed is not None:
            return TableRefusal("seed_given")
        return Facts((ClientSeedGiven(held, client_seed),))
    if seat is None:
        seat = next((place for place, occupant in enumerate(state.seats) if occupant.kind == "open"), None)
        if seat is None:
            return TableRefusal("table_full")
    refusal = _must_be_open(state, seat)
    return refusal or Facts((SeatTaken(seat, player, client_seed),))


def seat_bot(state: TableState, by: Seat | None, seat: Seat) -> Facts | TableRefusal:
    """Judge the host's wish to let a bot sit on an open seat."""
    refusal = _host_in_lobby(state, by) or _must_be_open(state, seat)
    return refusal or Facts((BotSeated(seat),))


def unseat_bot(state: TableState, by: Seat | None, seat: Seat) -> Facts | TableRefusal:
    """Judge the host's wish to free a bot's seat."""
    refusal = _host_in_lobby(state, by)
    if refusal:
        return refusal
    if seat >= state.setup.seats:
        return TableRefusal("seat_unknown")
    if state.seats[seat].kind != "bot":
        return TableRefusal("seat_not_bot")
    return Facts((SeatFreed(seat),))


def leave(state: TableState, seat: Seat | None, secret: str) -> Facts | TableRefusal:
    """Judge leaving. In the lobby the seat becomes open, later a bot takes it."""
    if state.status not in OPEN_STATUSES:
        return TableRefusal("match_over")
    if seat is None:
        return TableRefusal("not_seated")
    started = state.status != "lobby"
    facts: list[TableFact] = [BotSeated(seat) if started else SeatFreed(seat)]
    heir = next_person(state, seat)
    if heir is None:
        facts.append(TableClosed("abandoned"))
        if started:
            facts.append(SecretRevealed(secret))
    elif seat == state.host:
        facts.append(HostChanged(heir))
    return Facts(tuple(facts))


def start(state: TableState, by: Seat | None, chance: Chance, secret: str) -> Facts | TableRefusal:
    """Judge the host's start of the match, or of the next round where the game has a lobby for it.

    A deal may end the match at once: then the secret is revealed with it.
    """
    refusal = _host(state, by)
    if refusal:
        return refusal
    game = state.setup.game
    if state.status == "lobby":
        if any(occupant.kind == "open" for occupant in state.seats):
            return TableRefusal("seats_open")
        return _dealt(state, (MatchStarted(), *_unready(state)), game.decider.start(state.game_state, chance), secret)
    if state.status == "between_rounds" and game.lobby is not None:
        return _dealt(state, _unready(state), game.lobby.start_round(state.game_state, chance), secret)
    return TableRefusal("match_started" if game.lobby is None else "round_running")


def change_options(
    state: TableState, by: Seat | None, values: Mapping[str, object]
) -> Facts | TableRefusal | OptionProblem:
    """Judge new values of options in the lobby, for games that allow it."""
    refusal = _host(state, by)
    if refusal:
        return refusal
    lobby = state.setup.game.lobby
    if lobby is None:
        return TableRefusal("options_fixed")
    if state.status == "running":
        return TableRefusal("round_running")
    changed = lobby.change_options(state.game_state, values)
    if isinstance(changed, OptionProblem):
        return changed
    return Facts(_unready(state) if changed else (), changed)


def mark_ready(state: TableState, seat: Seat | None, ready: bool) -> Facts | TableRefusal:
    """Judge a ready mark in the lobby; setting what is set already is no event (no facts)."""
    if state.status not in OPEN_STATUSES:
        return TableRefusal("match_over")
    if seat is None:
        return TableRefusal("not_seated")
    if state.status == "running":
        return TableRefusal("match_started" if state.setup.game.lobby is None else "round_running")
    return Facts(() if state.ready[seat] == ready else (ReadyMarked(seat, ready),))


def end_match(state: TableState, by: Seat | None, secret: str) -> Facts | TableRefusal | Rejection:
    """Judge the host's end of an open match between rounds."""
    refusal = _host(state, by)
    if refusal:
        return refusal
    lobby = state.setup.game.lobby
    if lobby is None:
        return TableRefusal("match_not_started" if state.status == "lobby" else "match_not_open")
    if state.status == "running":
        return TableRefusal("round_running")
    ended = lobby.end_match(state.game_state)
    return ended if isinstance(ended, Rejection) else Facts((SecretRevealed(secret),), ended)


def move(
    state: TableState, seat: Seat | None, decision: int, asked: Any, chance: Chance, secret: str
) -> Accepted | TableRefusal | Rejection:
    """Judge the answer to a decision. A decision that is not open is refused before any rule speaks."""
    if seat is None:
        return TableRefusal("not_seated")
    if state.status == "lobby":
        return TableRefusal("match_not_started")
    open_decision = state.decisions[seat]
    if open_decision is not None and open_decision != decision:
        return TableRefusal("stale_decision")
    if state.status == "closed":
        return TableRefusal("match_over")
    game = state.setup.game
    judged = game.decider.decide(state.game_state, seat, asked, chance)
    if isinstance(judged, Rejection):
        return judged
    if open_decision is None:
        return TableRefusal("stale_decision")
    game_state = _folded(game, state.game_state, judged)
    return Accepted(Facts(_reveal_at_end(game, game_state, secret), judged), game_state)


def adjudicate(state: TableState, fact: Adjudicated) -> Facts | TableRefusal:
    """Judge an arbiter's decision of a dispute: after the end only, and once more for the appeal."""
    if state.status in OPEN_STATUSES:
        return TableRefusal("match_running")
    if state.setup.game.views.round_number(state.game_state) == 0:
        return TableRefusal("match_not_started")
    if not 1 <= fact.version <= (state.final_version or 0):
        return TableRefusal("version_unknown")
    if fact.annulled and fact.decision == "rejected":
        return TableRefusal("annulled_rejected")
    before = [one for one in state.adjudications if one.dispute == fact.dispute]
    if len(before) > 1 or any(one.arbiter == fact.arbiter or one.version != fact.version for one in before):
        return TableRefusal("dispute_decided")
    return Facts((fact,))


def may_give_join_code(state: TableState, by: Seat | None) -> TableRefusal | None:
    """Judge the host's wish to give out a join code, or another one: before the match only."""
    return _host_in_lobby(state, by)


def may_know_join_code(state: TableState, seat: Seat | None) -> TableRefusal | None:
    """Judge a seated player's wish to see the join code: before the match only."""
    if state.status not in OPEN_STATUSES:
        return TableRefusal("match_over")
    if seat is None:
        return TableRefusal("not_seated")
    return None if state.status == "lobby" else TableRefusal("match_started")


def may_invite_spectators(state: TableState, by: Seat | None) -> TableRefusal | None:
    """Judge the host's wish to let spectators in, or out again: at any time, after the match too."""
    if by is None:
        return TableRefusal("not_seated")
    return None if by == state.host else TableRefusal("not_host")


def seat_of(state: TableState, player: str) -> Seat | None:
    """Return the seat that the player holds, None if none."""
    for seat, occupant in enumerate(state.seats):
        if occupant.player == player:
            return seat
    return None


def _dealt(state: TableState, facts: tuple[TableFact, ...], dealt: tuple[Any, ...], secret: str) -> Facts:
    game = state.setup.game
    return Facts((*facts, *_reveal_at_end(game, _folded(game, state.game_state, dealt), secret)), dealt)


def _folded(game: AnyGame, game_state: Any, facts: tuple[Any, ...]) -> Any:
    for fact in facts:
        game_state = game.decider.evolve(game_state, fact)
    return game_state


def _reveal_at_end(game: AnyGame, game_state: Any, secret: str) -> tuple[TableFact, ...]:
    return () if game.decider.outcome(game_state) is None else (SecretRevealed(secret),)


def _host(state: TableState, by: Seat | None) -> TableRefusal | None:
    if state.status not in OPEN_STATUSES:
        return TableRefusal("match_over")
    if by is None:
        return TableRefusal("not_seated")
    return None if by == state.host else TableRefusal("not_host")


def _host_in_lobby(state: TableState, by: Seat | None) -> TableRefusal | None:
    return _host(state, by) or (None if state.status == "lobby" else TableRefusal("match_started"))


def _must_be_open(state: TableState, seat: Seat) -> TableRefusal | None:
    if seat >= state.setup.seats:
        return TableRefusal("seat_unknown")
    return None if state.seats[seat].kind == "open" else TableRefusal("seat_taken")


def _unready(state: TableState) -> tuple[TableFact, ...]:
    return (ReadyCleared(),) if any(state.ready) else ()
