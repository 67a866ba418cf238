"""The table around a game: seats, host, start, decisions, leaving, end."""

from typing import Any

import pytest

from domain import fairness
from domain.decider import Rejection
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import apply, begin
from domain.table.model import (
    Accepted,
    BotSeated,
    ClientSeedGiven,
    Facts,
    HostChanged,
    MatchStarted,
    ReadyMarked,
    SeatFreed,
    SeatTaken,
    SecretRevealed,
    TableClosed,
    TableCreated,
    TableRefusal,
    TableState,
)

TABLE = "00112233-4455-6677-8899-aabbccddeeff"
SECRET = "5e" * 32
ADA, BEN, CLEO, DORA = "ada", "ben", "cleo", "dora"
CHANCE = fairness.MatchChance(bytes(32))
HEARTS = CURRENT["hearts"]


def created(bots: tuple[int, ...] = ()) -> TableState:
    facts = rules.create(HEARTS, {}, None, bots, player=ADA, visibility="public", commitment="c0" * 32)
    assert isinstance(facts, Facts)
    return begin(HEARTS, TABLE, facts, 1000)


def after(state: TableState, facts: Any, actor: int | None = None) -> TableState:
    if isinstance(facts, Accepted):
        facts = facts.facts
    assert isinstance(facts, Facts), facts
    return apply(state, actor, facts)


def seated(*players: str) -> TableState:
    state = created()
    for player in players:
        state = after(state, rules.sit(state, player, None, None))
    return state


def running(*players: str) -> TableState:
    state = seated(*players)
    for seat in range(len(players) + 1, 4):
        state = after(state, rules.seat_bot(state, 0, seat), 0)
    return after(state, rules.start(state, 0, CHANCE, SECRET), 0)


def test_the_creator_is_host_on_seat_0() -> None:
    state = created()
    assert (state.host, state.seats[0].player, state.status, state.version) == (0, ADA, "lobby", 1)
    assert [seat.kind for seat in state.seats] == ["person", "open", "open", "open"]


def test_creating_records_the_options_in_full() -> None:
    facts = rules.create(HEARTS, {"variant": "spot"}, None, (), player=ADA, visibility="public", commitment="")
    assert isinstance(facts, Facts)
    fact = facts.table[0]
    assert isinstance(fact, TableCreated)
    assert fact.options == {
        "variant": "spot",
        "players": 4,
        "black_maria": False,
        "omnibus": False,
        "moon_rule": "add_to_others",
        "target_score": 500,
    }


@pytest.mark.parametrize(("bots", "code"), [((4,), "seat_unknown"), ((0,), "seat_taken")])
def test_bots_take_only_seats_that_exist_and_are_not_the_hosts(bots: tuple[int, ...], code: str) -> None:
    made = rules.create(HEARTS, {}, None, bots, player=ADA, visibility="public", commitment="")
    assert made == TableRefusal(code)


def test_sitting_down_takes_the_first_open_seat_or_the_one_asked_for() -> None:
    state = created(bots=(1,))
    assert rules.sit(state, BEN, None, None) == Facts((SeatTaken(2, BEN),))
    assert rules.sit(state, BEN, 3, "ab" * 32) == Facts((SeatTaken(3, BEN, "ab" * 32),))
    assert rules.sit(state, BEN, 1, None) == TableRefusal("seat_taken")
    assert rules.sit(state, BEN, 4, None) == TableRefusal("seat_unknown")


def test_a_player_holds_one_seat_and_gives_one_seed() -> None:
    state = seated(BEN)
    assert rules.sit(state, BEN, 2, None) == TableRefusal("already_seated")
    facts = rules.sit(state, BEN, None, "ab" * 32)
    assert facts == Facts((ClientSeedGiven(1, "ab" * 32),))
    state = after(state, facts, 1)
    assert rules.sit(state, BEN, 1, "cd" * 32) == TableRefusal("seed_given")


def test_a_full_table_takes_nobody_more() -> None:
    assert rules.sit(seated(BEN, CLEO, DORA), "eve", None, None) == TableRefusal("table_full")


def test_only_the_host_seats_and_frees_bots() -> None:
    state = seated(BEN)
    assert rules.seat_bot(state, 1, 2) == TableRefusal("not_host")
    assert rules.seat_bot(state, None, 2) == TableRefusal("not_seated")
    state = after(state, rules.seat_bot(state, 0, 2), 0)
    assert rules.unseat_bot(state, 1, 2) == TableRefusal("not_host")
    assert rules.unseat_bot(state, 0, 1) == TableRefusal("seat_not_bot")
    assert rules.unseat_bot(state, 0, 2) == Facts((SeatFreed(2),))


def test_the_match_starts_when_every_seat_is_taken() -> None:
    state = seated(BEN)
    assert rules.start(state, 0, CHANCE, SECRET) == TableRefusal("seats_open")
    assert rules.start(state, 1, CHANCE, SECRET) == TableRefusal("not_host")
    state = seated(BEN, CLEO, DORA)
    facts = rules.start(state, 0, CHANCE, SECRET)
    assert isinstance(facts, Facts)
    assert facts.table == (MatchStarted(),)
    state = apply(state, 0, facts)
    assert state.status == "running"
    assert state.decisions == (5, 5, 5, 5)
    assert rules.start(state, 0, CHANCE, SECRET) == TableRefusal("match_started")


def test_a_decision_stays_open_while_other_seats_act_and_is_new_after_an_own_move() -> None:
    state = running(BEN, CLEO, DORA)
    move = HEARTS.players.timeout_move(state.game_state, 2)
    state = after(state, rules.move(state, 2, 5, move, CHANCE, SECRET), 2)
    assert state.decisions == (5, 5, None, 5)
    for seat in (0, 1, 3):
        move = HEARTS.players.timeout_move(state.game_state, seat)
        state = after(state, rules.move(state, seat, 5, move, CHANCE, SECRET), seat)
    assert [decision for decision in state.decisions if decision is not None] == [9]


def test_another_number_than_the_open_decision_is_stale() -> None:
    state = running(BEN, CLEO, DORA)
    move = HEARTS.players.timeout_move(state.game_state, 1)
    assert rules.move(state, 1, 4, move, CHANCE, SECRET) == TableRefusal("stale_decision")
    assert rules.move(state, None, 5, move, CHANCE, SECRET) == TableRefusal("not_seated")
    assert rules.move(created(), 0, 1, move, CHANCE, SECRET) == TableRefusal("match_not_started")


def test_leaving_the_lobby_frees_the_seat_and_hands_the_table_on() -> None:
    state = seated(BEN, CLEO)
    assert rules.leave(state, 2, SECRET) == Facts((SeatFreed(2),))
    facts = rules.leave(state, 0, SECRET)
    assert facts == Facts((SeatFreed(0), HostChanged(1)))
    state = after(state, facts, 0)
    assert (state.host, state.seats[0].kind) == (1, "open")


def test_leaving_a_match_gives_the_seat_to_a_bot() -> None:
    state = running(BEN)
    facts = rules.leave(state, 1, SECRET)
    assert facts == Facts((BotSeated(1),))
    state = after(state, facts, 1)
    assert (state.seats[1].kind, state.status) == ("bot", "running")
    assert state.decisions[1] == state.version, "the bot's decision is a new one"


def test_the_host_is_the_next_person_clockwise_not_a_bot() -> None:
    state = created(bots=(1,))
    state = after(state, rules.sit(state, CLEO, 2, None))
    assert rules.leave(state, 0, SECRET) == Facts((SeatFreed(0), HostChanged(2)))


def test_a_table_that_the_last_person_leaves_is_closed() -> None:
    assert rules.leave(created(), 0, SECRET) == Facts((SeatFreed(0), TableClosed("abandoned")))
    state = running()
    facts = rules.leave(state, 0, SECRET)
    assert facts == Facts((BotSeated(0), TableClosed("abandoned"), SecretRevealed(SECRET)))
    state = after(state, facts, 0)
    assert (state.status, state.host, set(state.decisions)) == ("closed", None, {None})
    assert rules.sit(state, BEN, None, None) == TableRefusal("match_over")
    assert rules.leave(state, 1, SECRET) == TableRefusal("match_over")


def test_ready_marks_inform_and_are_cleared_by_the_start() -> None:
    state = seated(BEN, CLEO, DORA)
    assert rules.mark_ready(state, 1, True) == Facts((ReadyMarked(1, True),))
    state = after(state, rules.mark_ready(state, 1, True), 1)
    assert rules.mark_ready(state, 1, True) == Facts()
    state = after(state, rules.start(state, 0, CHANCE, SECRET), 0)
    assert state.ready == (False,) * 4
    assert rules.mark_ready(state, 1, True) == TableRefusal("match_started")


def test_hearts_has_no_lobby_between_rounds() -> None:
    state = running(BEN, CLEO, DORA)
    assert rules.change_options(state, 0, {"omnibus": True}) == TableRefusal("options_fixed")
    assert rules.end_match(state, 0, SECRET) == TableRefusal("match_not_open")


def test_a_whole_match_ends_with_places_and_the_secret_and_accepts_nothing_more() -> None:
    state = running(BEN, CLEO, DORA)
    facts: Any = None
    for _ in range(20_000):
        seat = next((seat for seat, decision in enumerate(state.decisions) if decision is not None), None)
        if seat is None:
            break
        decision = state.decisions[seat]
        assert decision is not None
        facts = rules.move(state, seat, decision, HEARTS.players.timeout_move(state.game_state, seat), CHANCE, SECRET)
        state = after(state, facts, seat)
    assert state.status == "finished"
    assert facts.facts.table == (SecretRevealed(SECRET),)
    outcome = HEARTS.decider.outcome(state.game_state)
    assert outcome is not None
    assert sorted(outcome.places)[0] == 1
    refused = rules.move(state, 0, state.version, HEARTS.types.move.__args__[0](("2C", "3C", "4C")), CHANCE, SECRET)
    assert isinstance(refused, Rejection)
    assert refused.code == "match_over"
    assert rules.start(state, 0, CHANCE, SECRET) == TableRefusal("match_over")
