"""The `type` of an event tells commands of the table from moves, also in logs of before."""

from typing import Any

import pytest

from domain.registry import CURRENT
from domain.table import rules
from domain.table.views import event_seen
from domain.verify import verify
from service.verify.notes import is_signed
from tests.domain.matches import SECRET, PlayedMatch


class LeftMatch(PlayedMatch):
    """A match of Von Herzen that seat 2 leaves while it runs."""

    command = "leave_table"

    def _play(self, choose: Any) -> None:
        self._do(rules.start(self.state, 0, self._chance(), SECRET.hex()), "start", 0)
        self._do(rules.leave(self.state, 2, SECRET.hex()), self.command, 2)
        self._go_on(choose)


class FormerMatch(LeftMatch):
    """The same, recorded when leaving the table had the name of a move of the game."""

    command = "leave"


@pytest.mark.parametrize("recorded", [LeftMatch, FormerMatch])
def test_leaving_a_table_is_shown_under_a_name_that_no_move_has(recorded: type[LeftMatch]) -> None:
    match = recorded(CURRENT["von_herzen"], {"players": 4, "complete_rounds": 2}, None, 5)
    seen = [event_seen(one.event, None, over=True) for one in match.sealed]
    assert [(event.type, event.decision) for event in seen[3:5]] == [("start", None), ("leave_table", None)]
    moves = [event for event in seen if event.type == "leave"]
    assert moves
    assert all(event.decision is not None for event in moves)
    checks = {check.name: check.status for check in verify(match.record(), check_note=is_signed).checks}
    assert checks["commands"] == "pass"
