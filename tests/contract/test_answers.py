"""What the service answers is what its contract says: whole matches of every game, lists, problems."""

import json
import re
import time
from random import Random, SystemRandom
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from domain.registry import CURRENT
from service.api.bodies import BODY_BYTES_MAX
from service.api.headers import TAGS_LENGTH_MAX
from service.api.types import tables as types
from tests.conformance.hooks import short_match
from tests.contract.answers import PROBLEM, Checked, problem_faults
from tests.contract.document import operations
from tests.contract.moves import some_move
from tests.service.client import Player, new_key

WAIT_SECONDS = 120
MOVES_MOST = 150
"""Whatever is not over after so many moves is left."""
PARAMETERS = {"seat": "1", "draft": "p1"}
"""Path parameters that are not UUIDs."""
TABLE: Any = msgspec.json.Decoder(types.TABLE)
MOVE_RESULT: Any = msgspec.json.Decoder(types.MOVE_RESULT)
EVENT_PAGE: Any = msgspec.json.Decoder(types.EVENT_PAGE)


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo")]


@pytest.fixture
def checked(people: list[Player]) -> Checked:
    watching = Checked()
    for player in people:
        watching.watch(player)
    return watching


def look(player: Player, table: str) -> dict[str, Any]:
    """Read a view, decode it with the declared types, and write it again without a difference."""
    seen = player.http.get(f"/v1/tables/{table}")
    assert json.loads(msgspec.json.encode(TABLE.decode(seen.content))) == seen.json()
    view: dict[str, Any] = seen.json()
    return view


def read_everything(player: Player, table: str) -> None:
    """Read all that there is to read of a table."""
    page = player.http.get(f"/v1/tables/{table}/events", params={"limit": 100})
    assert json.loads(msgspec.json.encode(EVENT_PAGE.decode(page.content))) == page.json()
    for path in ("head", "replay", "replay?from=1&to=7", "explain", "drafts", "record", "audit"):
        player.http.get(f"/v1/tables/{table}/{path}")
    player.http.get(f"/v1/tables/{table}/record", headers={"Accept": "text/plain"})


def use_private_operations(player: Player, view: dict[str, Any], rng: Random) -> None:
    """Ask for advice, put the hand in order, prepare a meld and take it back, where the game has that."""
    path = f"/v1/tables/{view['table']}"
    for question in ({"type": "partition"}, {"type": "melds"}, {"type": "readings", "cards": view["you"]["hand"][:3]}):
        player.post(f"{path}/advice", question)
    player.http.put(f"{path}/hand-order", json={"type": "sort_hand", "by": rng.choice(["suit", "rank"])})
    for found in (view["you"]["private"] or {}).get("preparable", ())[:1]:
        assert player.post(f"{path}/drafts", found["draft"], keyed=True).status_code == 201
        look(player, view["table"])
        player.http.delete(f"{path}/drafts/p1")
        player.http.delete(f"{path}/drafts")


def play(seated: list[Player], onlooker: Player, table: str, rng: Random) -> dict[str, Any]:
    """Play on with legal moves and look with every pair of eyes, until the match is over or long enough."""
    moves, until = 0, time.monotonic() + WAIT_SECONDS
    view = look(seated[0], table)
    while view["status"] == "running" and moves < MOVES_MOST and time.monotonic() < until:
        before = moves
        for player in seated:
            view = look(player, table)
            if view["you"]["decision"] is None:
                continue
            made = player.move(table, view["you"]["decision"], some_move(view, rng))
            assert made.status_code == 200, made.text
            assert json.loads(msgspec.json.encode(MOVE_RESULT.decode(made.content))) == made.json()
            moves += 1
            if moves % 15 == 1:
                look(onlooker, table)
                read_everything(player, table)
                read_everything(onlooker, table)
                use_private_operations(player, look(player, table), rng)
        if moves == before:
            time.sleep(0.02)  # a bot has to act
    return look(seated[0], table)


@pytest.mark.parametrize("game", CURRENT)
def test_all_answers_of_a_match_are_as_declared(people: list[Player], checked: Checked, game: str) -> None:
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    before = checked.seen["makeMove", 200]
    for _ in range(20):  # a match may end in its first deal
        read_a_match(people, game, seed)
        if checked.seen["makeMove", 200] > before:
            break
    assert checked.seen["makeMove", 200] > before, f"seed {seed}: SHORT leaves no move to make"
    for operation in ("getRecord", "auditTable", "getReplay", "listEvents", "getHead"):
        assert checked.seen[operation, 200] > 0, f"seed {seed}"
    if CURRENT[game].private_stream is not None:
        assert checked.seen["orderHand", 200] > 0, f"seed {seed}"
        assert checked.seen["askAdvice", 200] > 0, f"seed {seed}"


def read_a_match(people: list[Player], game: str, seed: int) -> None:
    """Play a match to its end, or end it, while everything about it is read."""
    seated, onlooker = people[:2], people[2]
    short = short_match(CURRENT[game], 3)
    bots = list(range(3, short.seats))
    table = seated[0].create(game, seats=short.seats, options=short.options, bots=bots)
    seated[1].sit(table, client_seed="ab" * 32)
    seated[0].sit(table, bot=True, seat=2)
    seated[0].http.delete(f"/v1/tables/{table}/seats/2")
    seated[0].sit(table, bot=True, seat=2)
    for path, body in (("ready", {"ready": True}), ("ready", {"ready": False})):
        seated[1].http.put(f"/v1/tables/{table}/{path}", json=body)
    seated[0].http.patch(f"/v1/tables/{table}/options", json={"joker_swap": True})
    read_everything(seated[0], table)
    look(onlooker, table)
    seated[0].start(table)
    view = play(seated, onlooker, table, Random(seed))
    if view["status"] != "finished":
        seated[0].post(f"/v1/tables/{table}/end", None)
        for player in seated:
            player.http.delete(f"/v1/tables/{table}/seats/me")
    for player in people:
        assert look(player, table)["status"] in ("finished", "closed"), f"seed {seed}"
        read_everything(player, table)


def test_lists_accounts_and_games_answer_as_declared(people: list[Player], checked: Checked) -> None:
    ada = people[0]
    for game in CURRENT:
        for _ in range(2):
            ada.create(game, seats=short_match(CURRENT[game], 3).seats)
        ada.http.get(f"/v1/games/{game}")
        ada.http.get(f"/v1/games/{game}/rules")
    page = ada.http.get("/v1/tables", params={"limit": 3}).json()
    assert ada.http.get("/v1/tables", params={"limit": 3, "cursor": page["next_cursor"]}).json()["items"]
    made = ada.post("/v1/me/tokens", {"label": "phone", "expires_in_days": 9}, keyed=True).json()
    ada.http.get("/v1/me/tokens")
    ada.http.delete(f"/v1/me/tokens/{made['token_id']}")
    ada.http.patch("/v1/me", json={"name": "Ada L."})
    for path in ("/v1/me", "/v1/games", f"/v1/players/{ada.id}", "/", "/livez", "/readyz", "/openapi.json"):
        assert ada.http.get(path).status_code == 200, path
    tag = ada.http.get(f"/v1/tables/{page['items'][0]['table']}").headers["ETag"]
    same = ada.http.get(f"/v1/tables/{page['items'][0]['table']}", headers={"If-None-Match": f"W/{tag}"})
    assert same.status_code == 304
    assert checked.seen["revokeToken", 204] == 1


def test_problems_are_as_declared(people: list[Player], checked: Checked) -> None:
    ada, ben = people[:2]
    table = ada.create("hearts", bots=[1, 2, 3])
    path, key = f"/v1/tables/{table}", new_key()
    view = ada.start(table)
    ada.post("/v1/tables", {"game": "hearts"}, key=key)
    large = json.dumps({"name": "x" * 70_000}).encode()
    answered = [
        ada.http.post("/v1/tables", content=b"{", headers={"Idempotency-Key": key, "Content-Type": "application/json"}),
        ada.http.post("/v1/tables", content=b"{}", headers={"Idempotency-Key": key, "Content-Type": "text/plain"}),
        ada.http.patch("/v1/me", content=large, headers={"Content-Type": "application/json"}),
        ada.http.patch("/v1/me", json={"name": "\u0000"}),
        ada.post("/v1/tables", {"game": "herzeln", "seats": 3}, key=key),
        ada.post("/v1/tables", {"game": "hearts"}),
        ada.http.get(path, headers={"Authorization": "Bearer bw_" + "A" * 43}),
        ada.http.get(path, headers={"If-None-Match": '"' + "1" * TAGS_LENGTH_MAX + '"'}),
        ada.http.get(path, headers={"Accept": "text/html"}),
        ada.http.get("/metrics"),
        ada.http.get("/v1/tables/018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01"),
        ada.move(table, view["you"]["decision"], {"type": "pass", "cards": view["you"]["hand"][:2]}),
        ada.move(table, view["you"]["decision"] + 7, {"type": "play", "card": "2C"}),
        ada.move(table, view["you"]["decision"], {"type": "draw_stock"}, game="romme"),
        ben.move(table, 1, {"type": "play", "card": "2C"}),
        ada.http.get(f"{path}/record"),
        ada.http.get(f"{path}/replay", params={"from": 3, "to": 2}),
    ]
    assert [response.status_code for response in answered] == [
        *(400, 415, 413, 400, 422, 400, 401, 400, 406, 403, 404, 409, 409, 409, 409, 409, 400)
    ]
    assert {response.headers["content-type"] for response in answered} == {PROBLEM}
    assert sum(checked.seen.values()) > len(answered)


def test_a_body_that_is_too_large_is_declared_wherever_a_body_may_come(service_url: str) -> None:
    checked, guest = Checked(), Player(service_url, "Gil")
    checked.watch(guest)
    large = b"x" * (BODY_BYTES_MAX + 1)
    writes = [operation for operation in operations() if operation.method != "get"]
    for operation in writes:
        path = re.sub(r"\{([a-z_]+)\}", lambda found: PARAMETERS.get(found[1], str(uuid4())), operation.path)
        assert guest.http.request(operation.method, path, content=large).status_code == 413, operation.id
    assert len({operation for operation, _ in checked.seen}) == len(writes) > 20


@pytest.mark.parametrize("method", ["PUT", "QUERY", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", ["/livez", "/v1/players/x", "/v1/tables/x/seats/me", "/v1/games/hearts/rules"])
def test_methods_that_a_path_does_not_know_are_named(service_url: str, path: str, method: str) -> None:
    refused = httpx.request(method, service_url + path)
    assert refused.status_code == 405
    assert not problem_faults(refused)
    assert method not in refused.headers["allow"].split(", ")
    assert {"OPTIONS"} < set(refused.headers["allow"].split(", "))


def test_addresses_that_do_not_exist_are_problems_too(service_url: str) -> None:
    refused = httpx.get(f"{service_url}/v2/tables")
    assert refused.status_code == 404
    assert not problem_faults(refused)
