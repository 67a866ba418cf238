"""bw1 against values that an independent program made."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from domain import fairness
from domain.cards import Card, pack

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "vectors" / "bw1.json").read_text())
PACKS: dict[str, tuple[Card, ...]] = {
    "hearts/1": pack(),
    "romme/1": pack(packs=2, jokers=6),
    "herzeln/1": pack("9TJQKA"),
    "von_herzen/1": pack("789TJQKA"),
}


@pytest.fixture(params=VECTORS, ids=lambda vector: vector["rules"])
def vector(request: pytest.FixtureRequest) -> dict[str, Any]:
    given: dict[str, Any] = request.param
    return given


def match_key(vector: dict[str, Any]) -> bytes:
    seeds = [bytes.fromhex(seed) if seed else None for seed in vector["client_seeds"]]
    return fairness.match_key(UUID(vector["table"]).bytes, bytes.fromhex(vector["secret"]), vector["rules"], seeds)


def test_the_commitment_binds_the_secret_to_the_table(vector: dict[str, Any]) -> None:
    made = fairness.commitment(UUID(vector["table"]).bytes, bytes.fromhex(vector["secret"]))
    assert made.hex() == vector["commit"]


def test_the_match_key_depends_on_secret_rules_and_client_seeds(vector: dict[str, Any]) -> None:
    assert match_key(vector).hex() == vector["match_key"]


def test_every_shuffle_follows_from_the_match_key(vector: dict[str, Any]) -> None:
    key = match_key(vector)
    for shuffle in vector["shuffles"]:
        of_shuffle = fairness.shuffle_key(key, shuffle["round"], shuffle["shuffle"])
        assert of_shuffle.hex() == shuffle["key"]
        assert fairness.block(of_shuffle, 0).hex() == shuffle["first_block"]
        order = fairness.MatchChance(key).shuffle(shuffle["round"], shuffle["shuffle"], PACKS[vector["rules"]])
        assert " ".join(order) == shuffle["pack"]


def test_single_draws_follow_from_the_match_key(vector: dict[str, Any]) -> None:
    chance = fairness.MatchChance(match_key(vector))
    drawn = {name: chance.draw(name, len(vector["client_seeds"])) for name in vector["draws"]}
    assert drawn == vector["draws"]


def test_salts_and_seals_hide_a_part_until_it_is_opened(vector: dict[str, Any]) -> None:
    given = vector["salt"]
    salt = fairness.Salts(bytes.fromhex(vector["secret"])).salt(given["version"], given["viewer"])
    assert salt.hex() == given["value"]
    assert fairness.seal(salt, vector["seal"]["part"].encode()).hex() == vector["seal"]["value"]


def test_the_chain_starts_at_the_table_and_links_exact_bytes(vector: dict[str, Any]) -> None:
    genesis = fairness.genesis(UUID(vector["table"]).bytes, vector["rules"])
    assert genesis.hex() == vector["genesis"]
    assert fairness.link(genesis, vector["link"]["envelope"].encode()).hex() == vector["link"]["value"]


def test_uniform_rejects_words_that_would_favour_low_values() -> None:
    draws = fairness.uniform_from(bytes(32))
    counts = [0] * 3
    for _ in range(3000):
        counts[draws(3)] += 1
    assert max(counts) - min(counts) < 200, counts
