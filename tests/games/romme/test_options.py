"""Options at creation and between rounds: worked cases W-121 to W-128."""

from itertools import product

import pytest
from msgspec.structs import asdict, replace

from domain.decider import OptionProblem, Outcome, Rejection
from domain.games.romme import ROMME_1
from domain.games.romme.facts import RommeMatchEnded, RommeOptionChanged, RommeRoundStarted
from domain.games.romme.lobby import change_options, end_match
from domain.games.romme.model import RommeOptions, RommeState
from domain.games.romme.moves import RommeDiscard
from domain.games.romme.options import OPTIONS, changed
from domain.games.romme.rules import start
from domain.table import rules as table_rules
from domain.table.fold import apply, begin
from domain.table.model import Facts, TableRefusal, TableState
from tests.games.romme.positions import CHANCE, accepted, before, folded, options, position


def between_rounds(**given: object) -> RommeState:
    """The lobby after round 2."""
    state = before(seats=3, **given)
    return replace(folded(state, start(state, CHANCE)), phase="over", round=2)


def test_w_121_without_options_everything_is_as_usual() -> None:
    parsed = options()
    assert parsed == RommeOptions(30, False, True, "always", "rounds", 5, None)
    assert changed(parsed) == ()


def test_w_122_values_outside_the_table_are_refused() -> None:
    assert OPTIONS.parse({"first_meld_min": 35}, 2) == OptionProblem("option_value", "R-73", "first_meld_min")


def test_w_123_a_number_of_rounds_goes_only_with_rounds() -> None:
    raw = {"match_end": "points", "rounds": 5}
    assert OPTIONS.parse(raw, 2) == OptionProblem("option_conflict", "R-73", "rounds")


def test_w_124_an_omitted_limit_takes_its_default_if_its_mode_is_chosen() -> None:
    parsed = options(match_end="points")
    assert (parsed.target_score, parsed.rounds) == (500, None)
    assert changed(parsed) == ("match_end",)


def table_of(status: str) -> TableState:
    """A table of two persons, before or after the start."""
    made = table_rules.create(ROMME_1, {}, 2, (), player="ada", visibility="public", commitment="c0" * 32)
    assert isinstance(made, Facts)
    state = begin(ROMME_1, "00112233-4455-6677-8899-aabbccddeeff", made, 1000)
    seated = table_rules.sit(state, "ben", None, None)
    assert isinstance(seated, Facts)
    state = apply(state, None, seated)
    if status == "running":
        running = table_rules.start(state, 0, CHANCE, "")
        assert isinstance(running, Facts)
        state = apply(state, 0, running)
    assert state.status == status
    return state


def test_w_125_nothing_is_changed_while_a_round_runs() -> None:
    assert table_rules.change_options(table_of("running"), 0, {"first_meld_min": 40}) == TableRefusal("round_running")
    running = folded(before(), start(before(), CHANCE))
    assert ROMME_1.lobby is not None
    assert not ROMME_1.lobby.between_rounds(running)
    with pytest.raises(ValueError, match="a round is running"):
        change_options(running, {"first_meld_min": 40})


def test_w_126_a_house_rule_changed_between_rounds_holds_from_the_next_one_on() -> None:
    _, state = accepted(position("4D", out=True, others=["2C"], seats=2), RommeDiscard("4D#1"))
    state = replace(state, round=2, score_sheet=(state.score_sheet[0], replace(state.score_sheet[0], round=2)))
    facts = change_options(state, {"joker_swap": True})
    assert facts == (RommeOptionChanged("joker_swap", False, True, changed=True),)
    later = folded(state, facts)
    assert later.round_options == state.round_options, "the rounds played keep their snapshot"
    assert ROMME_1.views.board(later).changed == ("joker_swap",)
    started = start(later, CHANCE)
    assert isinstance(started[0], RommeRoundStarted)
    assert started[0].options == options(joker_swap=True)
    later = folded(later, started)
    assert (later.round, later.round_options.joker_swap) == (3, True)
    assert [result.options.joker_swap for result in later.score_sheet] == [False, False]


def test_w_127_guests_change_nothing() -> None:
    for status in ("lobby", "running"):
        assert table_rules.change_options(table_of(status), 1, {"joker_swap": True}) == TableRefusal("not_host")
    allowed = table_rules.change_options(table_of("lobby"), 0, {"joker_swap": True})
    assert isinstance(allowed, Facts)


def test_w_128_the_end_of_the_match_is_fixed_with_the_first_deal() -> None:
    problem = change_options(between_rounds(), {"target_score": 100})
    assert problem == OptionProblem("option_locked", "R-75", "target_score")


# the order of the checks, and what else say

PROBLEMS: list[tuple[dict[str, object], str, str]] = [
    ({"joker_swap": 1, "nonsense": 1}, "option_unknown", "nonsense"),
    ({"match_end": "points", "rounds": 5, "joker_swap": "yes"}, "option_value", "joker_swap"),
    ({"first_meld_min": True}, "option_value", "first_meld_min"),
    ({"first_meld_min": 30.0}, "option_value", "first_meld_min"),
    ({"first_meld_min": None}, "option_value", "first_meld_min"),
    ({"rounds": True}, "option_value", "rounds"),
    ({"rounds": 0}, "option_value", "rounds"),
    ({"rounds": 31}, "option_value", "rounds"),
    ({"target_score": 150}, "option_value", "target_score"),
    ({"target_score": 100}, "option_conflict", "target_score"),
    ({"rounds": None}, "option_conflict", "rounds"),
    ({"match_end": "points", "target_score": None}, "option_conflict", "target_score"),
    ({"match_end": "open", "rounds": 5}, "option_conflict", "rounds"),
    ({"match_end": "open", "target_score": 500}, "option_conflict", "target_score"),
]


@pytest.mark.parametrize(("raw", "code", "option"), PROBLEMS)
def test_bad_options_are_refused_in_order(raw: dict[str, object], code: str, option: str) -> None:
    assert OPTIONS.parse(raw, None) == OptionProblem(code, "R-73", option)


@pytest.mark.parametrize("seats", [0, 1, 7, -2])
def test_a_number_of_seats_that_cannot_play_is_refused(seats: int) -> None:
    assert OPTIONS.parse({}, seats) == OptionProblem("option_value", "R-5", "seats")


def test_who_names_no_number_of_seats_gets_the_fewest() -> None:
    assert [OPTIONS.seat_count(options(), seats) for seats in (None, 2, 6)] == [2, 2, 6]


def test_all_house_rules_go_together_with_every_end() -> None:
    house = product((30, 40, 0), (False, True), (False, True), ("always", "after_out"))
    ends: list[dict[str, object]] = [{}, {"match_end": "points"}, {"match_end": "open"}]
    combinations = [
        dict(zip(("first_meld_min", "joker_swap", "hand_romme_double", "discard_draw"), values, strict=True))
        for values in house
    ]
    assert len(combinations) == 24
    for combination in combinations:
        for end in ends:
            parsed = OPTIONS.parse(combination | end, None)
            assert isinstance(parsed, RommeOptions), combination
            assert asdict(parsed).items() >= combination.items()


def test_before_the_first_deal_the_end_may_still_change_and_takes_its_limits_along() -> None:
    state = before(rounds=7)
    facts = change_options(state, {"match_end": "points"})
    assert facts == (
        RommeOptionChanged("match_end", "rounds", "points", changed=True),
        RommeOptionChanged("rounds", 7, None, changed=False),
        RommeOptionChanged("target_score", None, 500, changed=False),
    )
    state = folded(state, facts)
    assert state.options == options(match_end="points")
    back = change_options(state, {"match_end": "rounds", "rounds": 7})
    assert not isinstance(back, OptionProblem)
    assert folded(state, back).options == options(rounds=7)


def test_what_is_sent_with_its_present_value_is_no_change() -> None:
    state = between_rounds(rounds=7)
    assert change_options(state, {"match_end": "rounds", "rounds": 7, "target_score": None}) == ()
    assert change_options(state, {}) == ()


LOBBY_PROBLEMS: list[tuple[dict[str, object], str, str, str]] = [
    ({"nonsense": 1, "rounds": 99}, "option_unknown", "R-73", "nonsense"),
    ({"rounds": 99, "match_end": "open"}, "option_value", "R-73", "rounds"),
    ({"match_end": "open", "rounds": 7}, "option_locked", "R-75", "match_end"),
    ({"rounds": 8}, "option_locked", "R-75", "rounds"),
    ({"rounds": None}, "option_locked", "R-75", "rounds"),
]


@pytest.mark.parametrize(("raw", "code", "rule", "option"), LOBBY_PROBLEMS)
def test_changes_are_refused_in_order(raw: dict[str, object], code: str, rule: str, option: str) -> None:
    assert change_options(between_rounds(rounds=7), raw) == OptionProblem(code, rule, option)


def test_an_open_match_is_ended_by_hand_after_a_round() -> None:
    assert end_match(before()) == Rejection("not_open", "R-68")
    assert end_match(before(match_end="open")) == Rejection("no_round_played", "R-68")
    _, state = accepted(position("4D", out=True, others=["2C"], seats=2, match_end="open"), RommeDiscard("4D#1"))
    assert ROMME_1.decider.outcome(state) is None
    facts = end_match(state)
    assert facts == (RommeMatchEnded((0, 2), (1, 2)),)
    assert ROMME_1.decider.outcome(folded(state, facts)) == Outcome((0, 2), (1, 2))
