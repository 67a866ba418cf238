"""The fold: recorded facts give the same states, and facts that do not fit are impossible."""

from collections.abc import Iterator

import msgspec
import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.fold import evolve, ranking, score
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
    HerzelnTrick,
    HerzelnTricks,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import PACKS
from tests.games.herzeln.tables import after, at_layout, at_tricks, match, options


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


CHOSEN = options(4, stop=True)


def folded() -> Iterator[tuple[HerzelnState, HerzelnFact]]:
    """Yield every fact of a match with the state before it."""
    for state, _, _, facts in match(CHOSEN, seed=3):
        for fact in facts:
            yield state, fact
            state = evolve(state, fact)


FOLDED = list(folded())
OVER = evolve(*FOLDED[-1])
NEW = FOLDED[0][0]


def all_of(kind: type[HerzelnFact]) -> list[tuple[HerzelnState, HerzelnFact]]:
    """Return all facts of a kind, each with the state before it."""
    return [(state, fact) for state, fact in FOLDED if isinstance(fact, kind)]


DRAWN = FOLDED[0][1]
READY, DEAL = FOLDED[1]
PLAYING, PLAY = all_of(HerzelnCardPlayed)[1]
COMPLETE, TAKE = all_of(HerzelnTrickTaken)[0]
COUNTED, SCORE = all_of(HerzelnRoundScored)[0]
SCORED, NEXT_DEAL = all_of(HerzelnPackDealt)[1]
PLACING, PLACE = all_of(HerzelnCardPlaced)[1]
PASSING, PASS = all_of(HerzelnPassed)[0]
FINISHING, FINISH = all_of(HerzelnSeatFinished)[0]
LAYOUT_COUNTED, LAYOUT_SCORE = all_of(HerzelnRoundScored)[-1]
ENDING, END = FOLDED[-1]
STOPPED = next(state for state, _ in all_of(HerzelnPackDealt)[1:] if state.round and any(state.round.hands))
"""A round was stopped because it is decided, and is scored: its cards are still in the hands."""
assert isinstance(DRAWN, HerzelnFirstDealerDrawn)
assert isinstance(DEAL, HerzelnPackDealt)
assert isinstance(PLAY, HerzelnCardPlayed)
assert isinstance(TAKE, HerzelnTrickTaken)
assert isinstance(SCORE, HerzelnRoundScored)
assert isinstance(NEXT_DEAL, HerzelnPackDealt)
assert isinstance(PLACE, HerzelnCardPlaced)
assert isinstance(PASS, HerzelnPassed)
assert isinstance(FINISH, HerzelnSeatFinished)
assert isinstance(LAYOUT_SCORE, HerzelnRoundScored)
assert isinstance(END, HerzelnMatchEnded)
assert PLAYING.round
assert PLACING.round

FOREIGN = PLAYING.round.hands[(PLAY.seat + 1) % 4][0]
FOREIGN_PLACED = PLACING.round.hands[(PLACE.seat + 1) % 4][0]


def shifted(values: tuple[int, ...]) -> tuple[int, ...]:
    """Move a point from the last seat to the first."""
    return (values[0] + 1, *values[1:-1], values[-1] - 1)


LAYOUT = at_layout("JS", {0: "QC KC", 1: "QD"}, finished=(2, 3))
UNOPENED = at_layout("", {0: "JC QC", 1: "QD"})

WRONG_VALUES: list[tuple[HerzelnState, HerzelnFact, HerzelnFact, str]] = [
    # deals
    (NEW, DRAWN, replace(DRAWN, dealer=4), "no seat 4"),
    (NEW, DRAWN, replace(DRAWN, dealer=-1), "no seat -1"),
    (READY, DEAL, replace(DEAL, round=2), "not dealt like this"),
    (READY, DEAL, replace(DEAL, contract=8), "not dealt like this"),
    (READY, DEAL, replace(DEAL, dealer=(DEAL.dealer + 1) % 4), "not dealt like this"),
    (READY, DEAL, replace(DEAL, dealer=DEAL.dealer + 4), "not dealt like this"),
    (READY, DEAL, replace(DEAL, pack=("9C",) * 32), "not the pack"),
    (READY, DEAL, replace(DEAL, pack=DEAL.pack[1:]), "not the pack"),
    (READY, DEAL, replace(DEAL, pack=(*DEAL.pack, "9C")), "not the pack"),
    (READY, DEAL, replace(DEAL, pack=("XX", *DEAL.pack[1:])), "not the pack"),
    (SCORED, NEXT_DEAL, replace(NEXT_DEAL, dealer=DEAL.dealer), "not dealt like this"),
    # tricks
    (PLAYING, PLAY, replace(PLAY, seat=(PLAY.seat + 1) % 4, card=FOREIGN), "out of turn"),
    (PLAYING, PLAY, replace(PLAY, seat=PLAY.seat - 4), "out of turn"),
    (PLAYING, PLAY, replace(PLAY, card=FOREIGN), "does not hold"),
    (PLAYING, PLAY, replace(PLAY, card="XX"), "does not hold"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 1) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 2) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 3) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=TAKE.seat + 4), "does not exist"),
    (COMPLETE, TAKE, replace(TAKE, seat=TAKE.seat - 4), "does not exist"),
    (COMPLETE, TAKE, replace(TAKE, points=TAKE.points + 1), "does not score"),
    # the layout
    (PLACING, PLACE, replace(PLACE, seat=(PLACE.seat + 1) % 4, card=FOREIGN_PLACED), "out of turn"),
    (PLACING, PLACE, replace(PLACE, card=FOREIGN_PLACED), "does not hold"),
    (PLACING, PLACE, replace(PLACE, end="open"), "an end that is not there"),
    (LAYOUT, HerzelnCardPlaced(0, "QC", "up"), HerzelnCardPlaced(0, "KC", "up"), "does not continue"),
    (LAYOUT, HerzelnCardPlaced(0, "QC", "up"), HerzelnCardPlaced(0, "QC", "down"), "does not continue"),
    (UNOPENED, HerzelnCardPlaced(0, "JC", "open"), HerzelnCardPlaced(0, "QC", "open"), "does not continue"),
    (PASSING, PASS, replace(PASS, seat=(PASS.seat + 1) % 4), "out of turn"),
    (PASSING, PASS, replace(PASS, seat=4), "out of turn"),
    (FINISHING, FINISH, replace(FINISH, seat=(FINISH.seat + 1) % 4), "cannot have finished"),
    (FINISHING, FINISH, replace(FINISH, seat=4), "cannot have finished"),
    (FINISHING, FINISH, replace(FINISH, place=2), "not finished like this"),
    (FINISHING, FINISH, replace(FINISH, points=-10), "not finished like this"),
    # scores and the end
    (COUNTED, SCORE, replace(SCORE, round=2), "not scored like this"),
    (COUNTED, SCORE, replace(SCORE, points=shifted(SCORE.points)), "not scored like this"),
    (COUNTED, SCORE, replace(SCORE, totals=shifted(SCORE.totals)), "not scored like this"),
    (COUNTED, SCORE, replace(SCORE, left=(("7C",), *SCORE.left[1:])), "not scored like this"),
    (LAYOUT_COUNTED, LAYOUT_SCORE, replace(LAYOUT_SCORE, points=shifted(LAYOUT_SCORE.points)), "not scored like this"),
    (ENDING, END, replace(END, totals=shifted(END.totals)), "not end like this"),
    (ENDING, END, replace(END, places=(1, 1, 1, 1)), "not end like this"),
]


@pytest.mark.parametrize(("state", "right", "wrong", "guard"), WRONG_VALUES)
def test_a_fact_with_a_value_that_does_not_follow_is_impossible(
    state: HerzelnState, right: HerzelnFact, wrong: HerzelnFact, guard: str
) -> None:
    evolve(state, right)
    with pytest.raises(ImpossibleFactError, match=guard):
        evolve(state, wrong)


TRICKS = at_tricks(2, {0: "7C 9H", 1: "8C", 2: "9C", 3: "TC"}, leader=1, trick="8S 9S TS")
BETWEEN_TRICKS = at_tricks(
    2, {0: "7C", 1: "8C", 2: "9C", 3: "TC"}, taken=(HerzelnTrick(0, ("7S", "8S", "9S", "TS"), 3, 10),)
)
DECIDED_NOT_STOPPED = at_tricks(
    5, {0: "7C", 1: "8C", 2: "9C", 3: "TC"}, taken=(HerzelnTrick(0, ("KH", "7H", "8H", "9H"), 0, -40),)
)
LAYOUT_OVER = at_layout("JS", {0: "QC KC"}, finished=(1, 2, 3))
EARLIER_HAND = at_layout("JS", {1: "QC", 2: "KC"}, turn=1, last_mover=3)
TAKEN_SO_FAR = HerzelnRoundScored(2, (0, 0, 0, 10), (0, 0, 0, 10), (("7C",), ("8C",), ("9C",), ("TC",)))
AGAIN = replace(SCORE, totals=tuple(2 * total for total in SCORE.totals))


def played_in(state: HerzelnState) -> HerzelnCardPlayed:
    """Return a card that the leader of the round could play."""
    assert isinstance(state.round, HerzelnTricks)
    leader = state.round.leader
    return HerzelnCardPlayed(leader, state.round.hands[leader][0])


def with_open_trick() -> tuple[HerzelnState, HerzelnRoundScored]:
    """Return a decided round with a card on the table, and its score."""
    state = next(state for state, _ in all_of(HerzelnRoundScored) if state.round and any(state.round.hands))
    assert isinstance(state.round, HerzelnTricks)
    led = played_in(state)
    hands = tuple(tuple(card for card in hand if card != led.card) for hand in state.round.hands)
    state = replace(state, round=replace(state.round, hands=hands, trick=(led.card,)))
    return state, score(state)


DECIDED = next(state for state, _ in all_of(HerzelnRoundScored) if state.round and any(state.round.hands))
UNFINISHED = at_layout("JS", {1: "QC", 2: "KC", 3: "AC"}, last_mover=0, turn=1)
FINISHED_ONE = at_layout("JS", {1: "QC", 2: "KC"}, finished=(0,), last_mover=0, turn=1)

WRONG_TIME: list[tuple[str, HerzelnState, HerzelnFact, str]] = [
    ("the first dealer drawn twice", READY, DRAWN, "drawn twice"),
    ("dealt before the first dealer is drawn", NEW, DEAL, "no round can be dealt"),
    ("dealt after the last round", ENDING, HerzelnPackDealt(9, 1, DEAL.dealer, PACKS[4]), "no round can be dealt"),
    ("dealt twice", evolve(READY, DEAL), DEAL, "another is running"),
    ("dealt before the round is scored", COUNTED, DEAL, "another is running"),
    ("played in a layout", LAYOUT, HerzelnCardPlayed(0, "QC"), "no tricks"),
    ("played before the deal", NEW, HerzelnCardPlayed(0, "7C"), "no tricks"),
    ("a fifth card", at_tricks(2, {0: "7C"}, trick="8S 9S TS JS"), HerzelnCardPlayed(0, "7C"), "out of turn"),
    ("played in a round that is scored", STOPPED, played_in(STOPPED), "is scored"),
    ("played in a round that is decided", DECIDED, played_in(DECIDED), "or over"),
    ("taken before it is complete", TRICKS, HerzelnTrickTaken(3, 10), "not complete"),
    ("taken in a layout", LAYOUT, HerzelnTrickTaken(0, 10), "not complete"),
    ("placed in tricks", TRICKS, HerzelnCardPlaced(0, "7C", "up"), "there is none"),
    ("placed in a layout that is over", LAYOUT_OVER, HerzelnCardPlaced(0, "QC", "up"), "that is over"),
    (
        "placed at an end of no line",
        at_layout("", {0: "JC QC", 1: "QD"}),
        HerzelnCardPlaced(0, "JC", "up"),
        "not there",
    ),
    ("passed in tricks", TRICKS, HerzelnPassed(0), "there is none"),
    ("all passed", after(LAYOUT, [HerzelnPassed(0)]), HerzelnPassed(1), "every seat in play"),
    ("placed before a seat has finished", UNFINISHED, HerzelnCardPlaced(1, "QC", "up"), "before seat 0 has finished"),
    ("passed before a seat has finished", UNFINISHED, HerzelnPassed(1), "before seat 0 has finished"),
    ("finished in tricks", at_tricks(2, {1: "7C"}), HerzelnSeatFinished(0, 1, 0), "cannot have finished"),
    ("finished with cards", at_layout("JS", {0: "QC"}, last_mover=0), HerzelnSeatFinished(0, 1, 0), "cannot have"),
    ("finished twice", FINISHED_ONE, HerzelnSeatFinished(0, 2, -10), "cannot have finished"),
    ("finished by another card", EARLIER_HAND, HerzelnSeatFinished(0, 1, 0), "cannot have finished"),
    ("scored before a round", NEW, HerzelnRoundScored(0, (0,) * 4, (0,) * 4, ((),) * 4), "not over"),
    ("scored twice", SCORED, AGAIN, "not over"),
    ("scored after one trick", BETWEEN_TRICKS, TAKEN_SO_FAR, "not over"),
    ("scored with an open trick", *with_open_trick(), "not over"),
    ("scored though nobody stops what is decided", DECIDED_NOT_STOPPED, score(DECIDED_NOT_STOPPED), "not over"),
    ("a layout scored while two play", LAYOUT, score(LAYOUT), "not over"),
    ("ended before the last round", SCORED, HerzelnMatchEnded(SCORED.totals, ranking(SCORED.totals)), "end now"),
    ("ended twice", OVER, END, "end now"),
]


@pytest.mark.parametrize(("state", "fact", "guard"), [case[1:] for case in WRONG_TIME], ids=[c[0] for c in WRONG_TIME])
def test_a_fact_at_another_time_is_impossible(state: HerzelnState, fact: HerzelnFact, guard: str) -> None:
    with pytest.raises(ImpossibleFactError, match=guard):
        evolve(state, fact)
