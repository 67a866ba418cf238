"""Whole matches of Hearts and Spot Hearts over HTTP: every option, every number of players, bots."""

import random
from itertools import product
from typing import Any

import pytest

from tests.service.client import Player, choose_hearts, play_match

RULES: list[dict[str, Any]] = [
    {"black_maria": False, "moon_rule": "add_to_others"},
    {"black_maria": False, "moon_rule": "subtract_from_own"},
    {"black_maria": True, "moon_rule": "none"},
]
TABLES = [
    {"variant": variant, "players": players, "omnibus": omnibus, **rules}
    for variant, players, omnibus, rules in product(("standard", "spot"), (3, 4, 5), (False, True), RULES)
]


def test_there_are_36_tables() -> None:
    assert len(TABLES) == 36  # H-6


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, f"Player {number}") for number in range(5)]


@pytest.mark.parametrize("options", TABLES, ids=lambda options: "-".join(str(value) for value in options.values()))
def test_people_play_a_whole_match_to_its_end(people: list[Player], options: dict[str, Any]) -> None:
    target = 20 if options["variant"] == "standard" else 60
    seed = random.randrange(2**32)
    seats = people[: options["players"]]
    table = seats[0].create("hearts", options={**options, "target_score": target})
    for player in seats[1:]:
        player.sit(table, client_seed=f"{seed:064x}")
    seats[0].start(table)
    view = play_match(seats, table, choose_hearts, random.Random(seed))
    assert view["options"] == {**options, "target_score": target}, seed
    totals = [seat["total"] for seat in view["seats"]]
    places = [seat["place"] for seat in view["seats"]]
    assert max(totals) >= target, seed
    assert places.count(1) == 1, seed
    assert places == [1 + sum(other < total for other in totals) for total in totals], seed  # H-49


@pytest.mark.parametrize("variant", ["standard", "spot"])
def test_one_person_and_three_bots_play_a_default_match(service_url: str, variant: str) -> None:
    seed = random.randrange(2**32)
    ada = Player(service_url, "Ada")
    table = ada.create("hearts", options={"variant": variant}, bots=[1, 2, 3])
    assert [seat["kind"] for seat in ada.view(table)["seats"]] == ["person", "bot", "bot", "bot"]
    ada.start(table)
    view = play_match([ada], table, choose_hearts, random.Random(seed))
    assert view["status"] == "finished", seed
    assert max(seat["total"] for seat in view["seats"]) >= (100 if variant == "standard" else 500), seed
