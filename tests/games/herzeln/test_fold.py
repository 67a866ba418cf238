"""The fold: recorded facts give the same states, and facts that do not fit are impossible."""

import msgspec
import pytest

from domain.decider import ImpossibleFactError
from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.fold import evolve
from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnCardPlayed,
    HerzelnFact,
    HerzelnFirstDealerDrawn,
    HerzelnMatchEnded,
    HerzelnPackDealt,
    HerzelnPassed,
    HerzelnRoundScored,
    HerzelnSeatFinished,
    HerzelnState,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import PACKS
from tests.games.herzeln.tables import after, at_layout, at_tricks, match, options

TRICKS = at_tricks(2, {0: "7C 9H", 1: "8C", 2: "9C", 3: "TC"}, leader=1, trick="8S 9S TS")
LAYOUT = at_layout("JS", {0: "QC KC", 1: "QD"}, finished=(2, 3))


@pytest.mark.parametrize("players", [3, 4])
def test_the_facts_of_a_match_fold_to_its_states_after_a_round_trip_through_json(players: int) -> None:
    decode = msgspec.json.Decoder(tuple[HERZELN_1.types.fact, ...]).decode  # type: ignore[name-defined]
    decode_state = msgspec.json.Decoder(HerzelnState).decode
    state = HERZELN_1.decider.new(options(players, stop=True), players)
    for before, _, _, facts in match(options(players, stop=True), seed=players):
        assert state == before
        assert decode_state(msgspec.json.encode(state)) == state
        state = after(state, decode(msgspec.json.encode(facts)))
    assert HERZELN_1.decider.outcome(state) is not None


@pytest.mark.parametrize(
    ("state", "fact"),
    [
        (TRICKS, HerzelnCardPlayed(1, "8C")),
        (TRICKS, HerzelnCardPlayed(0, "8C")),
        (TRICKS, HerzelnTrickTaken(0, 10)),
        (TRICKS, HerzelnCardPlaced(0, "7C", "up")),
        (TRICKS, HerzelnPassed(0)),
        (TRICKS, HerzelnSeatFinished(0, 1, 0)),
        (TRICKS, HerzelnRoundScored(3, (0,) * 4, (0,) * 4, ((),) * 4)),
        (TRICKS, HerzelnPackDealt(4, 4, 0, PACKS[4])),
        (TRICKS, HerzelnFirstDealerDrawn(0)),
        (TRICKS, HerzelnMatchEnded((0,) * 4, (1,) * 4)),
        (at_tricks(2, {0: "7C"}, trick="8S 9S TS JS"), HerzelnCardPlayed(0, "7C")),
        (LAYOUT, HerzelnCardPlayed(0, "QC")),
        (LAYOUT, HerzelnTrickTaken(0, 10)),
        (LAYOUT, HerzelnCardPlaced(1, "QD", "up")),
        (LAYOUT, HerzelnCardPlaced(0, "QD", "up")),
        (LAYOUT, HerzelnCardPlaced(0, "QC", "open")),
        (LAYOUT, HerzelnPassed(1)),
        (LAYOUT, HerzelnSeatFinished(0, 3, -20)),
        (LAYOUT, HerzelnSeatFinished(2, 3, -20)),
        (at_layout("", {0: "JC QC", 1: "QD"}), HerzelnCardPlaced(0, "JC", "up")),
        (after(LAYOUT, [HerzelnPassed(0)]), HerzelnPassed(1)),
        (HERZELN_1.decider.new(options(4), 4), HerzelnCardPlayed(0, "7C")),
        (HERZELN_1.decider.new(options(4), 4), HerzelnPackDealt(1, 1, 0, PACKS[4])),
        (HERZELN_1.decider.new(options(4), 4), HerzelnRoundScored(1, (0,) * 4, (0,) * 4, ((),) * 4)),
        (
            after(HERZELN_1.decider.new(options(4), 4), [HerzelnFirstDealerDrawn(0)]),
            HerzelnPackDealt(1, 1, 0, PACKS[3]),
        ),
        (
            after(HERZELN_1.decider.new(options(4), 4), [HerzelnFirstDealerDrawn(0)]),
            HerzelnPackDealt(2, 2, 0, PACKS[4]),
        ),
    ],
)
def test_a_fact_that_does_not_fit_is_impossible(state: HerzelnState, fact: HerzelnFact) -> None:
    with pytest.raises(ImpossibleFactError):
        evolve(state, fact)


def test_a_round_is_not_scored_twice() -> None:
    scored = HerzelnRoundScored(2, (0,) * 4, (0,) * 4, ((),) * 4)
    state = after(TRICKS, [scored])

    with pytest.raises(ImpossibleFactError):
        evolve(state, scored)
