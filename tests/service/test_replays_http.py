"""Replays over HTTP: what was served is what is seen again, and nobody sees more than he may."""

import json
import random
from typing import Any

import httpx
import pytest

from tests.service.client import Player, choose_hearts
from tests.service.test_tables_http import code_of


class Followed:
    """A match and every view that was served of it, by version and seat."""

    def __init__(self, people: list[Player], spectator: Player, **table: Any) -> None:
        self.people = people
        self.spectator = spectator
        self.seen: dict[tuple[int, int | None], dict[str, Any]] = {}
        self.events: dict[tuple[int, int], dict[str, Any]] = {}
        self.table = people[0].create("hearts", **table)
        if people[0].view(self.table)["visibility"] == "private":
            spectator.watch(people[0].code(self.table, "spectator"))
        self.remember()
        for person in people[1:]:
            person.sit_by(people[0], self.table)
            self.remember()
        people[0].start(self.table)
        self.remember()

    def remember(self) -> dict[str, Any]:
        """Ask for everybody's view of the present version; returns the host's."""
        for person in (*self.people, self.spectator):
            answer = person.http.get(f"/v1/tables/{self.table}")
            if answer.status_code == 404:
                continue  # has not sat down at a private table yet
            view = answer.json()
            viewer = None if view["you"] is None else view["you"]["seat"]
            self.seen[view["version"], viewer] = view
        return self.seen[view["version"], 0]

    def play(self, rng: random.Random, most: int = 10_000) -> None:
        """Play at random from `legal`, at most so many moves."""
        for _ in range(most):
            last = self.remember()
            if last["status"] != "running":
                return
            seat = rng.choice(last["to_act"])
            view = self.people[seat].view(self.table)
            made = self.people[seat].move(self.table, view["you"]["decision"], choose_hearts(view, rng))
            assert made.status_code == 200, made.text
            self.events[made.json()["version"], seat] = made.json()["event"]
        self.remember()

    def replay(self, by: Player, **params: Any) -> httpx.Response:
        return by.http.get(f"/v1/tables/{self.table}/replay", params=params)

    def explain(self, by: Player, **params: Any) -> httpx.Response:
        return by.http.get(f"/v1/tables/{self.table}/explain", params=params)


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo", "Spectator", "Stranger")]


@pytest.fixture(scope="module")
def finished(people: list[Player]) -> Followed:
    match = Followed(people[:3], people[3], options={"players": 3, "target_score": 20})
    match.play(random.Random(5))
    return match


@pytest.fixture(scope="module")
def running(people: list[Player]) -> Followed:
    match = Followed(people[:3], people[3], options={"players": 3})
    match.play(random.Random(6), 12)
    return match


def test_every_view_that_was_served_is_seen_again(finished: Followed) -> None:
    by_viewer: dict[int | None, dict[int, Any]] = {None: {}, 0: {}, 1: {}, 2: {}}
    for viewer, steps in by_viewer.items():
        following: int | None = 1
        seat = "spectator" if viewer is None else str(viewer)
        while following is not None:
            page = finished.replay(finished.spectator, **{"from": following, "seat": seat}).json()
            assert len(page["items"]) <= 200
            steps.update({step["version"]: step for step in page["items"]})
            following = page["next_from"]
    versions = list(by_viewer[None])
    assert versions == list(range(1, max(version for version, _ in finished.seen) + 1))
    for (version, viewer), view in finished.seen.items():
        assert by_viewer[viewer][version]["view"] == view, (version, viewer)
    for (version, by_seat), event in finished.events.items():
        assert by_viewer[by_seat][version]["event"] == event, (version, by_seat)


def test_a_view_is_seen_again_during_the_match_too(running: Followed) -> None:
    for (version, viewer), view in running.seen.items():
        by = running.spectator if viewer is None else running.people[viewer]
        answer = running.replay(by, version=version)
        assert answer.status_code == 200
        (step,) = answer.json()["items"]
        assert (step["version"], step["view"], step["hands"]) == (version, view, None)
        if viewer is not None and view["you"]["hand"]:
            explained = running.explain(by, version=version).json()
            assert explained["view"] == view


def test_ranges_end_where_they_are_told_to(finished: Followed) -> None:
    by = finished.spectator
    page = finished.replay(by, **{"from": 3, "to": 7}).json()
    assert [step["version"] for step in page["items"]] == [3, 4, 5, 6, 7]
    assert (page["next_from"], page["seat"], page["game"]) == (None, "spectator", "hearts")
    assert len(finished.replay(by, to=9).json()["items"]) == 9
    newest = page["version"]
    (last,) = finished.replay(by).json()["items"]
    assert last["version"] == newest
    assert [s["version"] for s in finished.replay(by, **{"from": newest, "to": newest + 50}).json()["items"]] == [
        newest
    ]
    long = finished.replay(by, **{"from": 1})
    if newest > 200:
        assert long.json()["next_from"] == 201
        assert long.headers["link"] == f'</v1/tables/{finished.table}/replay?from=201>; rel="next"'
    for wrong in ({"version": 0}, {"version": "null"}, {"seat": "6"}):
        assert finished.replay(by, **wrong).status_code == 400, wrong
    assert finished.replay(by, seat="3").status_code == 409, "the table has no such seat"
    for contradiction, pointer in (({"version": 3, "to": 4}, "#version"), ({"from": 5, "to": 4}, "#to")):
        refused = finished.replay(by, **contradiction)
        assert (refused.status_code, [error["pointer"] for error in refused.json()["errors"]]) == (400, [pointer])
    for missing in ({"version": newest + 1}, {"from": newest + 1}):
        assert finished.replay(by, **missing).status_code == 404, missing


def test_open_cards_show_every_hand_after_the_match(finished: Followed) -> None:
    dealt = next(v for (v, viewer), view in finished.seen.items() if viewer is None and view["status"] == "running")
    (step,) = finished.replay(finished.spectator, version=dealt, seat="all").json()["items"]
    assert step["view"]["you"] is None
    assert [hand["hand"] for hand in step["hands"]] == [finished.seen[dealt, seat]["you"]["hand"] for seat in range(3)]
    assert "order" in json.dumps(step["event"]["facts"])


# who may see what


def test_nobody_sees_another_seat_while_the_match_runs(running: Followed) -> None:
    for asking, by in enumerate((*running.people, running.spectator)):
        for seat in sorted({"0", "1", "2", "all"} - {str(asking)}):
            refused = [running.replay(by, seat=seat), running.replay(by, **{"from": 1, "seat": seat})]
            if seat != "all":
                refused += [running.explain(by, seat=seat), running.explain(by, seat=seat, version=5)]
            for answer in refused:
                assert (answer.status_code, code_of(answer)) == (409, "match_running")


def test_no_card_that_is_hidden_from_the_caller_is_named(running: Followed) -> None:
    newest = max(version for version, _ in running.seen)
    present = {running.replay(by).json()["version"] for by in (*running.people, running.spectator)}
    assert present == {newest}, "a card played behind what was followed is public and no longer held"
    held = {seat: set(running.seen[newest, seat]["you"]["hand"]) for seat in range(3)}
    for asking, by in enumerate((*running.people, running.spectator)):
        others = set().union(*(hand for seat, hand in held.items() if seat != asking))
        own = [view["you"]["hand"] for (_, viewer), view in running.seen.items() if viewer == asking]
        hidden = others.difference(*own)  # a card once held was passed on by the caller himself
        assert hidden
        told = [running.replay(by, **{"from": 1}), running.replay(by, **{"from": 1, "seat": "spectator"})]
        if asking < 3:
            told += [running.explain(by, version=version) for version in range(1, newest + 1)]
        for answer in told:
            assert answer.status_code == 200
            assert not [card for card in hidden if f'"{card}"' in answer.text]
        if asking < 3:
            public = told[1].text
            assert not [card for hand in held.values() for card in hand if f'"{card}"' in public]


def test_a_spectator_has_no_cards_to_ask_about(running: Followed) -> None:
    refused = running.explain(running.spectator)
    assert (refused.status_code, code_of(refused)) == (409, "not_seated")


def test_a_private_table_exists_for_its_people_alone(people: list[Player]) -> None:
    private = Followed(people[:3], people[3], options={"players": 3}, visibility="private")
    code = people[0].http.get(f"/v1/tables/{private.table}/spectator-code").json()["code"]
    invited = private.replay(private.spectator)
    assert invited.status_code == 200
    assert code not in invited.text
    assert people[0].http.delete(f"/v1/tables/{private.table}/spectator-code").status_code == 204
    for stranger in (private.spectator, people[4]):
        for answer in (private.replay(stranger), private.explain(stranger), private.replay(stranger, seat="all")):
            assert answer.status_code == 404
    assert private.replay(people[1]).status_code == 200
    assert people[0].http.get(f"/v1/tables/{'0' * 8}-0000-4000-8000-{'0' * 12}/replay").status_code == 404


def test_every_card_of_a_hand_has_an_answer(running: Followed) -> None:
    for (version, viewer), view in running.seen.items():
        if viewer is None or not view["you"]["hand"]:
            continue
        answers = running.explain(running.people[viewer], version=version).json()["answers"]
        others = [answer for answer in answers if answer["move"]["type"] != "play"]
        assert all(answer["legal"] for answer in others), others  # moves of other kinds that can be made now
        answers = [answer for answer in answers if answer["move"]["type"] == "play"]
        assert [answer["move"]["card"] for answer in answers] == view["you"]["hand"]
        plays = [entry for entry in view["you"]["legal"] if entry["type"] == "play"]
        legal = {card for entry in plays for card in entry["cards"]}
        assert {answer["move"]["card"] for answer in answers if answer["legal"]} == legal
        for answer in answers:
            assert answer["legal"] or (answer["code"] and answer["detail"])


def test_the_rule_that_forbids_a_card_is_named(finished: Followed) -> None:
    named = set()
    for (version, viewer), view in finished.seen.items():
        if viewer is None or view["you"]["decision"] is None or view["you"]["legal"][0]["type"] != "play":
            continue
        for card in view["you"]["hand"]:
            if card in view["you"]["legal"][0]["cards"]:
                continue
            move = json.dumps({"type": "play", "card": card})
            (answer,) = finished.explain(finished.spectator, version=version, seat=viewer, move=move).json()["answers"]
            assert answer["legal"] is False
            assert answer["rule"].startswith("H-")
            assert answer["text"]
            named.add(answer["code"])
            if len(named) > 1:
                return
    assert named


@pytest.mark.parametrize("move", ["{}", "QS", "[" * 1000, '{"type":"play"}', '{"type":"play","card":"QS","x":1}'])
def test_a_move_that_is_none_is_refused(finished: Followed, move: str) -> None:
    assert finished.explain(finished.spectator, seat=0, move=move).status_code == 400
