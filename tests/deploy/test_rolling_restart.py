"""Two API processes behind nginx are restarted one after the other, and no caller notices."""

import random
import signal
import ssl
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx

from service.embedded import EmbeddedServers
from tests.deploy.nginx import Proxy, nginx
from tests.service.api_process import api_process
from tests.service.client import Player, choose_hearts
from tests.service.running import settings_for
from tests.service.test_processes import END_SECONDS

_TABLES: Final = 4


class _Caller(Player):
    """An account that talks to the proxy."""

    def __init__(self, proxy: Proxy, name: str, statuses: Counter[int]) -> None:
        def count(answer: httpx.Response) -> None:
            statuses[answer.status_code] += 1

        self.http = httpx.Client(
            base_url=f"https://127.0.0.1:{proxy.port}",
            verify=ssl.create_default_context(cafile=str(proxy.certificate)),
            headers={"Host": "cards.example"},
            timeout=30,
            event_hooks={"request": [_named], "response": [count]},
        )
        self._opened.append(self.http)
        made = self.post("/v1/players", {"name": name}, keyed=True)
        assert made.status_code == 201, made.text
        self.http.headers["Authorization"] = f"Bearer {made.json()['token']}"


def _named(request: httpx.Request) -> None:
    request.extensions["sni_hostname"] = "cards.example"


def _play(proxy: Proxy, seed: int, stopped: threading.Event, statuses: Counter[int], failed: list[str]) -> None:
    """Make tables and play at them until told to stop; everything has to succeed."""
    rng = random.Random(seed)
    try:
        players = [_Caller(proxy, f"Ada {seed}", statuses) for _ in range(4)]
        while not stopped.is_set():
            table = players[0].create("hearts")
            for player in players[1:]:
                player.sit(table)
            players[0].start(table)
            for turn in range(60):
                player = players[turn % 4]
                view = player.view(table)
                if view["you"]["decision"] is not None:
                    made = player.move(table, view["you"]["decision"], choose_hearts(view, rng))
                    assert made.status_code == 200, made.text
    except Exception as error:
        failed.append(repr(error))


def test_a_rolling_restart_is_not_noticed(module_database_url: str, servers: EmbeddedServers, tmp_path: Path) -> None:
    settings = settings_for(
        module_database_url,
        servers.redis_url,
        public_url="https://cards.example",
        trusted_proxies=("127.0.0.1",),
        drain_seconds=1,
        shutdown_seconds=60,  # what nginx keeps open in silence does not take that long
    )
    statuses: Counter[int] = Counter()
    failed: list[str] = []
    stopped = threading.Event()
    with ExitStack() as running:
        old = [ExitStack(), ExitStack()]
        for one in old:
            running.push(one)
        apis = [one.enter_context(api_process(settings)) for one in old]
        proxy = running.enter_context(nginx(tmp_path, *(api.port for api in apis)))
        callers = [
            threading.Thread(target=_play, args=(proxy, seed, stopped, statuses, failed)) for seed in range(_TABLES)
        ]
        for caller in callers:
            caller.start()
        try:
            time.sleep(1)
            for one, api in zip(old, apis, strict=True):
                asked = time.monotonic()
                api.process.send_signal(signal.SIGTERM)
                assert api.process.wait(30) == 0
                assert time.monotonic() - asked < settings.drain_seconds + END_SECONDS
                one.close()  # its port is free
                running.enter_context(api_process(settings, port=api.port))
            time.sleep(1)
        finally:
            stopped.set()
            for caller in callers:
                caller.join(60)
            Player.close_all()
    assert failed == []
    assert set(statuses) <= {200, 201}
    assert statuses[200] > 100, "there was a load"
