"""Who sees what of disputes, for every role on every endpoint, while the match runs and afterwards."""

import json
from typing import Any

import httpx
import pytest

from service.runtime.settings import Settings
from tests.service.client import Player, new_key
from tests.service.disputing import act, begun, decide, dispute, end, evidence, got, of_role, opened, people, play
from tests.service.running import settings_for
from tests.service.test_tables_http import code_of

SAID = "Between us: I hold the queen."
NOWHERE = "0" * 8 + "-0000-4000-8000-" + "0" * 12


class Disputed:
    """A dispute of a match and somebody of every role."""

    def __init__(self, url: str, settings: Settings, *, visibility: str = "public") -> None:
        reporter, other = people(url, 2)
        seated = of_role(url, settings, "arbiter", "Seated")
        self.players = [reporter, other, seated]
        self.table = begun(self.players, visibility=visibility)
        self.version = play(self.players, self.table, 7)
        self.dispute = opened(reporter, self.table, self.version, text=SAID)
        self.roles = {
            "reporter": reporter,
            "other player": other,
            "arbiter who sits there": seated,
            "reviewing arbiter": of_role(url, settings, "arbiter", "Iris"),
            "another arbiter": of_role(url, settings, "arbiter", "Jon"),
            "spectator": Player(url, "Spectator"),
            "stranger": Player(url, "Stranger"),
            "operator": of_role(url, settings, "operator", "Root"),
        }
        got(act(self.roles["reviewing arbiter"], self.dispute, "review"))
        if visibility == "public":
            got(self.roles["spectator"].http.get(f"/v1/tables/{self.table}"))

    def hidden_from(self, role: str) -> set[str]:
        """The cards that somebody of this role may not know of: in the hands of others, and not passed by himself."""
        own = {player.id: player.view(self.table)["you"] for player in self.players}
        known = json.dumps(own.pop(self.roles[role].id, None))
        return {card for you in own.values() for card in you["hand"] if f'"{card}"' not in known}

    def answers(self, role: str) -> dict[str, httpx.Response]:
        """Everything that can be read of the dispute, asked for in this role."""
        by = self.roles[role]
        read = {"get": by.http.get(f"/v1/disputes/{self.dispute}"), "list": by.http.get("/v1/disputes?limit=100")}
        shown = {str(seat): evidence(by, self.dispute, seat) for seat in (None, 0, 1, 2, "all")}
        return read | shown


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def running(service_url: str, settings: Settings) -> Disputed:
    return Disputed(service_url, settings)


@pytest.fixture(scope="module")
def over(service_url: str, settings: Settings) -> Disputed:
    made = Disputed(service_url, settings)
    got(evidence(made.roles["reviewing arbiter"], made.dispute, 2))
    end(made.players, made.table)
    return made


PLAYERS = {"reporter": 0, "other player": 1, "arbiter who sits there": 2}
OUTSIDE = ("spectator", "stranger", "operator")
ARBITERS = ("reviewing arbiter", "another arbiter")
ROLES = (*PLAYERS, *ARBITERS, *OUTSIDE)


def statuses(disputed: Disputed, role: str) -> dict[str, int]:
    return {name: answer.status_code for name, answer in disputed.answers(role).items()}


def expected(role: str, *, over: bool) -> dict[str, int]:
    if role in OUTSIDE:
        seats = dict.fromkeys(("None", "0", "1", "2", "all"), 404)
        return {"get": 404, "list": 200} | seats
    seats = dict.fromkeys(("0", "1", "2", "all"), 200 if over or role == "reviewing arbiter" else 409)
    if role in PLAYERS:
        seats[str(PLAYERS[role])] = 200
    return {"get": 200, "list": 200, "None": 200} | seats


@pytest.mark.parametrize("role", ROLES)
def test_who_may_read_what_while_the_match_runs(role: str, running: Disputed) -> None:
    assert statuses(running, role) == expected(role, over=False)


@pytest.mark.parametrize("role", ROLES)
def test_who_may_read_what_after_the_match(role: str, over: Disputed) -> None:
    assert statuses(over, role) == expected(role, over=True)


@pytest.mark.parametrize("role", [role for role in ROLES if role != "reviewing arbiter"])
def test_no_hidden_card_is_told_while_the_match_runs(role: str, running: Disputed) -> None:
    hidden = running.hidden_from(role)
    assert len(hidden) > 20
    for name, answer in running.answers(role).items():
        told = answer.text + str(answer.headers)
        assert not [card for card in hidden if f'"{card}"' in told], name


@pytest.mark.parametrize("role", ROLES)
def test_only_arbiters_and_its_author_read_a_text_while_the_match_runs(role: str, running: Disputed) -> None:
    texts = [answer.text for answer in running.answers(role).values()]
    reads = role in (*ARBITERS, "reporter")
    assert any(SAID in text for text in texts) == reads
    if role in PLAYERS and not reads:
        assert got(running.answers(role)["get"])["text"]["status"] == "sealed"


def test_only_public_checks_and_fixed_lengths_are_told_while_the_match_runs(running: Disputed) -> None:
    for role, seat in PLAYERS.items():
        for asked in (None, seat):
            shown = got(evidence(running.roles[role], running.dispute, asked))
            assert {check["name"] for check in shown["checks"]} == {"chain", "clock"}
            assert shown["server"] is None
            assert [len(seal) for seal in shown["seals"]] == [64] * 4
            assert [one["seat"] for one in shown["seats"]] == ([] if asked is None else [seat])
            assert [one["seat"] for one in shown["parts"]] == ([] if asked is None else [seat])
    for name in ("chain_before", "chain_after"):
        (one,) = {got(evidence(running.roles[role], running.dispute))[name] for role in PLAYERS}
        assert len(one) == 64


def test_a_digest_of_a_hidden_move_is_its_players_alone(service_url: str, settings: Settings) -> None:
    """The passed cards follow from their digest by trying: there are few hands."""
    players = people(service_url)
    table = begun(players)
    version = play(players, table, 1)
    disputed = opened(players[1], table, version)
    own = got(evidence(players[0], disputed, 0))["seats"][0]
    assert own["digest"] is not None
    assert own["move"]["type"] == "pass"
    for player, seat in ((players[1], 1), (players[2], 2), (players[0], None), (players[1], None)):
        told = evidence(player, disputed, seat).text + player.http.get(f"/v1/disputes/{disputed}").text
        assert own["digest"] not in told
        assert not [card for card in own["move"]["cards"] if f'"{card}"' in told]


def test_looks_are_recorded_and_shown_to_players_when_the_match_is_over(running: Disputed, over: Disputed) -> None:
    iris = running.roles["reviewing arbiter"]
    before = len(got(iris.http.get(f"/v1/disputes/{running.dispute}"))["looks"])
    got(evidence(iris, running.dispute, 1))
    looks = got(iris.http.get(f"/v1/disputes/{running.dispute}"))["looks"]
    assert (len(looks), looks[-1]["seat"], looks[-1]["arbiter"]) == (before + 1, 1, iris.id)
    for role in PLAYERS:
        assert got(running.answers(role)["get"])["looks"] is None
        shown = got(over.roles[role].http.get(f"/v1/disputes/{over.dispute}"))["looks"]
        assert (shown[0]["arbiter"], shown[0]["seat"]) == (over.roles["reviewing arbiter"].id, 2)


def test_a_look_that_cannot_be_recorded_is_not_given(
    over: Disputed, service_url: str, settings: Settings, module_database_url: str
) -> None:
    import psycopg

    iris = over.roles["reviewing arbiter"]
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute("alter function record_dispute rename to record_dispute_away")
        try:
            assert evidence(iris, over.dispute, 0).status_code == 500
            assert evidence(iris, over.dispute).status_code == 200
        finally:
            connection.execute("alter function record_dispute_away rename to record_dispute")
    assert evidence(iris, over.dispute, 0).status_code == 200


# commands


@pytest.mark.parametrize("role", ROLES)
def test_who_may_do_what(role: str, service_url: str, settings: Settings) -> None:
    disputed = Disputed(service_url, settings)
    by, id_ = disputed.roles[role], disputed.dispute
    end(disputed.players, disputed.table)
    found = {
        "review": act(by, id_, "review"),
        "withdrawal": None if role == "reporter" else act(by, id_, "withdrawal"),
        "appeal": act(by, id_, "appeal", {"text": "No."}),
        "resolution": decide(by, id_),
        "appeal after": act(by, id_, "appeal", {"text": "No."}),
    }
    codes = {name: _said(answer) for name, answer in found.items() if answer is not None}
    assert codes == {name: code for name, code in _MAY[role].items() if name in codes}


def _said(answer: httpx.Response) -> Any:
    return 200 if answer.status_code == 200 else (answer.status_code, code_of(answer))


_NOT_FOR = (403, "forbidden")
_NOWHERE = (404, "not_found")
_SEATED = (403, "arbiter_seated")
_SOON = (409, "dispute_not_open")
_LOOKS_ON = {
    "review": _NOT_FOR,
    "withdrawal": _NOWHERE,
    "appeal": _NOWHERE,
    "resolution": _NOT_FOR,
    "appeal after": _NOWHERE,
}
_REPORTER_NO = (403, "not_reporter")
_PLAYS = {
    "review": _NOT_FOR,
    "withdrawal": _REPORTER_NO,
    "appeal": _SOON,
    "resolution": _NOT_FOR,
    "appeal after": _SOON,
}
_NO_SEAT = (409, "not_seated")
_MAY: dict[str, dict[str, Any]] = {
    **dict.fromkeys(OUTSIDE, _LOOKS_ON),
    "reporter": _PLAYS,
    "other player": _PLAYS,
    "arbiter who sits there": {**_PLAYS, "review": _SEATED, "resolution": _SEATED},
    "reviewing arbiter": {
        "review": 200,
        "withdrawal": _REPORTER_NO,
        "appeal": _NO_SEAT,
        "resolution": 200,
        "appeal after": _NO_SEAT,
    },
    "another arbiter": {
        "review": (409, "under_review"),
        "withdrawal": _REPORTER_NO,
        "appeal": _NO_SEAT,
        "resolution": (409, "not_reviewing"),
        "appeal after": _NO_SEAT,
    },
}


@pytest.mark.parametrize("role", ["spectator", "stranger", "operator", "another arbiter"])
def test_who_did_not_play_opens_no_dispute(role: str, running: Disputed) -> None:
    refused = dispute(running.roles[role], running.table, running.version)
    assert (refused.status_code, code_of(refused)) == (409, "not_seated")


def test_what_is_hidden_and_what_is_not_there_look_the_same(running: Disputed) -> None:
    stranger = running.roles["stranger"]
    pairs = [
        (stranger.http.get(f"/v1/disputes/{id_}"), evidence(stranger, id_, 0), act(stranger, id_, "withdrawal"))
        for id_ in (running.dispute, NOWHERE)
    ]
    for there, nowhere in zip(*pairs, strict=True):
        first, second = there.json(), nowhere.json()
        first.pop("trace_id"), second.pop("trace_id")
        assert (there.status_code, first) == (nowhere.status_code, second)
        for name in there.headers:
            assert name in ("x-request-id", "date") or there.headers[name] == nowhere.headers[name]


def test_disputes_of_a_private_table_are_its_peoples_and_the_arbiters(service_url: str, settings: Settings) -> None:
    private = Disputed(service_url, settings, visibility="private")
    for role in OUTSIDE:
        by = private.roles[role]
        assert dispute(by, private.table, private.version).status_code == 404
        assert statuses(private, role) == expected(role, over=False)
        assert private.dispute not in by.http.get("/v1/disputes?limit=100").text
    code = private.players[0].code(private.table, "spectator")
    for role in ROLES:
        for answer in private.answers(role).values():
            assert code not in answer.text
            assert code.replace("-", "") not in answer.text
    assert got(evidence(private.roles["reviewing arbiter"], private.dispute, "all"))["sound"]


def test_who_left_a_running_match_sees_no_seat_and_may_still_dispute(service_url: str, settings: Settings) -> None:
    for visibility in ("public", "private"):
        left = Disputed(service_url, settings, visibility=visibility)
        gone = left.players[1]
        end([gone], left.table)
        play([left.players[0], left.players[2]], left.table, 0)
        assert got(gone.http.get(f"/v1/disputes/{left.dispute}"))["dispute"] == left.dispute
        assert evidence(gone, left.dispute, 1).status_code == 409
        assert dispute(gone, left.table, left.version).status_code == 201


def test_nobody_without_a_token_sees_anything(running: Disputed, service_url: str) -> None:
    with httpx.Client(base_url=service_url) as nobody:
        for path in ("/v1/disputes", f"/v1/disputes/{running.dispute}", f"/v1/disputes/{running.dispute}/evidence"):
            assert nobody.get(path).status_code == 401
        for what in ("review", "withdrawal", "resolution", "appeal"):
            assert nobody.post(f"/v1/disputes/{running.dispute}/{what}", json={}).status_code == 401
        headers = {"Idempotency-Key": new_key()}
        assert nobody.post(f"/v1/tables/{running.table}/disputes", json={}, headers=headers).status_code == 401
