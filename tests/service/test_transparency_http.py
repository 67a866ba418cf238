"""The transparency log over HTTP: a monitor follows it, a record proves its place, nobody learns of private tables."""

import asyncio
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest

from domain.merkle import Node, Span, extends, hash_of, includes, leaf_hash, node_hash
from domain.transparency import parse_checkpoint
from service.composition import Services
from service.records.audit import Damage
from service.runtime.settings import Settings
from service.verify.notes import is_signed
from tests.service.client import Player, choose_hearts, in_log, play_match
from tests.service.running import settings_for
from tests.service.test_records_http import verified
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo")]


def match_of(people: list[Player], seed: int, visibility: str = "public") -> str:
    """A match that is over and in the log."""
    ada, ben = people[:2]
    table = ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[2], visibility=visibility)
    ben.sit_by(ada, table)
    ada.start(table)
    play_match([ada, ben], table, choose_hearts, random.Random(seed))
    in_log(ada, table)
    return table


@pytest.fixture(scope="module")
def matches(people: list[Player]) -> list[str]:
    return [match_of(people, seed, visibility) for seed, visibility in enumerate(("public", "private", "public"))]


@pytest.fixture
def anybody(service_url: str) -> Iterator[httpx.Client]:
    """Somebody without an account."""
    with httpx.Client(base_url=service_url) as client:
        yield client


def entries(client: httpx.Client, limit: int = 2) -> list[bytes]:
    """All leaves, page by page."""
    found: list[bytes] = []
    following: int | None = 0
    while following is not None:
        page = client.get("/v1/log/entries", params={"from": following, "limit": limit})
        body = page.json()
        assert [item["index"] for item in body["items"]] == list(range(following, following + len(body["items"])))
        found += [bytes.fromhex(item["leaf"]) for item in body["items"]]
        following = body["next_from"]
        assert ("Link" in page.headers) == (following is not None)
    return found


def root_of(leaves: list[bytes]) -> bytes:
    def complete(node: Node) -> bytes:
        if node.level == 0:
            return leaf_hash(leaves[node.number])
        below = Node(node.level - 1, 2 * node.number)
        return node_hash(complete(below), complete(Node(below.level, below.number + 1)))

    return hash_of(Span(0, len(leaves)), complete)


def test_a_monitor_without_account_makes_the_tree_again(
    matches: list[str], people: list[Player], anybody: httpx.Client
) -> None:
    taken = anybody.get("/v1/log/checkpoint")
    assert taken.headers["content-type"] == "text/plain; charset=utf-8"
    old = parse_checkpoint(taken.text)
    leaves = entries(anybody)
    assert len(leaves) >= len(matches)
    assert (old.origin, old.size, old.root) == ("blattwerk.test", len(leaves), root_of(leaves))
    assert is_signed(taken.text, anybody.get("/v1/log/entries").json()["key"])
    match_of(people, 9)
    new = parse_checkpoint(anybody.get("/v1/log/checkpoint").text)
    grown = entries(anybody)
    assert grown[: len(leaves)] == leaves
    assert new.root == root_of(grown)
    proof = anybody.get("/v1/log/consistency", params={"from": old.size, "to": new.size}).json()
    assert extends(old.size, old.root, new.size, new.root, [bytes.fromhex(one) for one in proof["proof"]])
    assert anybody.get("/v1/log/consistency", params={"from": old.size}).json() == proof


def test_a_match_proves_its_place_to_those_who_may_see_it(matches: list[str], people: list[Player]) -> None:
    for table in matches:
        given = people[1].http.get("/v1/log/inclusion", params={"table": table}).json()
        checkpoint = parse_checkpoint(given["checkpoint"])
        proof = [bytes.fromhex(one) for one in given["proof"]]
        leaf = bytes.fromhex(given["leaf"])
        assert leaf[:32] == hashlib.sha256(b"bw1/log-table\0" + bytes.fromhex(table.replace("-", ""))).digest()
        assert checkpoint.size == given["size"]
        assert includes(checkpoint.root, given["size"], given["index"], leaf_hash(leaf), proof)
        assert is_signed(given["checkpoint"], given["key"])
        first = given["index"] + 1
        earlier = people[1].http.get("/v1/log/inclusion", params={"table": table, "size": first}).json()
        assert earlier["size"] == first
        assert (
            earlier["checkpoint"] == people[0].http.get(f"/v1/tables/{table}/record").json()["inclusion"]["checkpoint"]
        )
        for size in (given["index"], given["size"] + 1):
            refused = people[1].http.get("/v1/log/inclusion", params={"table": table, "size": max(size, 1)})
            if size:
                assert (refused.status_code, code_of(refused)) == (409, "no_such_tree")


def test_the_bytes_of_a_record_never_change_while_the_log_grows(matches: list[str], people: list[Player]) -> None:
    before = [people[0].http.get(f"/v1/tables/{table}/record").content for table in matches]
    match_of(people, 10)
    assert [people[0].http.get(f"/v1/tables/{table}/record").content for table in matches] == before


def test_a_stranger_holds_a_record_against_a_checkpoint_from_elsewhere(
    matches: list[str], people: list[Player], anybody: httpx.Client, tmp_path: Path
) -> None:
    record = people[0].http.get(f"/v1/tables/{matches[0]}/record")
    (tmp_path / "match.json").write_bytes(record.content)
    (tmp_path / "checkpoint").write_text(anybody.get("/v1/log/checkpoint").text)
    sizes = {
        "from": record.json()["inclusion"]["size"],
        "to": parse_checkpoint((tmp_path / "checkpoint").read_text()).size,
    }
    (tmp_path / "consistency").write_bytes(anybody.get("/v1/log/consistency", params=sizes).content)
    options = ["--checkpoint", str(tmp_path / "checkpoint"), "--consistency", str(tmp_path / "consistency")]
    result = verified(tmp_path / "match.json", *options)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(verified(tmp_path / "match.json", *options, "--json").stdout)
    assert report["checks"][-1] == {"name": "inclusion", "status": "pass"}


def test_a_match_is_not_in_the_log_before_its_end(people: list[Player]) -> None:
    table = people[0].create("hearts", bots=[1, 2, 3])
    refused = people[0].http.get("/v1/log/inclusion", params={"table": table})
    assert (refused.status_code, code_of(refused)) == (409, "match_running")
    people[0].http.delete(f"/v1/tables/{table}/seats/me")
    refused = people[0].http.get("/v1/log/inclusion", params={"table": table})
    assert (refused.status_code, code_of(refused)) == (409, "match_not_started")


def test_a_match_that_everybody_left_is_in_the_log(people: list[Player]) -> None:
    table = people[0].create("hearts", bots=[1, 2, 3])
    people[0].start(table)
    people[0].http.delete(f"/v1/tables/{table}/seats/me")
    in_log(people[0], table)
    assert people[0].http.get(f"/v1/tables/{table}/record").json()["inclusion"] is not None


def test_a_private_table_is_not_told_of(
    matches: list[str], people: list[Player], anybody: httpx.Client, operator: Player, service_url: str
) -> None:
    private = matches[1]
    code = people[0].code(private, "spectator")
    for other in (people[2], Player(service_url, "Dora"), operator):
        nothing = other.http.get("/v1/log/inclusion", params={"table": private})
        unknown = other.http.get("/v1/log/inclusion", params={"table": "018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01"})
        assert nothing.status_code == unknown.status_code == 404
        assert {**nothing.json(), "trace_id": ""} == {**unknown.json(), "trace_id": ""}
        guessed = other.post("/v1/watch", {"code": "2" * 12})
        assert guessed.status_code == 404
    people[2].watch(code)
    invited = people[2].http.get("/v1/log/inclusion", params={"table": private})
    assert invited.status_code == 200
    assert anybody.get("/v1/log/inclusion", params={"table": private}).status_code == 401
    told = "".join(
        anybody.get(path).text for path in ("/v1/log/entries", "/v1/log/checkpoint", "/v1/log/consistency?from=1")
    )
    for secret in (private, private.replace("-", ""), *(player.id for player in people), code, code.replace("-", "")):
        assert secret not in told


@pytest.fixture
def operator(service_url: str, operator_token: str) -> Player:
    player = Player(service_url, "Olga")
    player.http.headers["Authorization"] = f"Bearer {operator_token}"
    return player


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/log/inclusion", 400, "invalid_request"),
        ("/v1/log/inclusion?table=x", 400, "invalid_request"),
        ("/v1/log/consistency", 400, "invalid_request"),
        ("/v1/log/consistency?from=0", 400, "invalid_request"),
        ("/v1/log/consistency?from=1&to=99999", 409, "no_such_tree"),
        ("/v1/log/consistency?from=3&to=2", 409, "no_such_tree"),
        ("/v1/log/entries?limit=1001", 400, "invalid_request"),
        ("/v1/log/entries?from=-1", 400, "invalid_request"),
        ("/v1/log/entries?after=1", 400, "invalid_request"),
    ],
)
def test_what_cannot_be_asked_is_a_problem(
    matches: list[str], people: list[Player], path: str, status: int, code: str
) -> None:
    refused = people[0].http.get(path)
    assert (refused.status_code, code_of(refused)) == (status, code)


def test_there_is_nothing_behind_the_end(matches: list[str], anybody: httpx.Client) -> None:
    page = anybody.get("/v1/log/entries", params={"from": 100_000}).json()
    assert (page["items"], page["next_from"]) == ([], None)


def test_the_audit_of_the_log_makes_the_tree_again(matches: list[str], settings: Settings) -> None:
    async def audited() -> Damage | None:
        services = Services(settings)
        await services.open()
        try:
            found: list[Damage] = []
            await services.audit.check_all(lambda _: None, found.append)
            return found[0] if found else None
        finally:
            await services.close()

    assert asyncio.run(audited()) is None
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        connection.execute("alter table transparency_leaves disable trigger never_changed")
        connection.execute("update transparency_leaves set version = version + 1 where position = 1")
        try:
            damage = asyncio.run(audited())
        finally:
            connection.execute("update transparency_leaves set version = version - 1 where position = 1")
            connection.execute("alter table transparency_leaves enable always trigger never_changed")
    assert damage is not None
    assert damage.kind == "transparency log"
    assert asyncio.run(audited()) is None


@pytest.fixture
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)
