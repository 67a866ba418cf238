"""Snapshots: folds of every game survive as bytes, and other bytes are not opened."""

import pytest

from domain.registry import CURRENT
from domain.table.fold import apply, begin
from domain.table.model import TableState
from projections.snapshots import Fold, opened, snapshot
from tests.conformance.hooks import hooks_of
from tests.domain.matches import TABLE, PlayedMatch

KEY = bytes(range(32))


def states(rules_key: str) -> tuple[list[TableState], list[bytes]]:
    """Every state of a short match, and the chain hash of each."""
    game = CURRENT[rules_key]
    options, seats = hooks_of(game).options[0]
    match = PlayedMatch(game, options, seats, 3)
    events = [sealed.event for sealed in match.sealed]
    state = begin(game, str(TABLE), events[0].facts, events[0].time)
    found = [state]
    for event in events[1:]:
        state = apply(state, event.actor, event.facts)
        found.append(state)
    return found, match.hashes


@pytest.mark.parametrize("key", sorted(CURRENT))
def test_a_fold_survives_as_bytes(key: str) -> None:
    found, hashes = states(key)
    for state, hash_ in list(zip(found, hashes, strict=True))[:: max(1, len(found) // 60)]:
        fold = Fold(state, hash_)
        assert opened(snapshot(fold, KEY), str(TABLE), state.version, KEY) == fold


def test_other_bytes_are_not_opened() -> None:
    found, hashes = states("hearts")
    stored = snapshot(Fold(found[-1], hashes[-1]), KEY)
    version = found[-1].version
    for place in range(0, len(stored), 97):
        changed = stored[:place] + bytes([stored[place] ^ 1]) + stored[place + 1 :]
        assert opened(changed, str(TABLE), version, KEY) is None
    for wrong in (b"", stored[:-1], stored[:32], stored + b" "):
        assert opened(wrong, str(TABLE), version, KEY) is None
    assert opened(stored, str(TABLE), version - 1, KEY) is None
    assert opened(stored, "0" * 36, version, KEY) is None
    assert opened(stored, str(TABLE), version, bytes(32)) is None
