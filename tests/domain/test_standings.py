"""What a match counts: for whom, with which place, from when on, and when no longer."""

from typing import Any

import pytest

from domain.codec import Event
from domain.registry import CURRENT
from domain.standings import PLACES, Tally, changes
from domain.table import rules
from domain.table.model import Adjudicated
from tests.domain.matches import SECRET, SHORT, TABLE, PlayedMatch

HOST = "11111111-1111-4111-8111-111111111111"


def player(seat: int) -> str:
    return f"{seat}2222222-2222-4222-8222-222222222222"


def taken(*places: int, left: int = 0) -> Tally:
    return Tally(tuple(places.count(place) for place in range(1, PLACES + 1)), left)


def at(match: PlayedMatch, version: int) -> dict[str, Tally]:
    events: list[Event] = [one.event for one in match.sealed[:version]]
    return changes(match.game, str(TABLE), events)


@pytest.mark.parametrize("key", list(CURRENT))
@pytest.mark.parametrize("seed", [1, 2])
def test_a_match_counts_once_at_its_end_for_the_people_who_hold_seats(key: str, seed: int) -> None:
    match = PlayedMatch(CURRENT[key], *SHORT[key], seed)
    outcome = match.game.decider.outcome(match.state.game_state)
    assert outcome is not None
    end = len(match.sealed)
    assert all(at(match, version) == {} for version in range(1, end))
    people = {0: HOST} | {seat: player(seat) for seat in range(2, match.state.setup.seats)}  # seat 1 has a bot
    assert at(match, end) == {one: taken(outcome.places[seat]) for seat, one in people.items()}


def adjudicated(dispute: str, arbiter: str, *, annulled: bool) -> Adjudicated:
    return Adjudicated(dispute, 5, arbiter, "void" if annulled else "rejected", annulled, 3, "00" * 32)


def test_an_annulled_match_counts_no_longer_and_an_appeal_brings_it_back() -> None:
    match = PlayedMatch(CURRENT["hearts"], {"target_score": 20}, None, 3)
    end = len(match.sealed)
    match.adjudicate(adjudicated("one", "a", annulled=True))
    match.adjudicate(adjudicated("two", "a", annulled=True))
    match.adjudicate(adjudicated("one", "b", annulled=False))
    match.adjudicate(adjudicated("two", "b", annulled=False))
    counted = at(match, end)
    gone = {one: Tally(tuple(-count for count in tally.places), 0) for one, tally in counted.items()}
    assert [at(match, end + number) for number in range(5)] == [counted, gone, {}, {}, counted]


class LeftMatch(PlayedMatch):
    """A match that seat 2 leaves while it runs."""

    def _play(self, choose: Any) -> None:
        self._do(rules.start(self.state, 0, self._chance(), SECRET.hex()), "start", 0)
        self._do(rules.leave(self.state, 2, SECRET.hex()), "leave_table", 2)
        self._go_on(choose)


def test_who_left_his_seat_to_a_bot_has_the_last_place() -> None:
    match = LeftMatch(CURRENT["hearts"], {"target_score": 20}, None, 3)
    outcome = match.game.decider.outcome(match.state.game_state)
    assert outcome is not None
    assert at(match, len(match.sealed)) == {
        HOST: taken(outcome.places[0]),
        player(3): taken(outcome.places[3]),
        player(2): taken(4, left=1),
    }


def test_a_move_called_leave_is_not_leaving_the_table() -> None:
    match = PlayedMatch(CURRENT["von_herzen"], {"players": 3, "complete_rounds": 4}, None, 5)
    moves = [one.event for one in match.sealed if one.event.type == "leave"]
    assert {event.actor for event in moves} == {0, 1, 2}
    assert all(event.decision is not None for event in moves)
    counted = at(match, len(match.sealed))
    assert {one: (tally.matches, tally.left) for one, tally in counted.items()} == {HOST: (1, 0), player(2): (1, 0)}


class LobbyMatch(PlayedMatch):
    """A match that seat 2 leaves before it starts; a bot takes the seat."""

    def _play(self, choose: Any) -> None:
        self._do(rules.leave(self.state, 2, SECRET.hex()), "leave_table", 2)
        self._do(rules.seat_bot(self.state, 0, 2), "seat_bot", 0)
        super()._play(choose)


def test_who_left_before_the_start_has_nothing_to_do_with_the_match() -> None:
    match = LobbyMatch(CURRENT["hearts"], {"target_score": 20}, None, 3)
    assert set(at(match, len(match.sealed))) == {HOST, player(3)}


class AbandonedMatch(PlayedMatch):
    """A match that everybody leaves."""

    def _play(self, choose: Any) -> None:  # noqa: ARG002 - nobody plays
        self._do(rules.start(self.state, 0, self._chance(), SECRET.hex()), "start", 0)
        for seat in (0, 2, 3):
            self._do(rules.leave(self.state, seat, SECRET.hex()), "leave_table", seat)


def test_a_match_that_everybody_left_counts_for_nobody() -> None:
    match = AbandonedMatch(CURRENT["hearts"], {"target_score": 20}, None, 3)
    assert match.state.status == "closed"
    assert all(at(match, version) == {} for version in range(1, len(match.sealed) + 1))


def test_averages_are_exact_thousandths() -> None:
    assert (taken(1, 2, 2).matches, taken(1, 2, 2).average_thousandths) == (3, 1666)
    assert (taken().matches, taken().average_thousandths) == (0, 0)
