"""What the service answers about disputes is what its contract says, for every game and every reader."""

import pytest

from domain.registry import CURRENT
from tests.contract.answers import Checked
from tests.service.client import Player
from tests.service.disputing import act, begun, decide, dispute, end, evidence, opened, people, play

OPERATIONS = (
    "openDispute",
    "listDisputes",
    "getDispute",
    "reviewDispute",
    "withdrawDispute",
    "resolveDispute",
    "appealDispute",
    "getEvidence",
)


@pytest.mark.parametrize("game", sorted(CURRENT))
def test_answers_about_disputes_keep_the_contract(game: str, service_url: str, arbiter_token: str) -> None:
    checked = Checked()
    players = [checked.watch(player) for player in people(service_url)]
    arbiter = checked.watch(Player(service_url, "Iris"))
    arbiter.http.headers["Authorization"] = f"Bearer {arbiter_token}"
    table = begun(players, game)
    version = play(players, table, 12)
    first, second = opened(players[0], table, version), opened(players[1], table, 1, claim="wrong_seat")
    act(players[1], second, "withdrawal")
    act(arbiter, first, "review")
    for by in (*players, arbiter):
        by.http.get("/v1/disputes?limit=1")
        for one in (first, second):
            by.http.get(f"/v1/disputes/{one}")
            for seat in (None, 0, 1, 5, "all"):
                evidence(by, one, seat)
    decide(arbiter, first)
    end(players, table)
    decide(arbiter, first, "void", annulled=True)
    act(players[2], first, "appeal", {"text": "No."})
    players[0].http.get(f"/v1/tables/{table}/record")
    players[0].http.get(f"/v1/tables/{table}/events?limit=100")
    for one in (first, second):
        evidence(players[0], one, "all")
        players[2].http.get(f"/v1/disputes/{one}")
    for at in (2, 3, 4):
        dispute(players[0], table, at)
    successes = {operation for operation, status in checked.seen if status < 300}
    assert successes >= set(OPERATIONS)
    assert ("openDispute", 429) in checked.seen
    assert ("resolveDispute", 409) in checked.seen
