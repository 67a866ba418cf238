"""Matches that are over before anybody has moved, and events with several deals: with Overboard, where a good hand ends
its round at once."""

import json

import pytest

from domain.registry import GAMES
from domain.standings import changes
from domain.table.model import MatchStarted, SecretRevealed
from domain.verify import verify
from service.verify.notes import is_signed
from tests.domain.matches import SECRET, TABLE, PlayedMatch, rechained, resealed
from tests.domain.test_refold import again
from tests.toy.overboard import OVERBOARD_1
from tests.toy.overboard.model import OverboardPackDealt


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, OVERBOARD_1.rules_id, OVERBOARD_1)


def deals(match: PlayedMatch) -> list[int]:
    """The number of deals in each event."""
    return [sum(isinstance(fact, OverboardPackDealt) for fact in one.event.facts.game) for one in match.sealed]


def at_once() -> PlayedMatch:
    return PlayedMatch(OVERBOARD_1, {"lives": 1, "goal": 15}, 6, 1)


def test_a_match_that_ends_in_its_first_deals_reveals_its_secret_and_verifies() -> None:
    match = at_once()
    start = match.sealed[-1].event
    assert (start.type, match.state.status) == ("start", "finished")
    assert start.facts.table == (MatchStarted(), SecretRevealed(SECRET.hex()))
    report = verify(match.record(), check_note=is_signed)
    assert report.ok, [check for check in report.checks if check.status != "pass"]
    assert again(match, OVERBOARD_1) is None
    assert changes(OVERBOARD_1, str(TABLE), [one.event for one in match.sealed])


def test_without_its_secret_such_a_match_does_not_verify() -> None:
    document = json.loads(at_once().record())
    started = document["events"][-1]
    revealed = f',{{"type":"secret_revealed","secret":"{SECRET.hex()}"}}'
    assert revealed in started["envelope"]
    started["envelope"] = started["envelope"].replace(revealed, "")
    report = verify(json.dumps(rechained(resealed(document))).encode(), check_note=is_signed)
    assert "facts" in [check.name for check in report.checks if check.status == "fail"]


@pytest.mark.parametrize("seed", range(3))
def test_an_event_may_hold_several_deals(seed: int) -> None:
    match = PlayedMatch(OVERBOARD_1, {"lives": 3, "goal": 20}, 5, seed)
    assert max(deals(match)) > 1
    report = verify(match.record(), check_note=is_signed)
    assert report.ok, [check for check in report.checks if check.status != "pass"]
