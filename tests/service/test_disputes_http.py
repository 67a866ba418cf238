"""Disputes over HTTP: their whole life for every game, who may do what, retries."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain import fairness
from domain.disputes.model import OPEN_FOR
from domain.registry import CURRENT
from domain.verify import BeginningChecks, verify
from service.api.types import disputes as wire
from service.disputes import evidence as dispute_evidence
from service.runtime.settings import Settings
from service.tables.recorder import now
from service.verify.notes import is_signed
from tests.service.client import Player, new_key
from tests.service.disputing import TEXT, act, begun, decide, dispute, end, evidence, got, of_role, opened, people, play
from tests.service.running import settings_for
from tests.service.test_tables_http import code_of

EVIDENCE = msgspec.json.Decoder(wire.EVIDENCE)


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def arbiters(service_url: str, settings: Settings) -> list[Player]:
    return [of_role(service_url, settings, "arbiter", name) for name in ("Iris", "Jon")]


@pytest.fixture
def players(service_url: str) -> list[Player]:
    return people(service_url)


@pytest.mark.parametrize("game", sorted(CURRENT))
def test_the_whole_life_of_a_dispute(
    game: str, service_url: str, arbiters: list[Player], players: list[Player], tmp_path: Path
) -> None:
    first, second = arbiters
    ada, ben, _ = players
    table = begun(players, game)
    version = play(players, table, 12)
    disputed = opened(ben, table, version)
    seen = got(ben.http.get(f"/v1/disputes/{disputed}"))
    assert (seen["status"], seen["game"], seen["version"], seen["text"]["text"]) == ("open", game, version, TEXT)
    assert got(act(first, disputed, "review"))["status"] == "under_review"
    during = EVIDENCE.decode(evidence(first, disputed, "all").content)
    assert during.sound
    assert during.server.checks
    assert {check.status for check in during.server.checks} == {"pass"}
    running = decide(first, disputed)
    assert (running.status_code, code_of(running)) == (409, "match_running")
    end(players, table)
    final = players[0].view(table)["version"]
    resolved = got(decide(first, disputed, "upheld", annulled=True))
    assert (resolved["status"], resolved["resolutions"][0]["arbiter"]) == ("resolved", first.id)
    assert ben.view(table)["version"] == final + 1
    assert got(act(ada, disputed, "appeal", {"text": "It was legal."}))["status"] == "appealed"
    other = act(first, disputed, "review")
    assert (other.status_code, code_of(other)) == (403, "arbiter_decided")
    got(act(second, disputed, "review"))
    last = got(decide(second, disputed, "rejected"))
    assert [one["decision"] for one in last["resolutions"]] == ["upheld", "rejected"]
    assert last["looks"] == [{"time": last["looks"][0]["time"], "arbiter": first.id, "seat": None}]
    again = act(ada, disputed, "appeal", {"text": "And once more."})
    assert (again.status_code, code_of(again)) == (409, "appealed_before")

    after = EVIDENCE.decode(evidence(ada, disputed, "all").content)
    assert after.sound
    assert after.parts == during.parts
    record = players[0].http.get(f"/v1/tables/{table}/record").content
    assert verify(record, check_note=is_signed).ok
    document = json.loads(record)
    assert document["head"]["version"] == final
    facts = [json.loads(event["envelope"])["public"]["table"][0] for event in document["events"][final:]]
    assert [(fact["decision"], fact["annulled"], fact["dispute"]) for fact in facts] == [
        ("upheld", True, disputed),
        ("rejected", False, disputed),
    ]
    assert got(players[0].http.get(f"/v1/tables/{table}/audit"))["ok"]


def test_every_seal_of_the_evidence_opens_after_the_end(players: list[Player]) -> None:
    table = begun(players)
    disputed = opened(players[1], table, play(players, table, 8))
    end(players, table)
    shown = got(evidence(players[0], disputed, "all"))
    for part, seal in zip(shown["parts"], shown["seals"], strict=True):
        assert fairness.seal(bytes.fromhex(part["salt"]), part["content"].encode()).hex() == seal
    for seat in shown["seats"]:
        for name in ("before", "after"):
            frozen = json.loads(shown["parts"][seat["seat"]]["content"])[name]
            view = json.dumps(seat[name], separators=(",", ":"), ensure_ascii=False)
            assert hashlib.sha256(view.encode()).hexdigest() == frozen


def test_the_views_of_the_evidence_are_those_of_the_replay(players: list[Player]) -> None:
    table = begun(players)
    version = play(players, table, 9)
    disputed = opened(players[1], table, version)
    end(players, table)
    shown = got(evidence(players[0], disputed, "all"))
    for seat in shown["seats"]:
        for name, at in (("before", version - 1), ("after", version)):
            params: dict[str, str] = {"version": str(at), "seat": str(seat["seat"])}
            (step,) = got(players[0].http.get(f"/v1/tables/{table}/replay", params=params))["items"]
            for one in step["view"]["seats"]:
                one["name"] = None
            assert seat[name] == step["view"]


def test_the_first_version_can_be_disputed(players: list[Player]) -> None:
    table = begun(players)
    shown = got(evidence(players[1], opened(players[1], table, 1, claim="wrong_seat"), 1))
    assert (shown["seats"][0]["before"], shown["spectator_before"], shown["sound"]) == (None, None, True)


def test_what_cannot_be_disputed(players: list[Player], service_url: str) -> None:
    table = players[0].create("hearts", seats=3)
    early = dispute(players[0], table, 1)
    assert (early.status_code, code_of(early)) == (409, "not_seated")
    players[1].sit(table)
    players[2].sit(table)
    players[0].start(table)
    newest = players[0].view(table)["version"]
    unknown = dispute(players[0], table, newest + 1)
    assert (unknown.status_code, code_of(unknown)) == (409, "version_unknown")
    stranger = Player(service_url, "Stranger")
    refused = dispute(stranger, table, newest)
    assert (refused.status_code, code_of(refused)) == (409, "not_seated")
    for body in (
        {"version": 0, "claim": "other", "text": "x"},
        {"version": 1, "claim": "nothing", "text": "x"},
        {"version": 1, "claim": "other", "text": ""},
        {"version": 1, "claim": "other", "text": "x" * 2001},
        {"version": 1, "claim": "other", "text": "a\u0000b"},
        {"version": 1, "claim": "other"},
        {"version": 1, "claim": "other", "text": "x", "seat": 1},
    ):
        assert players[0].post(f"/v1/tables/{table}/disputes", body, key=new_key()).status_code == 400, body
    assert (
        players[0].post(f"/v1/tables/{table}/disputes", {"version": 1, "claim": "other", "text": "x"}).status_code
        == 400
    )


def test_a_player_disputes_a_version_once_and_three_a_day(players: list[Player]) -> None:
    table = begun(players)
    version = play(players, table, 8)
    first = opened(players[0], table, version)
    again = dispute(players[0], table, version, claim="other")
    assert (again.status_code, code_of(again)) == (409, "dispute_exists")
    opened(players[1], table, version)
    assert got(act(players[0], first, "withdrawal"))["status"] == "withdrawn"
    opened(players[0], table, version)
    opened(players[0], table, version - 1)
    fourth = dispute(players[0], table, version - 2)
    assert (fourth.status_code, code_of(fourth)) == (429, "disputes_per_day")
    assert int(fourth.headers["Retry-After"]) > 0


def test_no_more_evidence_is_frozen_than_disputes_may_be_opened(
    players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[str] = []

    def counted(table: str, *given: Any) -> Any:
        frozen.append(table)
        return BeginningChecks(table, *given)

    monkeypatch.setattr(dispute_evidence, "BeginningChecks", counted)
    ada, ben, _ = players
    table = begun(players)
    version = play(players, table, 8)
    with ThreadPoolExecutor(16) as senders:
        asked = [senders.submit(dispute, ada, table, one) for one in range(1, version + 1)]
    answers = sorted(one.result().status_code for one in asked)
    assert answers == [201] * 3 + [429] * (version - 3)
    assert len(frozen) == 3
    key = new_key()
    with ThreadPoolExecutor(8) as senders:
        copies = [senders.submit(dispute, ben, table, 3, key=key) for _ in range(8)]
    assert len({got(one.result(), 201)["dispute"] for one in copies}) == 1
    assert len(frozen) == 4


def test_a_retry_gives_the_same_dispute_and_another_body_none(players: list[Player]) -> None:
    table, key = begun(players), new_key()
    version = play(players, table, 5)
    first = got(dispute(players[0], table, version, key=key), 201)
    assert got(dispute(players[0], table, version, key=key), 201) == first
    for changed in ({"text": "Something else."}, {"claim": "other"}):
        other = dispute(players[0], table, version, key=key, **changed)
        assert (other.status_code, code_of(other)) == (422, "idempotency_key_reused")
    assert dispute(players[0], begun(players), version, key=key).status_code == 422
    assert len(got(players[0].http.get("/v1/disputes"))["items"]) == 1


def test_commands_that_repeat_what_was_done_change_nothing(arbiters: list[Player], players: list[Player]) -> None:
    table = begun(players)
    disputed = opened(players[1], table, play(players, table, 5))
    reviewed = got(act(arbiters[0], disputed, "review"))
    assert got(act(arbiters[0], disputed, "review")) == reviewed
    end(players, table)
    resolved = got(decide(arbiters[0], disputed))
    assert got(decide(arbiters[0], disputed)) == resolved
    assert players[0].view(table)["version"] == players[1].view(table)["version"]
    changed = decide(arbiters[0], disputed, "void")
    assert (changed.status_code, code_of(changed)) == (409, "dispute_resolved")
    body = {"decision": "upheld", "annulled": False, "reasons": "Other reasons."}
    assert code_of(act(arbiters[0], disputed, "resolution", body)) == "dispute_resolved"
    appealed = got(act(players[0], disputed, "appeal", {"text": "No."}))
    assert got(act(players[0], disputed, "appeal", {"text": "No."})) == appealed
    assert code_of(act(players[1], disputed, "appeal", {"text": "No."})) == "appealed_before"


def test_refusals_of_the_life_of_a_dispute(arbiters: list[Player], players: list[Player]) -> None:
    first, second = arbiters
    table = begun(players)
    version = play(players, table, 5)
    disputed, other = opened(players[1], table, version), opened(players[2], table, version)
    end(players, table)
    unreviewed = decide(first, disputed)
    assert (unreviewed.status_code, code_of(unreviewed)) == (409, "not_reviewing")
    got(act(first, disputed, "review"))
    taken = act(second, disputed, "review")
    assert (taken.status_code, code_of(taken)) == (409, "under_review")
    assert code_of(decide(second, disputed)) == "not_reviewing"
    assert code_of(decide(first, disputed, "rejected", annulled=True)) == "annulled_rejected"
    early = act(players[0], disputed, "appeal", {"text": "No."})
    assert (early.status_code, code_of(early)) == (409, "dispute_not_open")
    for wrong in (players[0], players[2]):
        refused = act(wrong, disputed, "withdrawal")
        assert (refused.status_code, code_of(refused)) == (403, "not_reporter")
    got(act(players[2], other, "withdrawal"))
    got(act(players[2], other, "withdrawal"))
    for answer in (
        act(first, other, "review"),
        act(players[0], other, "appeal", {"text": "No."}),
        decide(first, other),
    ):
        assert (answer.status_code, code_of(answer)) == (409, "dispute_withdrawn")
    got(decide(first, disputed, "void", annulled=True))
    assert code_of(act(players[1], disputed, "withdrawal")) == "dispute_resolved"
    assert code_of(act(second, disputed, "review")) == "dispute_resolved"
    assert code_of(dispute(players[1], table, version)) == "dispute_exists"
    decided = players[0].view(table)["version"]
    assert code_of(dispute(players[0], table, decided)) == "version_unknown"


def test_evidence_outlives_another_form_of_views(players: list[Player], monkeypatch: pytest.MonkeyPatch) -> None:
    table = begun(players)
    disputed = opened(players[1], table, play(players, table, 8))
    end(players, table)
    monkeypatch.setattr("domain.disputes.evidence.shape_of", lambda _: "00" * 32)
    assert got(evidence(players[0], disputed, "all"))["sound"] is None
    monkeypatch.setattr("domain.disputes.evidence.NOBODY", {players[0].id: "another view"})
    assert got(evidence(players[0], disputed, "all"))["sound"] is None
    monkeypatch.undo()
    assert got(evidence(players[0], disputed, "all"))["sound"] is True
    monkeypatch.setattr("domain.disputes.evidence.NOBODY", {players[0].id: "another view"})
    assert got(evidence(players[0], disputed, "all"))["sound"] is False


def test_disputes_and_appeals_come_in_time_and_a_review_is_taken_over(
    arbiters: list[Player], players: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = begun(players)
    version = play(players, table, 6)
    disputed = opened(players[1], table, version)
    got(act(arbiters[0], disputed, "review"))
    end(players, table)
    monkeypatch.setattr("service.disputes.disputes.now", lambda: now() + OPEN_FOR + 60_000)
    late = dispute(players[0], table, version)
    assert (late.status_code, code_of(late)) == (409, "dispute_late")
    assert got(act(arbiters[1], disputed, "review"))["reviewer"] == arbiters[1].id
    assert code_of(decide(arbiters[0], disputed)) == "not_reviewing"
    got(decide(arbiters[1], disputed))
    late = act(players[0], disputed, "appeal", {"text": "No."})
    assert (late.status_code, code_of(late)) == (409, "dispute_late")
    monkeypatch.undo()
    got(act(players[0], disputed, "appeal", {"text": "No."}))


def test_disputes_are_listed_page_by_page(arbiters: list[Player], players: list[Player]) -> None:
    table = begun(players)
    version = play(players, table, 8)
    ids = [opened(player, table, version - number) for number in range(3) for player in players[:2]]
    found: list[str] = []
    path: str | None = "/v1/disputes?limit=4"
    while path is not None:
        page = players[2].http.get(path)
        found += [item["dispute"] for item in got(page)["items"]]
        cursor = page.json()["next_cursor"]
        path = None if cursor is None else f"/v1/disputes?limit=4&cursor={cursor}"
        assert (cursor is None) == ("link" not in page.headers)
    assert found == ids[::-1]
    got(act(arbiters[0], ids[0], "review"))
    mine = got(arbiters[0].http.get("/v1/disputes", params={"status": "under_review", "limit": 100}))["items"]
    assert ids[0] in [item["dispute"] for item in mine]
    assert {item["status"] for item in mine} == {"under_review"}
    first = got(players[2].http.get("/v1/disputes?limit=1"))
    for by, params in (
        (players[0], {"cursor": "x" * 40}),
        (players[0], {"cursor": first["next_cursor"]}),
        (players[2], {"cursor": first["next_cursor"], "status": "open"}),
    ):
        assert by.http.get("/v1/disputes", params=params).status_code == 404
    assert players[0].http.get("/v1/disputes", params={"status": "none"}).status_code == 400
