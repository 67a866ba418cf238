"""Audits and text records wait in a short line, and nothing of a match is loaded before its turn."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from service.records import records as records_module
from service.tables import pages as table_pages
from tests.service.client import Player, choose_hearts, play_match
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def match(service_url: str) -> Iterator[tuple[Player, str]]:
    """A match that is over."""
    ada = Player(service_url, "Ada")
    table = ada.create("hearts", options={"target_score": 1}, seats=3, bots=[1, 2])
    ada.start(table)
    play_match([ada], table, choose_hearts, random.Random(1))
    yield ada, table
    Player.close_all()


@pytest.mark.parametrize("text", [False, True])
def test_audits_and_texts_wait_in_a_short_line_and_load_in_their_turn(
    match: tuple[Player, str], monkeypatch: pytest.MonkeyPatch, text: bool
) -> None:
    ada, table = match
    name = "_rendered" if text else "_check"
    work, load = getattr(records_module, name), table_pages.pages
    begun, release, loaded = threading.Event(), threading.Event(), []

    def slow(*arguments: Any) -> Any:
        begun.set()
        release.wait(20)
        return work(*arguments)

    async def counted(*arguments: Any, **named: Any) -> Any:
        loaded.append(1)
        async for page in load(*arguments, **named):
            yield page

    monkeypatch.setattr(records_module, name, slow)
    monkeypatch.setattr(records_module, "pages", counted)
    path, headers = f"/v1/tables/{table}/" + ("record" if text else "audit"), {"Accept": "text/plain"} if text else {}
    with ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(ada.http.get, path, headers=headers) for _ in range(12)]
        try:
            assert begun.wait(20)
            until = time.monotonic() + 10
            while sum(one.done() for one in asked) < 7 and time.monotonic() < until:
                time.sleep(0.02)
            assert len(loaded) == 1, "of those that wait nothing is held"
            refused = [one.result() for one in asked if one.done()]
        finally:
            release.set()
        answered = [one.result() for one in asked]
    assert sorted(one.status_code for one in answered) == [200] * 5 + [503] * 7
    for one in refused:
        assert (one.status_code, code_of(one), one.headers["retry-after"]) == (503, "unavailable", "5")
