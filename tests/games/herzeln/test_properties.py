"""What holds in every match: control sums, cards, lines, and that a layout never blocks."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.decider import Rejection
from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnLayout,
    HerzelnLegal,
    HerzelnLegalPass,
    HerzelnLegalPlace,
    HerzelnLegalPlay,
    HerzelnMatchEnded,
    HerzelnMove,
    HerzelnOptions,
    HerzelnPass,
    HerzelnPlace,
    HerzelnPlay,
    HerzelnRoundScored,
    HerzelnTricks,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import NEXT_DOWN, NEXT_UP, PACKS, asked
from domain.games.herzeln.rules import decide, legal, timeout_move, to_act
from tests.games.herzeln.conformance import candidates
from tests.games.herzeln.tables import CHANCE, after, facts_of, match, of_kind, options

ROUND_SUMS = {3: (-31, 80, -80, -80, -40, 40, -40, -30), 4: (-33, 80, -80, -80, -40, 40, -40, -60)}
SERIES_SUM = {3: -181, 4: -213}
PLACEMENTS_MAX = {3: 23, 4: 31}
TURNS_MAX = {3: 69, 4: 124}

any_options = st.builds(options, st.sampled_from([3, 4]), long=st.booleans(), stop=st.booleans())
any_seed = st.integers(0, 2**64)


@settings(max_examples=25, deadline=None)
@given(chosen=any_options, seed=any_seed)
def test_every_round_and_every_series_has_its_control_sum(chosen: HerzelnOptions, seed: int) -> None:
    facts = facts_of(chosen, seed)
    sums = [sum(scored.points) for scored in of_kind(facts, HerzelnRoundScored)]
    series = len(sums) // 8

    assert series == (chosen.players if chosen.match_length == "series_per_player" else 1)
    assert sums == [*ROUND_SUMS[chosen.players]] * series
    assert sum(of_kind(facts, HerzelnMatchEnded)[0].totals) == SERIES_SUM[chosen.players] * series


@settings(max_examples=25, deadline=None)
@given(players=st.sampled_from([3, 4]), stop=st.booleans(), seed=any_seed)
def test_no_card_is_lost_or_doubled_and_the_line_is_unbroken(players: int, stop: bool, seed: int) -> None:
    for state, _, _, facts in match(options(players, stop=stop), seed):
        now = after(state, facts).round
        assert now is not None
        out = [card for hand in now.hands for card in hand]
        if isinstance(now, HerzelnTricks):
            out.extend([*now.trick, *(card for trick in now.taken for card in trick.cards)])
        else:
            out.extend(now.line)
            for low, high in pairwise(now.line):
                assert NEXT_UP[players][low[0]] == high[0]
                assert NEXT_DOWN[players][high[0]] == low[0]
        assert sorted(out) == sorted(PACKS[players])


@settings(max_examples=40, deadline=None)
@given(players=st.sampled_from([3, 4]), seed=any_seed)
def test_a_layout_never_blocks(players: int, seed: int) -> None:
    """Section 9: some seat still in play can always serve each end, so a circuit never has passes alone."""
    placements = turns = running = 0
    for state, _, move, facts in match(options(players), seed):
        now = state.round
        if not isinstance(now, HerzelnLayout):
            continue
        held = {card[0] for seat, hand in enumerate(now.hands) if seat not in now.finished for card in hand}
        if now.line:
            assert held.issuperset(asked(now.line, players))
        (entry,) = legal(state, now.turn)
        assert isinstance(entry, HerzelnLegalPass | HerzelnLegalPlace)
        assert isinstance(entry, HerzelnLegalPass) == isinstance(move, HerzelnPass)
        turns += 1
        placements += len(of_kind(facts, HerzelnCardPlaced))
        running = running + 1 if isinstance(move, HerzelnPass) else 0
        assert running < players - len(now.finished)
    assert placements <= PLACEMENTS_MAX[players]
    assert turns <= TURNS_MAX[players]
    assert turns >= PLACEMENTS_MAX[players] - 8 + 1


@settings(max_examples=12, deadline=None)
@given(chosen=any_options, seed=any_seed)
def test_legal_lists_exactly_what_is_accepted(chosen: HerzelnOptions, seed: int) -> None:
    for number, (state, _, _, _) in enumerate(match(chosen, seed)):
        if number % 17 == seed % 17:
            for seat in range(chosen.players):
                moves = candidates(state, seat)
                accepted = [move for move in moves if not isinstance(decide(state, seat, move, CHANCE), Rejection)]
                assert set(accepted) == set(_listed(legal(state, seat)))
                assert bool(accepted) == (seat in to_act(state))


def _listed(entries: tuple[HerzelnLegal, ...]) -> Iterator[HerzelnMove]:
    for entry in entries:
        if isinstance(entry, HerzelnLegalPlay):
            yield from map(HerzelnPlay, entry.cards)
        elif isinstance(entry, HerzelnLegalPlace):
            yield from (HerzelnPlace(option.card, end) for option in entry.placements for end in option.ends)
        else:
            yield HerzelnPass()


@pytest.mark.parametrize("players", [3, 4])
def test_stopping_decided_rounds_never_changes_the_scores(players: int) -> None:
    for seed in range(10):
        scores = []
        tricks = []
        for stop in (False, True):
            facts = [fact for step in match(options(players, stop=stop), seed, mover=timeout_move) for fact in step[3]]
            scores.append([scored.points for scored in of_kind(facts, HerzelnRoundScored)])
            tricks.append(len(of_kind(facts, HerzelnTrickTaken)))
        assert scores[0] == scores[1], f"seed {seed}"
        assert tricks[0] == 56
        assert tricks[1] <= tricks[0]
