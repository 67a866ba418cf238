"""Records over HTTP: taken after the match, verified by a stranger at the command line."""

import gzip
import json
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from service.records import records
from tests.service.client import Player, choose_hearts, in_log, play_match
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo")]


@pytest.fixture(scope="module")
def finished(people: list[Player]) -> str:
    table = people[0].create("hearts", options={"players": 3, "target_score": 20})
    people[1].sit(table, client_seed="5e" * 32)
    people[2].sit(table)
    people[0].start(table)
    running = people[0].http.get(f"/v1/tables/{table}/record")
    assert (running.status_code, code_of(running)) == (409, "match_running")
    play_match(people, table, choose_hearts, random.Random(11))
    in_log(people[0], table)
    return table


def verified(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "service.verify", str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_stranger_verifies_the_record_without_the_service(
    people: list[Player], finished: str, tmp_path: Path
) -> None:
    taken = people[2].http.get(f"/v1/tables/{finished}/record")
    assert taken.status_code == 200
    assert taken.headers["content-type"] == "application/vnd.blattwerk.record+json;v=1"
    assert taken.headers["content-encoding"] == "gzip"
    (tmp_path / "match.json").write_bytes(taken.content)
    result = verified(tmp_path / "match.json")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("The record verifies.\n")
    report = json.loads(verified(tmp_path / "match.json", "--json").stdout)
    assert {check["status"] for check in report["checks"]} == {"pass"}
    (tmp_path / "forged.json").write_bytes(taken.content.replace(b'"totals":[', b'"totals":[9', 1))
    forged = verified(tmp_path / "forged.json")
    assert forged.returncode == 1
    assert "fail      result" in forged.stdout
    assert verified(tmp_path / "nothing.json").returncode == 2
    key = people[0].http.get("/v1/log/entries").json()["key"]
    assert verified(tmp_path / "match.json", "--key", key).returncode == 0
    other = verified(tmp_path / "match.json", "--key", key.replace("+", "+0", 1))
    assert other.returncode == 1
    assert "fail      head: the record is signed by another key" in other.stdout
    packed = gzip.compress(taken.content)
    (tmp_path / "packed.gz").write_bytes(packed)
    assert verified(tmp_path / "packed.gz").returncode == 0
    (tmp_path / "twice.gz").write_bytes(packed + gzip.compress(b"another record"))
    assert verified(tmp_path / "twice.gz").returncode == 2


def test_the_record_is_the_same_for_everybody_and_every_time(
    people: list[Player], finished: str, service_url: str
) -> None:
    first = people[0].http.get(f"/v1/tables/{finished}/record").content
    assert people[1].http.get(f"/v1/tables/{finished}/record").content == first
    plain = people[1].http.get(f"/v1/tables/{finished}/record", headers={"Accept-Encoding": "identity"})
    assert plain.content == first
    assert "content-encoding" not in plain.headers
    with httpx.stream(
        "GET",
        f"{service_url}/v1/tables/{finished}/record",
        headers={"Authorization": f"Bearer {people[0].token}", "Accept-Encoding": "gzip"},
    ) as raw:
        packed = b"".join(raw.iter_raw())
    assert len(packed) < len(first) / 2


def test_people_read_the_record_as_text(people: list[Player], finished: str) -> None:
    taken = people[0].http.get(f"/v1/tables/{finished}/record", headers={"Accept": "text/plain"})
    assert taken.headers["content-type"].startswith("text/plain")
    assert taken.text.startswith(f'[Table "{finished}"]\n[Rules "hearts/1"]\n')
    assert "\n4. seat 0 start\n" in taken.text
    assert " play card=2C\n" in taken.text
    refused = people[0].http.get(f"/v1/tables/{finished}/record", headers={"Accept": "image/png"})
    assert (refused.status_code, code_of(refused)) == (406, "not_acceptable")


def test_the_service_audits_a_table_and_the_log(people: list[Player], finished: str) -> None:
    report = people[1].http.get(f"/v1/tables/{finished}/audit").json()
    assert report["ok"] is True
    assert [check["status"] for check in report["checks"]] == ["pass"] * 14


def test_nobody_waits_while_a_match_is_audited(
    people: list[Player], finished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, others_served = threading.Event(), threading.Event()

    def take_long(name: str) -> None:
        work = getattr(records, name)

        def waiting(*given: Any, **named: Any) -> Any:
            going_on.set()
            assert others_served.wait(10)
            return work(*given, **named)

        monkeypatch.setattr(records, name, waiting)

    take_long("_check")
    take_long("_rendered")
    for path, accept in (("audit", "*/*"), ("record", "text/plain")):
        going_on.clear()
        others_served.clear()
        with ThreadPoolExecutor(1) as sender:
            asked = sender.submit(
                people[0].http.get, f"/v1/tables/{finished}/{path}", headers={"Accept": accept}, timeout=30
            )
            assert going_on.wait(10)
            people[1].http.get("/v1/me", timeout=5)
            others_served.set()
            assert asked.result().status_code == 200


def test_a_changed_log_is_found(people: list[Player], finished: str, module_database_url: str) -> None:
    """The log refuses every change; somebody who owns the server's disk could still make one."""
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute("alter table events disable trigger never_changed")
        connection.execute(
            "update events set sealed = replace(sealed, '\"2C\"', '\"3C\"') where stream = %s and type = 'start'",
            (finished,),
        )
        try:
            report = people[1].http.get(f"/v1/tables/{finished}/audit").json()
        finally:
            connection.execute("alter table events enable always trigger never_changed")
    assert report["ok"] is False
    assert "seals" in [check["name"] for check in report["checks"] if check["status"] == "fail"]
