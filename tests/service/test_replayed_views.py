"""What a replay shows of any game is, byte for byte, the view that was written for that version and viewer.

A private stream is no part of it: what a seat may do with drafts is left out, all else is the same.
"""

import pytest

from domain.decider import AnyGame
from domain.registry import CURRENT
from domain.table.fold import apply, begin
from projections.snapshots import Fold, opened, snapshot
from projections.table_view import project, splice
from service.tables.replays import step_seen
from service.tables.snapshots import Step
from tests.conformance.hooks import hooks_of
from tests.domain.matches import TABLE, PlayedMatch

KEY = bytes(range(32))
NAMES = {"11111111-1111-4111-8111-111111111111": "Ada"}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("game", [CURRENT[key] for key in sorted(CURRENT)], ids=lambda game: game.key)
def test_a_replayed_view_is_the_one_that_was_written(game: AnyGame, seed: int) -> None:
    sets = hooks_of(game).options
    match = PlayedMatch(game, *sets[seed % len(sets)], seed)
    events = [sealed.event for sealed in match.sealed]
    state = begin(game, str(TABLE), events[0].facts, events[0].time)
    for place, event in enumerate(events):
        if place:
            state = apply(state, event.actor, event.facts)
        if place % 3 and event is not events[-1]:
            continue
        restored = opened(snapshot(Fold(state, match.hashes[place]), KEY), str(TABLE), state.version, KEY)
        assert restored is not None
        written = project(state, NAMES)
        step = Step(event, restored.state)
        assert bytes(step_seen(step, "spectator", NAMES).view) == splice(written.public, None)
        for seat, part in enumerate(written.seats):
            assert bytes(step_seen(step, seat, NAMES).view) == splice(written.public, part)
        open_cards = step_seen(step, "all", NAMES)
        assert open_cards.hands == written.seat_parts
        assert open_cards.event.facts == event.facts.game
        if game.private_stream is not None:
            with_streams = project(state, NAMES, private_streams=[(0, game.private_stream.new())] * state.setup.seats)
            assert with_streams.public == written.public
            for before, after in zip(with_streams.seat_parts, written.seat_parts, strict=True):
                assert (before.hand, before.decision, before.private) == (after.hand, after.decision, after.private)
                assert set(map(str, after.legal)) <= set(map(str, before.legal))
