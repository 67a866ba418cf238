"""A revoked token is worth nothing in any process, whatever became of Redis between them."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from redis import Redis

from service.accounts import accounts as accounts_module
from tests.service.client import Player
from tests.service.running import running_service, settings_for


@contextmanager
def hung(redis_url: str) -> Iterator[None]:
    """A Redis that keeps its connections and does not answer."""
    with Redis.from_url(redis_url) as redis:
        pid = redis.info()["process_id"]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def phone_of(ada: Player) -> tuple[str, dict[str, str]]:
    """Another token of hers: its id, and what is sent with it."""
    made = ada.post("/v1/me/tokens", {"label": "phone"}, keyed=True).json()
    return made["token_id"], {"Authorization": f"Bearer {made['token']}"}


def status_at(url: str, token: dict[str, str]) -> int:
    return httpx.get(f"{url}/v1/me", headers=token, timeout=30).status_code


@pytest.mark.parametrize("way", ["revoked", "erased"])
def test_while_redis_hangs_a_revocation_is_answered_once_it_holds_everywhere(
    database_url: str, redis_url: str, way: str
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as here, running_service(settings, worker=False) as there:
        ada = Player(here, "Ada")
        id_, phone = phone_of(ada)
        time.sleep(0.2)
        assert status_at(there, phone) == 200
        with hung(redis_url):
            begun = time.monotonic()
            assert status_at(there, phone) == 200
            path = f"/v1/me/tokens/{id_}" if way == "revoked" else "/v1/me"
            assert ada.http.delete(path).status_code == 204
            assert status_at(there, phone) == 401
            assert time.monotonic() - begun < 10
        assert status_at(there, phone) == 401
        Player.close_all()


class Line:
    """A line to Redis that can be frozen: connections stay open, and nothing passes either way."""

    def __init__(self, redis_url: str) -> None:
        self._path = unquote(urlsplit(redis_url).path)
        self.frozen = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        far_reader, far_writer = await asyncio.open_unix_connection(self._path)
        try:
            await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
        finally:
            for one in (writer, far_writer):
                one.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(1 << 16):
            while self.frozen:  # noqa: ASYNC110 - set by another thread
                await asyncio.sleep(0.01)
            with suppress(OSError):
                writer.write(piece)
                await writer.drain()
        writer.close()


async def test_a_process_that_hears_nothing_remembers_nothing_for_longer_than_five_seconds(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_module, "_REMEMBER_SECONDS", 60.0)  # the proof of the channel decides
    line = Line(redis_url)
    server = await asyncio.start_server(line.serve, "127.0.0.1", 0)
    cut_url = f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        await asyncio.to_thread(_then_it_forgets, database_url, redis_url, cut_url, line)
    finally:
        server.close()


def _then_it_forgets(database_url: str, redis_url: str, cut_url: str, line: Line) -> None:
    here, there = settings_for(database_url, redis_url), settings_for(database_url, cut_url)
    with running_service(here, worker=False) as first, running_service(there, worker=False) as second:
        ada = Player(first, "Ada")
        id_, phone = phone_of(ada)
        time.sleep(0.5)
        assert status_at(second, phone) == 200
        line.frozen = True
        try:
            begun = time.monotonic()
            assert ada.http.delete(f"/v1/me/tokens/{id_}").status_code == 204
            assert time.monotonic() - begun < 2
            while status_at(second, phone) == 200:
                time.sleep(0.1)
                assert time.monotonic() - begun < 6
        finally:
            line.frozen = False
        Player.close_all()
