"""Tables over HTTP: seats, host, private tables, decisions and retries, views, events, what others may see."""

import random
from typing import Any
from uuid import uuid4

import pytest

from domain.registry import CURRENT
from tests.service.client import Player, choose_hearts, new_key, play_match


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo", "Dora", "Eve")]


def code_of(response: Any) -> str:
    assert response.headers["content-type"] == "application/problem+json", response.text
    problem = response.json()
    assert problem["status"] == response.status_code
    code: str = problem["code"]
    return code


def table_of_four(people: list[Player], **options: Any) -> str:
    table = people[0].create("hearts", options=options)
    for player in people[1:4]:
        player.sit(table)
    people[0].start(table)
    return table


def cards_to_pass(view: dict[str, Any], first: int = 0) -> dict[str, Any]:
    return {"type": "pass", "cards": view["you"]["legal"][0]["cards"][first : first + 3]}


# creating and seats


def test_the_same_key_creates_one_table(people: list[Player]) -> None:
    key = new_key()
    body = {"game": "hearts", "options": {"omnibus": True}}
    first = people[0].post("/v1/tables", body, key=key)
    again = people[0].post("/v1/tables", body, key=key)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    other = people[0].post("/v1/tables", {"game": "hearts"}, key=key)
    assert (other.status_code, code_of(other)) == (422, "idempotency_key_reused")
    assert people[1].post("/v1/tables", body, key=key).json()["table"] != first.json()["table"]


@pytest.mark.parametrize("key", [None, '"no-quote-after-it', '"short"', '"' + "x" * 129 + '"', '"with a blank inside"'])
def test_creating_needs_a_key(people: list[Player], key: str | None) -> None:
    headers = {} if key is None else {"Idempotency-Key": key}
    refused = people[0].http.post("/v1/tables", json={"game": "hearts"}, headers=headers)
    assert (refused.status_code, code_of(refused)) == (400, "idempotency_key_required")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"game": "hearts", "options": {"players": 6}}, 400, "option_value"),
        ({"game": "hearts", "options": {"players": 4.5}}, 400, "option_value"),
        ({"game": "hearts", "options": {"players": "4"}}, 400, "option_value"),
        ({"game": "hearts", "options": {"queen_breaks_hearts": True}}, 400, "option_unknown"),
        ({"game": "hearts", "options": {"moon_rule": "none"}}, 409, "option_conflict"),
        ({"game": "hearts", "seats": 3, "options": {"players": 4}}, 409, "option_conflict"),
        ({"game": "hearts", "bots": [4]}, 409, "seat_unknown"),
        ({"game": "hearts", "seats": 6}, 400, "invalid_request"),
        ({"game": "herzeln"}, 400, "option_missing"),
        ({"game": "hearts", "bots": [0]}, 409, "seat_taken"),
        ({"game": "hearts", "bots": [9]}, 400, "invalid_request"),
        ({"game": "skat"}, 400, "invalid_request"),
        ({"game": "hearts", "colour": "red"}, 400, "invalid_request"),
    ],
)
def test_tables_that_cannot_be_are_refused(people: list[Player], body: Any, status: int, code: str) -> None:
    refused = people[0].post("/v1/tables", body, keyed=True)
    assert (refused.status_code, code_of(refused)) == (status, code), refused.text


def test_seats_that_are_missing_are_named(people: list[Player]) -> None:
    refused = people[0].post("/v1/tables", {"game": "herzeln"}, keyed=True)
    assert (refused.status_code, refused.json()["errors"]) == (400, [{"pointer": "/seats", "detail": "is missing"}])


def test_a_whole_number_is_an_integer_in_options_too(people: list[Player]) -> None:
    made = people[0].post("/v1/tables", {"game": "hearts", "options": {"players": 3.0}}, keyed=True)
    assert (made.status_code, made.json()["options"]["players"]) == (201, 3)
    romme = people[0].create("romme", seats=2)
    changed = people[0].http.patch(f"/v1/tables/{romme}/options", json={"rounds": 7.0})
    assert (changed.status_code, changed.json()["options"]["rounds"]) == (200, 7)


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_leaving_twice_is_no_error(people: list[Player], visibility: str) -> None:
    ada, ben, cleo = people[:3]
    table = ada.create("hearts", visibility=visibility)
    ben.sit_by(ada, table)
    version = None
    for _ in range(2):
        assert ben.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
        now = ada.http.get(f"/v1/tables/{table}").json()["version"]
        assert version in (None, now), "the second time nothing is recorded"
        version = now
    for _ in range(2):  # the last person closes the table
        assert ada.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
    if visibility == "private":
        refused = [cleo.http.delete(f"/v1/tables/{stream}/seats/me") for stream in (table, uuid4())]
        assert [(one.status_code, code_of(one)) for one in refused] == [(404, "not_found")] * 2, (
            "as if it did not exist"
        )


def test_a_key_without_quotes_is_the_same_key(people: list[Player]) -> None:
    key = str(uuid4())
    made = [people[0].post("/v1/tables", {"game": "hearts"}, key=given) for given in (key, f'"{key}"')]
    assert [one.status_code for one in made] == [201, 201]
    assert made[0].json()["table"] == made[1].json()["table"]
    for half in (f'"{key}', f'{key}"', f"{key}, {key}"):
        refused = people[0].post("/v1/tables", {"game": "hearts"}, key=half)
        assert (refused.status_code, code_of(refused)) == (400, "idempotency_key_required"), half


def test_a_secret_key_without_quotes_is_the_same_key(people: list[Player]) -> None:
    key = str(uuid4())
    made = [people[0].post("/v1/players", {"name": "Bea"}, key=given) for given in (key, f'"{key}"')]
    assert made[0].json() == made[1].json()
    assert made[0].status_code == 201


@pytest.mark.parametrize("key", sorted(CURRENT))
def test_a_malformed_option_is_told_before_what_is_missing_or_contradicts(people: list[Player], key: str) -> None:
    names, least = list(CURRENT[key].options.schema["properties"]), CURRENT[key].seats[0]
    for name in names:
        for seats, players in ((None, None), (least, None), (least, least + 1)):
            options = {"players": players} if players and "players" in names else {}
            body = ({"seats": seats} if seats else {}) | {"game": key, "options": options | {name: "nonsense"}}
            refused = people[0].post("/v1/tables", body, keyed=True)
            assert (refused.status_code, code_of(refused)) == (400, "option_value"), (body, refused.text)


def test_sitting_down_again_under_the_same_key_is_the_same_seat(people: list[Player]) -> None:
    table = people[0].create("hearts")
    key = new_key()
    first = people[1].post(f"/v1/tables/{table}/seats", {"seat": 2}, key=key)
    again = people[1].post(f"/v1/tables/{table}/seats", {"seat": 2}, key=key)
    assert first.status_code == again.status_code == 201
    assert again.json()["you"]["seat"] == 2
    assert again.json()["version"] == 2
    other = people[1].post(f"/v1/tables/{table}/seats", {"seat": 3}, keyed=True)
    assert (other.status_code, code_of(other)) == (409, "already_seated")
    taken = people[2].post(f"/v1/tables/{table}/seats", {"seat": 2}, keyed=True)
    assert (taken.status_code, code_of(taken)) == (409, "seat_taken")


def test_starting_a_round_that_has_started_is_no_error(people: list[Player]) -> None:
    table = table_of_four(people)
    again = people[0].post(f"/v1/tables/{table}/start", {"round": 1})
    assert again.status_code == 200
    assert again.json()["version"] == 5
    assert code_of(people[0].post(f"/v1/tables/{table}/start", {"round": 3})) == "round_not_next"
    assert code_of(people[4].post(f"/v1/tables/{table}/start", {"round": 1})) == "not_seated"


def test_only_the_host_starts_and_seats_bots(people: list[Player]) -> None:
    table = people[0].create("hearts", bots=[2])
    people[1].sit(table)
    assert code_of(people[1].post(f"/v1/tables/{table}/start", {"round": 1})) == "not_host"
    assert code_of(people[0].post(f"/v1/tables/{table}/start", {"round": 1})) == "seats_open"
    assert code_of(people[1].post(f"/v1/tables/{table}/seats", {"bot": True, "seat": 3}, keyed=True)) == "not_host"
    people[0].sit(table, bot=True, seat=3)
    freed = people[0].http.delete(f"/v1/tables/{table}/seats/2")
    assert freed.json()["seats"][2]["kind"] == "open"
    assert code_of(people[0].http.delete(f"/v1/tables/{table}/seats/1")) == "seat_not_bot"


# private tables


def test_a_private_table_does_not_exist_for_strangers(people: list[Player]) -> None:
    table = people[0].create("hearts", visibility="private")
    code = people[0].code(table)
    path = f"/v1/tables/{table}"
    for response in (
        people[1].http.get(path),
        people[1].http.get(f"{path}/events"),
        people[1].http.get(f"{path}/head"),
        people[1].http.get(f"{path}/join-code"),
        people[1].http.get(f"{path}/spectator-code"),
        people[1].http.delete(f"{path}/spectator-code"),
        people[1].post(f"{path}/seats", {}, keyed=True),
        people[1].post(f"{path}/join-code", None, keyed=True),
        people[1].post(f"{path}/spectator-code", None, keyed=True),
        people[1].post(f"{path}/start", {"round": 1}),
        people[1].move(table, 1, {"type": "play", "card": "2C"}),
    ):
        assert (response.status_code, code_of(response)) == (404, "not_found")
    refused = people[1].http.get(path, params={"join_code": code})
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request"), "no read takes a code"
    assert people[1].watch(people[0].code(table, "spectator"))["you"] is None
    watching = people[1].post(f"{path}/seats", {}, keyed=True)
    assert (watching.status_code, code_of(watching)) == (409, "code_required")
    assert people[1].join(code)["you"]["seat"] == 1
    listed = people[1].http.get("/v1/tables", params={"limit": 100}).text
    assert table not in listed


# decisions and retries


def test_a_retry_of_a_move_gives_the_same_answer_and_another_move_is_refused(people: list[Player]) -> None:
    table = table_of_four(people)
    view = people[1].view(table)
    decision = view["you"]["decision"]
    first = people[1].move(table, decision, cards_to_pass(view))
    assert first.status_code == 200
    people[2].move(table, decision, cards_to_pass(people[2].view(table)))
    again = people[1].move(table, decision, cards_to_pass(view))
    assert again.status_code == 200
    assert again.json()["version"] == first.json()["version"]
    assert again.json()["event"] == first.json()["event"]
    other = people[1].move(table, decision, cards_to_pass(view, 3))
    assert (other.status_code, code_of(other)) == (409, "decision_taken")
    assert other.json()["version"] == 7
    assert people[1].view(table)["version"] == 7


def test_a_decision_that_is_not_open_is_stale_and_says_the_version(people: list[Player]) -> None:
    table = table_of_four(people)
    view = people[1].view(table)
    refused = people[1].move(table, view["you"]["decision"] - 1, cards_to_pass(view))
    assert (refused.status_code, code_of(refused), refused.json()["version"]) == (409, "stale_decision", 5)


def test_a_refused_move_names_the_rule_and_what_is_legal_and_tells_nobody_else(people: list[Player]) -> None:
    table = table_of_four(people)
    view = people[1].view(table)
    decision, hand = view["you"]["decision"], view["you"]["hand"]
    before = people[2].http.get(f"/v1/tables/{table}")
    refused = people[1].move(table, decision, {"type": "pass", "cards": hand[:2]})
    assert (refused.status_code, code_of(refused), refused.json()["rule"]) == (409, "wrong_pass_count", "H-14")
    assert refused.json()["legal"] == {"game": "hearts", "entries": view["you"]["legal"]}
    other = next(card for card in ("2C", "3C", "4C", "5C") if card not in hand)
    probe = people[1].move(table, decision, {"type": "pass", "cards": [*hand[:2], other]})
    assert (code_of(probe), probe.json()["rule"]) == ("card_not_in_hand", "H-18")
    after = people[2].http.get(f"/v1/tables/{table}")
    assert after.content == before.content
    assert after.headers["etag"] == before.headers["etag"]
    rules = people[1].http.get("/v1/games/hearts/rules").json()
    assert refused.json()["rule"] in {rule["number"] for rule in rules["rules"]}
    assert refused.json()["code"] in rules["rejections"]


def test_a_move_of_another_game_is_a_conflict_and_nonsense_is_malformed(people: list[Player]) -> None:
    table = table_of_four(people)
    assert code_of(people[1].move(table, 5, {"type": "draw_stock"}, game="romme")) == "wrong_game"
    moves: tuple[Any, ...] = (
        {"type": "fly"},
        {"type": "play"},
        {"type": "play", "card": 7},
        {"card": "2C"},
        [],
        None,
        "play",
    )
    for move in moves:
        refused = people[1].move(table, 5, move)
        assert (refused.status_code, code_of(refused)) == (400, "invalid_request"), refused.text


# views


def test_a_view_has_a_tag_and_is_sent_once(people: list[Player]) -> None:
    table = table_of_four(people)
    seen = people[1].http.get(f"/v1/tables/{table}")
    tag = seen.headers["etag"]
    same = people[1].http.get(f"/v1/tables/{table}", headers={"If-None-Match": tag})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
    assert people[2].http.get(f"/v1/tables/{table}", headers={"If-None-Match": tag}).status_code == 200
    people[2].move(table, 5, cards_to_pass(people[2].view(table)))
    changed = people[1].http.get(f"/v1/tables/{table}", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["etag"] != tag
    assert changed.headers["cache-control"] == "private, no-cache"
    assert "content-encoding" not in changed.headers


def test_nobody_sees_a_card_that_is_not_his(people: list[Player]) -> None:
    table = table_of_four(people)
    for player in people[:3]:
        player.move(table, 5, cards_to_pass(player.view(table)))
    hands = {player.id: player.view(table)["you"]["hand"] for player in people[:4]}
    assert sum(map(len, hands.values())) == 52
    for player in people[:5]:
        own = hands.get(player.id, [])
        for path in ("", "/events?limit=100", "/head"):
            text = player.http.get(f"/v1/tables/{table}{path}").text
            assert not [c for hand in hands.values() for c in hand if c not in own and f'"{c}"' in text], path


def test_events_come_in_pages_and_complete_after_the_end(people: list[Player]) -> None:
    table = table_of_four(people, target_score=1)
    seed = random.randrange(2**32)
    view = play_match(people[:4], table, choose_hearts, random.Random(seed))
    collected: list[Any] = []
    after: int | None = 0
    while after is not None:
        page = people[4].http.get(f"/v1/tables/{table}/events", params={"after": after, "limit": 40}).json()
        collected += page["items"]
        after = page["next_after"]
    assert [event["version"] for event in collected] == list(range(1, view["version"] + 1)), seed
    deals = [fact for event in collected for fact in event["facts"] if fact["type"] == "round_dealt"]
    assert all(len(deal["order"]) == 52 for deal in deals), seed
    assert collected[-1]["table"][-1]["type"] == "secret_revealed", seed
    assert code_of(people[0].move(table, view["version"], {"type": "play", "card": "2C"})) == "match_over"
    assert code_of(people[0].http.delete(f"/v1/tables/{table}/seats/me")) == "match_over"


# leaving


def test_who_leaves_a_match_is_replaced_by_a_bot_and_the_match_goes_on(people: list[Player]) -> None:
    table = table_of_four(people, target_score=20)
    assert people[0].http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
    view = people[1].view(table)
    assert (view["host"], view["seats"][0]["kind"], view["seats"][0]["player"]) == (1, "bot", None)
    for player in people[2:4]:
        player.http.delete(f"/v1/tables/{table}/seats/me")
    view = play_match([people[1]], table, choose_hearts, random.Random(7))
    assert view["status"] == "finished"


def test_a_table_that_everybody_leaves_is_closed(people: list[Player]) -> None:
    table = people[0].create("hearts", bots=[1, 2, 3])
    people[0].start(table)
    assert people[0].http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
    view = people[1].view(table)
    assert (view["status"], view["host"], view["to_act"]) == ("closed", None, [])


# lists


def test_the_lobby_lists_public_tables_newest_first_in_pages(people: list[Player]) -> None:
    made = [people[4].create("hearts") for _ in range(5)]
    people[0].sit(made[4], seat=1)
    first = people[1].http.get("/v1/tables", params={"game": "hearts", "limit": 3}).json()
    assert [item["table"] for item in first["items"]] == made[4:1:-1]
    assert first["items"][0]["open_seats"] == 2
    assert first["items"][0]["seats"][1]["name"] == "Ada"
    second = people[1].http.get("/v1/tables", params={"game": "hearts", "limit": 3, "cursor": first["next_cursor"]})
    assert [item["table"] for item in second.json()["items"]][:2] == made[1::-1]
    wrong = people[1].http.get("/v1/tables", params={"status": "running", "cursor": first["next_cursor"]})
    assert (wrong.status_code, code_of(wrong)) == (404, "not_found")
    for player in (people[4], people[0]):
        player.http.delete(f"/v1/tables/{made[4]}/seats/me")
    again = people[1].http.get("/v1/tables", params={"game": "hearts", "limit": 1}).json()
    assert again["items"][0]["table"] == made[3]
    for query in ({"limit": 0}, {"limit": 101}, {"limit": "x"}, {"colour": "red"}, {"status": "open"}):
        refused = people[1].http.get("/v1/tables", params=query)
        assert (refused.status_code, code_of(refused)) == (400, "invalid_request")


def test_commitments_to_seeds_and_the_status_starting_wait_for_bw2(service_url: str) -> None:
    ada, ben = Player(service_url, "Ada"), Player(service_url, "Ben")
    table = ada.create("hearts")
    code = ada.code(table)
    committed = {"seed_commitment": "5e" * 32}
    for path, body in ((f"/v1/tables/{table}/seats", committed), ("/v1/join", {"code": code, **committed})):
        refused = ben.post(path, body, keyed=True)
        assert (refused.status_code, code_of(refused)) == (409, "seed_commitment_unsupported")
    assert [seat["kind"] for seat in ada.view(table)["seats"]].count("person") == 1
    assert ada.http.get("/v1/tables", params={"status": "starting"}).json()["items"] == []
