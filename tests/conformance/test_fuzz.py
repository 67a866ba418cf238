"""Fuzzing plays different matches, the same ones for the same seed, and says how to see a finding again."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random

from tests.conformance.altered import altered
from tests.conformance.hooks import Hooks
from tests.fuzz import FINDINGS_MAX, check_match, compare, fuzz, options_for, until
from tests.toy import highest_conformance as conformance
from tests.toy.highest import GAMES as TOYS
from tests.toy.highest.model import HighestChoose

HOOKS = Hooks.of(conformance)
GAMES = [(toy, HOOKS) for toy in TOYS]


def test_a_sound_game_gives_no_findings() -> None:
    said: list[str] = []
    assert fuzz(GAMES, seed=5, numbers=iter(range(4)), positions=5, say=said.append) == 0
    assert said == ["seed 5: 4 matches, 0 findings"]


def test_the_same_seed_and_number_give_the_same_match_and_others_give_others() -> None:
    names = [check_match(GAMES, 5, number, 3) for number in range(6)]
    assert names == [check_match(GAMES, 5, number, 3) for number in range(6)]
    assert len(set(names)) == 6
    assert check_match(GAMES, 6, 0, 3) != names[0]
    assert {name.split()[0] for name in names} == {"highest/1", "highest/2"}


def test_a_finding_says_how_to_see_it_again_and_many_end_the_run() -> None:
    faulty = altered(TOYS[0], timeout_move=lambda _state, _seat: HighestChoose("XX"))
    said: list[str] = []
    assert fuzz([(faulty, HOOKS)], seed=9, numbers=count(), positions=3, say=said.append) == FINDINGS_MAX
    assert said[0].startswith("FOUND by python -m tests.fuzz --seed 9 --only 0\n")
    assert said[0].rstrip().splitlines()[-1].startswith("AssertionError: highest/1 options=")
    assert said[-1] == f"seed 9: {FINDINGS_MAX} matches, {FINDINGS_MAX} findings"


def test_options_that_do_not_go_together_are_not_played() -> None:
    schema = {"properties": {"rounds": {"enum": [1, 99]}}}
    toy = altered(TOYS[0], schema=schema)
    sets = [options_for(toy, HOOKS, Random(seed)) for seed in range(40)]
    assert {raw.get("rounds") for raw, _ in sets} == {None, 1, 5}


def test_a_difference_to_another_engine_is_a_finding_and_a_missing_engine_is_none() -> None:
    def missing(seed: int) -> Iterator[str | None]:
        raise ImportError(f"no engine {seed}")

    said: list[str] = []
    differing = replace(HOOKS, compared=lambda seed: iter([None, f"round 1 of {seed}", None]))
    agreeing = replace(HOOKS, compared=lambda _: iter([None, None, None]))
    games = [(TOYS[0], hooks) for hooks in (differing, agreeing, replace(HOOKS, compared=missing), HOOKS)]
    assert compare(games, seed=3, seconds=60, say=said.append) == 1
    assert said == [
        "FOUND in highest/1: round 1 of 3",
        "seed 3: 2 rounds of highest/1 compared with another engine",
        "seed 3: 3 rounds of highest/1 compared with another engine",
        "highest/1 is compared with no other engine: no engine 3",
    ]


def test_time_ends_a_run() -> None:
    assert list(until(0, count())) == []
    assert next(until(60, count())) == 0
