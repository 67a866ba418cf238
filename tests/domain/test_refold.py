"""Matches decided again by another version of their rules: the first difference is found and named."""

from typing import Any

import msgspec
import pytest

from domain.decider import AnyGame, OptionProblem, Outcome, Rejection
from domain.refold import Divergence, PlayedUnder, refold
from domain.registry import CURRENT
from tests.conformance.altered import altered
from tests.domain.matches import SECRET, SHORT, TABLE, PlayedMatch
from tests.toy.highest import GAMES as TOYS
from tests.toy.highest.model import HighestCardsShown, HighestMatchEnded

ONE, TWO = TOYS


def again(match: PlayedMatch, game: AnyGame) -> Divergence | None:
    outcome = match.game.decider.outcome(match.state.game_state)
    played = PlayedUnder(TABLE.bytes, str(TABLE), match.game.rules_id, SECRET, outcome)
    return refold(game, played, [one.event for one in match.sealed])


def match_of(game: AnyGame, options: dict[str, object] | None = None, seats: int = 3, seed: int = 1) -> PlayedMatch:
    return PlayedMatch(game, options or {}, seats, seed)


def version_of(match: PlayedMatch, fact_type: type, number: int) -> int:
    """The version of the event that has the fact of this type, counted from 1."""
    having = [
        one.event.version for one in match.sealed if any(type(fact) is fact_type for fact in one.event.facts.game)
    ]
    return having[number - 1]


@pytest.mark.parametrize("key", list(CURRENT))
def test_a_match_does_not_change_under_rules_that_decide_alike(key: str) -> None:
    match = PlayedMatch(CURRENT[key], *SHORT[key], 7)
    assert again(match, altered(CURRENT[key], rules_version=99)) is None


@pytest.mark.parametrize("hand_size", [1, 3, 6])
@pytest.mark.parametrize(("own", "other"), [(ONE, TWO), (TWO, ONE)])
def test_the_versions_of_the_toy_part_at_the_last_cards_of_the_first_round(
    hand_size: int, own: AnyGame, other: AnyGame
) -> None:
    match = match_of(own, {"hand_size": hand_size})
    points = (1, 2) if own is ONE else (2, 1)
    assert again(match, other) == Divergence(
        version_of(match, HighestCardsShown, hand_size),
        "facts",
        f"cards_shown.points: {points[0]}, would be {points[1]}",
    )


def test_a_command_that_would_be_refused_is_named_with_the_rule() -> None:
    match = match_of(ONE)
    third = [one.event for one in match.sealed if one.event.type == "choose"][2]

    def stricter(state: Any, seat: int, move: Any, chance: Any) -> Any:
        if move == third.move:
            return Rejection("card_not_in_hand", "T-3")
        return ONE.decider.decide(state, seat, move, chance)

    found = again(match, altered(TWO, decide=stricter))
    assert found == Divergence(third.version, "refused", "choose would be refused: card_not_in_hand", "T-3")


def test_a_move_that_does_not_exist_any_more_is_named() -> None:
    match = match_of(ONE)
    first = next(one.event for one in match.sealed if one.event.type == "choose")
    game = altered(TWO, move=msgspec.defstruct("Other", [], tag_field="type", tag="other", frozen=True))
    assert again(match, game) == Divergence(first.version, "refused", "there is no such move")


def test_options_that_would_not_be_taken_are_named() -> None:
    match = match_of(ONE)
    refusing = altered(TWO, parse=lambda *_: OptionProblem("option_value", "T-8", "rounds"))
    found = again(match, refusing)
    assert found == Divergence(1, "options", "create would be refused: option_value (rounds)", "T-8")
    rounding = altered(TWO, parse=lambda raw, seats: ONE.options.parse({**raw, "rounds": 4}, seats))
    assert again(match, rounding) == Divergence(1, "options", "option rounds: 2, would be 4")


def test_facts_that_would_be_missing_or_come_besides_are_named() -> None:
    match = match_of(ONE, {"rounds": 1})
    last = match.sealed[-1].event.version

    def endless(state: Any, seat: int, move: Any, chance: Any) -> Any:
        judged: Any = ONE.decider.decide(state, seat, move, chance)
        return tuple(fact for fact in judged if not isinstance(fact, HighestMatchEnded))

    missing = again(match, altered(TWO, decide=endless))
    assert missing is not None
    assert (missing.version, missing.kind) == (last, "facts")
    assert missing.what == "match_ended would not follow"
    shorter = altered(ONE, rules_version=3, outcome=lambda state: Outcome((0,) * 3, (1,) * 3) if state.shown else None)
    early = again(match, shorter)
    assert early is not None
    assert early.version < last
    assert early.what.startswith('{"type":"secret_revealed"')


def test_another_result_from_the_same_facts_is_named() -> None:
    match = match_of(ONE, {"rounds": 1})

    def upside_down(state: Any) -> Outcome | None:
        outcome = ONE.decider.outcome(state)
        return None if outcome is None else Outcome(outcome.totals, outcome.places[::-1])

    found = again(match, altered(ONE, rules_version=3, outcome=upside_down))
    assert found is not None
    assert (found.version, found.kind) == (match.sealed[-1].event.version, "result")
    assert found.what.startswith('result: {"totals":')


def test_shuffles_stay_those_of_the_rules_that_were_played() -> None:
    match = match_of(ONE, {"hand_size": 1, "rounds": 1})
    found = again(match, altered(ONE, rules_version=7))
    assert found is None
