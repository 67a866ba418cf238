"""Rommé over HTTP where drafts and lobby meet: two processes of one table, gone decisions, what is called legal."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.service.client import Player
from tests.service.running import running_service, settings_for
from tests.service.test_tables_http import code_of


@pytest.fixture
def two_processes(database_url: str, redis_url: str) -> Iterator[tuple[str, str]]:
    """Two processes of one service, without a worker."""
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as one, running_service(settings, worker=False) as other:
        yield one, other
        Player.close_all()


def through(player: Player, base_url: str) -> Player:
    """The same person, served by this process."""
    player.http.base_url = base_url
    return player


def entry(view: dict[str, Any], kind: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = next((entry for entry in view["you"]["legal"] if entry["type"] == kind), None)
    return found


def do(player: Player, table: str, move: dict[str, Any]) -> dict[str, Any]:
    made = player.move(table, player.view(table)["you"]["decision"], move)
    assert made.status_code == 200, made.text
    view: dict[str, Any] = made.json()["view"]
    return view


def discard(player: Player, table: str, *, keep: tuple[str, ...] = ()) -> None:
    """End the turn with a card that is not to be kept."""
    allowed = entry(player.view(table), "discard")
    assert allowed is not None
    do(player, table, {"type": "discard", "card": next(card for card in allowed["cards"] if card not in keep)})


def with_a_meld(people: list[Player], table: str) -> tuple[Player, Player, dict[str, Any], tuple[str, ...]]:
    """Play until a person on turn can prepare a meld: that person, the other one, the meld and its cards."""
    while True:
        for player, other in (people, people[::-1]):
            view = player.view(table)
            if entry(view, "draw_stock") is not None:
                view = do(player, table, {"type": "draw_stock"})
            for ready in view["you"]["private"]["preparable"]:
                meld: dict[str, Any] = ready["draft"]
                return player, other, meld, tuple(card["card"] for card in meld["cards"])
            if view["you"]["decision"] is not None:
                discard(player, table)


def started(base_url: str, **options: Any) -> tuple[list[Player], str]:
    people = [Player(base_url, name) for name in ("Ada", "Ben")]
    table = people[0].create("romme", seats=2, options=options)
    people[1].sit(table)
    people[0].start(table)
    return people, table


def prepare(player: Player, table: str, meld: dict[str, Any]) -> Any:
    return player.post(f"/v1/tables/{table}/drafts", meld, keyed=True)


def test_a_process_that_is_behind_prepares_in_the_turn_that_runs(two_processes: tuple[str, str]) -> None:
    here, there = two_processes
    people, table = started(here)
    player, other, meld, kept = with_a_meld(people, table)
    path = f"/v1/tables/{table}/drafts"
    # given: a draft made and taken back here, then a whole go-round and another draft there
    assert prepare(player, table, meld).status_code == 201
    assert player.http.delete(path).status_code == 200
    through(player, there)
    through(other, there)
    discard(player, table, keep=kept)
    do(other, table, {"type": "draw_stock"})
    discard(other, table)
    do(player, table, {"type": "draw_stock"})
    assert prepare(player, table, meld).status_code == 201
    # when: the first process, which knows nothing of it, is asked to prepare the same cards
    through(player, here)
    refused = prepare(player, table, meld)
    # then
    assert (refused.status_code, code_of(refused)) == (409, "card_reserved")
    for base_url in two_processes:
        drafts = through(player, base_url).http.get(path)
        assert [draft["draft"] for draft in drafts.json()["drafts"]] == ["p1"], drafts.text
    assert player.http.delete(path).json()["you"]["private"]["drafts"] == []


def test_a_process_that_is_behind_answers_a_private_move_with_the_table_as_it_is(
    two_processes: tuple[str, str],
) -> None:
    here, there = two_processes
    people, table = started(here)
    player, other, _, _ = with_a_meld(people, table)
    through(player, there)
    discard(player, table)
    version = do(through(other, there), table, {"type": "draw_stock"})["version"]
    sorted_ = through(player, here).http.put(f"/v1/tables/{table}/hand-order", json={"type": "sort_hand", "by": "suit"})
    assert (sorted_.status_code, sorted_.json()["version"]) == (200, version)
    assert len(sorted_.json()["you"]["hand"]) == 13


def test_what_another_process_took_back_can_be_set_again(two_processes: tuple[str, str]) -> None:
    here, there = two_processes
    host, guest = (Player(here, name) for name in ("Ada", "Ben"))
    table = host.create("romme", seats=2)
    guest.sit(table)
    ready, options = f"/v1/tables/{table}/ready", f"/v1/tables/{table}/options"
    # given: a mark and an option set here; the option set back there, which clears the mark
    assert host.http.patch(options, json={"first_meld_min": 40}).json()["options"]["first_meld_min"] == 40
    assert guest.http.put(ready, json={"ready": True}).json()["seats"][1]["ready"] is True
    set_back = through(host, there).http.patch(options, json={"first_meld_min": 30})
    assert (set_back.json()["options"]["first_meld_min"], set_back.json()["seats"][1]["ready"]) == (30, False)
    # when: what the first process last knew is asked of it again
    through(guest, here).http.put(ready, json={"ready": True})
    marked = through(host, there).view(table)
    through(host, here).http.patch(options, json={"first_meld_min": 40})
    changed = through(host, there).view(table)
    # then
    assert marked["seats"][1]["ready"] is True
    assert changed["options"]["first_meld_min"] == 40


def test_a_decision_that_is_gone_is_refused_before_any_rule_of_drafts_speaks(service_url: str) -> None:
    people, table = started(service_url)
    player, _, meld, _ = with_a_meld(people, table)
    decision = player.view(table)["you"]["decision"]
    assert prepare(player, table, meld).status_code == 201
    for move in ({"type": "discard", "card": player.view(table)["you"]["hand"][0]}, {"type": "draw_pile"}):
        refused = player.move(table, decision + 1, move)
        assert (refused.status_code, code_of(refused)) == (409, "stale_decision")


def test_what_a_refusal_calls_legal_takes_drafts_into_account(service_url: str) -> None:
    people, table = started(service_url)
    player, _, meld, _ = with_a_meld(people, table)
    view = prepare(player, table, meld).json()
    refused = player.move(table, view["you"]["decision"], {"type": "discard", "card": view["you"]["hand"][0]})
    assert (refused.status_code, code_of(refused)) == (409, "drafts_open")
    assert refused.json()["legal"] == {"game": "romme", "entries": view["you"]["legal"]}
    assert "discard" not in [one["type"] for one in refused.json()["legal"]["entries"]]


@pytest.mark.parametrize(("match_end", "code"), [("rounds", "not_open"), ("open", "no_round_played")])
def test_a_match_is_not_ended_by_hand_before_a_round_was_played(service_url: str, match_end: str, code: str) -> None:
    people = [Player(service_url, name) for name in ("Ada", "Ben")]
    table = people[0].create("romme", seats=2, options={"match_end": match_end})
    people[1].sit(table)
    refused = people[0].post(f"/v1/tables/{table}/end", {})
    assert (refused.status_code, code_of(refused), refused.json()["rule"]) == (409, code, "R-68")
    assert code_of(people[1].post(f"/v1/tables/{table}/end", {})) == "not_host"


def test_a_draft_of_another_process_counts_for_a_move_of_this_one(two_processes: tuple[str, str]) -> None:
    here, there = two_processes
    people, table = started(here)
    player, _, meld, kept = with_a_meld(people, table)
    view = player.view(table)
    loose = next(card for card in view["you"]["hand"] if card not in kept)
    # given: a draft made there, of which this process has not heard
    assert prepare(through(player, there), table, meld).status_code == 201
    # when
    refused = through(player, here).move(table, view["you"]["decision"], {"type": "discard", "card": loose})
    # then
    assert (refused.status_code, code_of(refused)) == (409, "drafts_open")
    assert "discard" not in [one["type"] for one in refused.json()["legal"]["entries"]]
    # and when it was taken back there, the same move passes here
    path = f"/v1/tables/{table}/drafts"
    assert through(player, there).http.delete(path).status_code == 200
    passed = through(player, here).move(table, view["you"]["decision"], {"type": "discard", "card": loose})
    assert passed.status_code == 200, passed.text
    assert passed.json()["view"]["you"]["private"]["drafts"] == []
