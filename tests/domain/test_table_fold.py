"""Facts of a table that cannot have happened are never applied: each guard in a state in which only it refuses."""

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError, Rejection
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import apply, begin, evolve
from domain.table.model import (
    Adjudicated,
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
    TableState,
)
from tests.domain.test_table import ADA, BEN, CHANCE, CLEO, DORA, HEARTS, SECRET, TABLE, after, created, running, seated

SEED = "ab" * 32

OPEN = seated(BEN)
FULL = seated(BEN, CLEO, DORA)
WITH_BOT = created(bots=(1,))
READY = evolve(FULL, ReadyMarked(1, True))
RUNNING = running(BEN, CLEO)
BETWEEN = replace(RUNNING, status="between_rounds")
FINISHED = replace(RUNNING, status="finished")
LEFT_LOBBY = evolve(created(), SeatFreed(0))
LEFT_MATCH = evolve(running(), BotSeated(0))
CLOSED = after(running(), rules.leave(running(), 0, SECRET), 0)
DECIDED = Adjudicated("one", 3, "arbiter", "upheld", True, 3, "ab" * 32)
APPEALED = replace(DECIDED, arbiter="another")
ONCE = evolve(FINISHED, DECIDED)
TWICE = evolve(ONCE, APPEALED)
THIRD = replace(DECIDED, arbiter="a third one")

WRONG_VALUES: list[tuple[TableState, TableFact, TableFact, str]] = [
    (OPEN, SeatTaken(2, CLEO), SeatTaken(1, CLEO), "not open"),
    (OPEN, SeatTaken(2, CLEO), SeatTaken(4, CLEO), "no seat 4"),
    (OPEN, SeatTaken(2, CLEO), SeatTaken(-1, CLEO), "no seat -1"),
    (OPEN, SeatTaken(2, CLEO), SeatTaken(2, ADA), "second seat"),
    (OPEN, ClientSeedGiven(1, SEED), ClientSeedGiven(2, SEED), "cannot give a seed"),
    (OPEN, ClientSeedGiven(1, SEED), ClientSeedGiven(4, SEED), "no seat 4"),
    (OPEN, BotSeated(2), BotSeated(1), "no bot can have come"),
    (OPEN, BotSeated(2), BotSeated(4), "no seat 4"),
    (RUNNING, BotSeated(1), BotSeated(3), "no bot can have come"),
    (OPEN, SeatFreed(1), SeatFreed(2), "it is open"),
    (OPEN, SeatFreed(1), SeatFreed(4), "no seat 4"),
    (OPEN, HostChanged(1), HostChanged(99), "no seat 99"),
    (OPEN, HostChanged(1), HostChanged(-3), "no seat -3"),
    (OPEN, HostChanged(1), HostChanged(2), "become host"),
    (OPEN, HostChanged(1), HostChanged(0), "become host"),
    (RUNNING, HostChanged(1), HostChanged(3), "become host"),
    (OPEN, ReadyMarked(1, True), ReadyMarked(2, True), "marked itself"),
    (OPEN, ReadyMarked(1, True), ReadyMarked(1, False), "marked itself"),
    (OPEN, ReadyMarked(1, True), ReadyMarked(4, True), "no seat 4"),
    (FINISHED, DECIDED, replace(DECIDED, version=0), "no version 0"),
    (FINISHED, DECIDED, replace(DECIDED, version=FINISHED.version + 1), "no version"),
    (ONCE, APPEALED, replace(APPEALED, dispute="two", version=ONCE.version), "no version"),
    (FINISHED, DECIDED, replace(DECIDED, decision="rejected"), "by rejecting"),
    (ONCE, APPEALED, DECIDED, "any more"),
    (ONCE, APPEALED, replace(APPEALED, version=2), "any more"),
]


@pytest.mark.parametrize(("state", "right", "wrong", "guard"), WRONG_VALUES)
def test_a_fact_with_a_value_that_does_not_follow_is_impossible(
    state: TableState, right: TableFact, wrong: TableFact, guard: str
) -> None:
    evolve(state, right)
    with pytest.raises(ImpossibleFactError, match=guard):
        evolve(state, wrong)


CREATED = TableCreated("hearts", 1, {}, 4, "public", ADA, "c0" * 32)

WRONG_TIME: list[tuple[str, TableState, TableFact, str]] = [
    ("a seat taken in a match", replace(OPEN, status="running"), SeatTaken(2, CLEO), "SeatTaken in status running"),
    ("a seed given in a match", RUNNING, ClientSeedGiven(1, SEED), "ClientSeedGiven in status running"),
    ("a second seed", evolve(OPEN, ClientSeedGiven(1, SEED)), ClientSeedGiven(1, "cd" * 32), "cannot give a seed"),
    ("a bot on a person's seat in the lobby", WITH_BOT, BotSeated(0), "no bot can have come"),
    ("a bot after the end", FINISHED, BotSeated(1), "no bot can have come"),
    ("a seat freed in a match", RUNNING, SeatFreed(1), "SeatFreed in status running"),
    ("ready in a match", RUNNING, ReadyMarked(1, True), "ready mark in status running"),
    ("ready after the end", FINISHED, ReadyMarked(1, True), "ready mark in status finished"),
    ("marks cleared that are not there", FULL, ReadyCleared(), "there are none"),
    ("started twice", RUNNING, MatchStarted(), "MatchStarted in status running"),
    ("started with an open seat", OPEN, MatchStarted(), "open seats"),
    ("closed with a person at it", RUNNING, TableClosed("abandoned"), "with a person at it"),
    ("closed twice", CLOSED, TableClosed("abandoned"), "status closed"),
    ("revealed in the lobby", FULL, SecretRevealed(SECRET), "revealed in status lobby"),
    ("revealed after the end", FINISHED, SecretRevealed(SECRET), "revealed in status finished"),
    ("adjudicated in a match", RUNNING, DECIDED, "adjudicated in status running"),
    ("adjudicated for the third time", TWICE, THIRD, "any more"),
    ("created twice", OPEN, CREATED, "created once"),
]


@pytest.mark.parametrize(("state", "fact", "guard"), [case[1:] for case in WRONG_TIME], ids=[c[0] for c in WRONG_TIME])
def test_a_fact_at_another_time_is_impossible(state: TableState, fact: TableFact, guard: str) -> None:
    with pytest.raises(ImpossibleFactError, match=guard):
        evolve(state, fact)


@pytest.mark.parametrize(
    ("state", "fact"),
    [
        (READY, ReadyCleared()),
        (FULL, MatchStarted()),
        (BETWEEN, ReadyMarked(1, True)),
        (LEFT_LOBBY, TableClosed("abandoned")),
        (LEFT_MATCH, TableClosed("abandoned")),
        (RUNNING, SecretRevealed(SECRET)),
    ],
)
def test_at_its_time_it_is_folded(state: TableState, fact: TableFact) -> None:
    evolve(state, fact)


MADE = rules.create(HEARTS, {}, None, (), player=ADA, visibility="public", commitment="c0" * 32)
assert isinstance(MADE, Facts)
FIRST = MADE.table[0]
assert isinstance(FIRST, TableCreated)


@pytest.mark.parametrize(
    ("fact", "guard"),
    [
        (replace(FIRST, game="romme"), "romme/1 folded under"),
        (replace(FIRST, rules_version=2), "hearts/2 folded under"),
        (replace(FIRST, options={}), "no options"),
        (replace(FIRST, seats=5), "a table of 5 seats"),
        (replace(FIRST, options={**FIRST.options, "black_maria": True}), "with moon_rule like this"),
        (SeatTaken(0, ADA), "creates it"),
    ],
)
def test_a_table_that_cannot_be_is_not_begun(fact: TableFact, guard: str) -> None:
    begin(HEARTS, TABLE, Facts((FIRST,)), 0)
    with pytest.raises(ImpossibleFactError, match=guard):
        begin(HEARTS, TABLE, Facts((fact,)), 0)


def test_no_game_goes_on_at_a_closed_table() -> None:
    state = running(BEN, CLEO, DORA)
    move = HEARTS.players.timeout_move(state.game_state, 0)
    facts = HEARTS.decider.decide(state.game_state, 0, move, CHANCE)
    assert not isinstance(facts, Rejection)
    apply(state, 0, Facts((), facts))
    with pytest.raises(ImpossibleFactError, match="closed table"):
        apply(replace(state, status="closed"), 0, Facts((), facts))


@pytest.mark.parametrize("seats", [-1, 0, 1, 7, 99])
def test_a_game_without_an_option_for_it_has_no_other_number_of_seats(seats: int) -> None:
    romme = CURRENT["romme"]
    made = rules.create(romme, {}, 2, (), player=ADA, visibility="public", commitment="c0" * 32)
    assert isinstance(made, Facts)
    assert isinstance(made.table[0], TableCreated)
    begin(romme, TABLE, made, 0)
    with pytest.raises(ImpossibleFactError, match="with seats like this"):
        begin(romme, TABLE, Facts((replace(made.table[0], seats=seats),)), 0)


def started(state: TableState) -> Facts:
    """Return what follows from the host's start."""
    facts = rules.start(state, 0, CHANCE, SECRET)
    assert isinstance(facts, Facts)
    return facts


def left(state: TableState, seat: int) -> Facts:
    """Return what follows from leaving."""
    facts = rules.leave(state, seat, SECRET)
    assert isinstance(facts, Facts)
    return facts


START, START_READY = started(FULL), started(READY)
HOST_LEFT, LAST_LEFT = left(RUNNING, 0), left(running(), 0)

WHOLE: list[tuple[str, TableState, Facts, tuple[TableFact, ...], str]] = [
    ("dealt before the start", FULL, START, (), "has not started"),
    ("marks that stay", READY, START_READY, (MatchStarted(),), "outlive the start"),
    ("revealed at the start", FULL, START, (MatchStarted(), SecretRevealed(SECRET)), "the secret is revealed"),
    ("revealed by leaving", RUNNING, HOST_LEFT, (*HOST_LEFT.table, SecretRevealed(SECRET)), "the secret is revealed"),
    ("never revealed", running(), LAST_LEFT, LAST_LEFT.table[:2], "the secret is revealed"),
    ("no host", RUNNING, HOST_LEFT, HOST_LEFT.table[:1], "nobody else is host"),
    ("another heir", RUNNING, HOST_LEFT, (BotSeated(0), HostChanged(2)), "seat 2 cannot have become host"),
    ("a host who stays", RUNNING, HOST_LEFT, (BotSeated(2), HostChanged(1)), "seat 1 cannot have become host"),
]


@pytest.mark.parametrize(
    ("state", "facts", "instead", "guard"), [case[1:] for case in WHOLE], ids=[c[0] for c in WHOLE]
)
def test_an_event_holds_all_that_follows_and_nothing_else(
    state: TableState, facts: Facts, instead: tuple[TableFact, ...], guard: str
) -> None:
    apply(state, 0, facts)
    with pytest.raises(ImpossibleFactError, match=guard):
        apply(state, 0, replace(facts, table=instead))


def test_no_match_starts_without_a_deal() -> None:
    with pytest.raises(ImpossibleFactError, match="without a deal"):
        apply(FULL, 0, replace(START, game=()))
