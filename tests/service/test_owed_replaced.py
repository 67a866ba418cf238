"""Redis that is not the one it was: a late replica takes over, an older dump is loaded, keys have other types."""

import os
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from redis import Redis

from projections.checkpoints import DEPARTURES, NAMES
from service.composition import opened
from service.embedded import EmbeddedServers, embedded_servers
from service.store.migrations import migrate
from tests.service.client import Player, choose_hearts
from tests.service.running import running_service, settings_for
from tests.service.test_drafts_http import started
from tests.service.test_lost_private_streams import on_turn_and_waiting, sort_hand
from tests.service.test_owed import Running, running, until

__all__ = ["running"]

BEHIND_SECONDS: Final = 1.5
"""In this time what is written is behind the checkpoint."""


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[EmbeddedServers]:
    """Servers of this test alone, which it stops."""
    with embedded_servers(tmp_path / "data", durable=False) as servers:
        migrate(servers.database_url)
        yield servers
        Player.close_all()


@contextmanager
def running_on(servers: EmbeddedServers) -> Iterator[Running]:
    settings = settings_for(servers.database_url, servers.redis_url)
    with (
        running_service(settings) as first,
        running_service(settings) as second,
        Redis.from_url(servers.redis_url) as redis,
    ):
        assert servers.redis.pid is not None
        until(lambda: any(redis.scan_iter("bw:*:checkpoint:views")), time.monotonic() + 10)
        yield Running((first, second), servers.database_url, servers.redis_url, redis, servers.redis.pid)


class Played:
    """Tables of every kind, as they were before Redis went back and as they are in the log."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.ada, self.ben = Player(running.urls[0], "Ada Before"), Player(running.urls[1], "Ben")
        self.playing = self.ada.create("hearts", options={"target_score": 30}, bots=[1, 2, 3])
        self.waiting = self.ada.create("hearts", bots=[1, 2])
        self.left = self.ben.create("hearts", bots=[1, 2])
        self.people, self.private = started(running.urls[0])
        _, self.sorter = on_turn_and_waiting(self.people, self.private)
        sort_hand(self.sorter, self.private, "suit")
        self.settled()

    def settled(self) -> None:
        running = self.running
        until(lambda: running.shown() == running.versions() and not running.bots_wait(), time.monotonic() + 10)
        time.sleep(BEHIND_SECONDS)

    def go_on(self) -> None:
        """Let everything change that Redis keeps: moves, seats, names, lists, bots, what a seat keeps to itself."""
        rng = random.Random(1)
        self.ada.start(self.playing)
        for _ in range(2):
            until(lambda: self.ada.view(self.playing)["you"]["decision"] is not None, time.monotonic() + 5)
            view = self.ada.view(self.playing)
            assert self.ada.move(self.playing, view["you"]["decision"], choose_hearts(view, rng)).status_code == 200
        self.ben.sit(self.waiting)
        assert self.ben.http.delete(f"/v1/tables/{self.left}/seats/me").status_code == 204
        assert self.ada.http.patch("/v1/me", json={"name": "Ada After"}).status_code == 200
        self.new = self.ada.create("hearts", bots=[1])
        self.seen = sort_hand(self.sorter, self.private, "rank")["you"]
        self.settled()

    def then_right(self) -> None:
        """At once everybody sees his own moves; within two seconds everything is right, and equals a rebuild."""
        since, running = time.monotonic(), self.running
        view = self.ada.view(self.playing)
        if view["you"]["decision"] is not None:
            assert self.ada.move(
                self.playing, view["you"]["decision"], choose_hearts(view, random.Random(2))
            ).is_success
        assert self.ada.http.get("/v1/tables", params={"status": "lobby"}).status_code == 200

        def right() -> bool:
            if any(running.redis.type(key) == b"string" for key in running.redis.scan_iter("bw:*:*")):
                return False
            names = {self.ben.view(table)["seats"][0]["name"] for table in (self.playing, self.waiting, self.new)}
            key = f"{running.prefix}{{{self.private}}}"
            private = running.redis.hget(key, f"private:{self.seen['seat']}")
            return (names, private) == ({"Ada After"}, b"2") and not running.bots_wait()

        until(right, since + 2.0)
        assert self.sorter.view(self.private)["you"] == self.seen
        running.then_paid(since)
        listed = {
            status: {
                item["table"] for item in self.ada.http.get("/v1/tables", params={"status": status}).json()["items"]
            }
            for status in ("lobby", "running", "closed")
        }
        running_now = {self.playing, self.private}
        assert listed == {"lobby": {self.waiting, self.new}, "running": running_now, "closed": {self.left}}


def test_a_server_that_was_restarted_with_an_older_dump_is_brought_up_to_date(own_servers: EmbeddedServers) -> None:
    with running_on(own_servers) as running:
        played = Played(running)
        running.redis.save()
        played.go_on()
        own_servers.redis.stop()
        own_servers.redis.start()
        assert not has_view(running.redis, running, played.new), "the dump is older"
        played.then_right()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def replica_of(servers: EmbeddedServers, folder: Path) -> Iterator[Any]:
    """A second server that has what the first one has, and hears of nothing more."""
    assert servers.redis.pid is not None
    port, path = free_port(), folder / "replica.sock"
    options = {"port": "0", "unixsocket": str(path), "dir": str(folder), "save": "", "replicaof": f"127.0.0.1 {port}"}
    program = os.readlink(f"/proc/{servers.redis.pid}/exe")
    command = [program, *[part for name, value in options.items() for part in (f"--{name}", *value.split(" "))]]
    with Redis.from_url(servers.redis_url) as primary, Redis(unix_socket_path=str(path)) as replica:
        primary.config_set("port", port)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                until(lambda: linked(replica), time.monotonic() + 20)
                primary.wait(1, 5000)
                primary.config_set("port", 0)
                primary.client_kill_filter(_type="replica")
                until(lambda: not linked(replica), time.monotonic() + 5)
                yield replica
            finally:
                process.kill()


def linked(replica: Any) -> bool:
    try:
        return bool(replica.info("replication")["master_link_status"] == "up")
    except (OSError, KeyError, ConnectionError):
        return False


def test_a_replica_that_was_late_is_brought_up_to_date_when_it_takes_over(
    own_servers: EmbeddedServers, tmp_path: Path
) -> None:
    with running_on(own_servers) as running:
        played = Played(running)
        path = running.redis.connection_pool.connection_kwargs["path"]
        with replica_of(own_servers, tmp_path) as replica:
            played.go_on()
            own_servers.redis.stop()
            replica.execute_command("REPLICAOF", "NO", "ONE")
            assert not has_view(replica, running, played.new), "the replica is late"
            os.rename(replica.connection_pool.connection_kwargs["path"], path)
            played.then_right()


def has_view(redis: Any, running: Running, table: str) -> bool:
    return bool(redis.exists(f"{running.prefix}{{{table}}}"))


async def test_a_rebuild_keeps_how_far_names_have_been_followed(database_url: str, redis_url: str) -> None:
    async with opened(settings_for(database_url, redis_url)) as services:  # no worker follows them meanwhile
        checkpoints, followed = services.redis.checkpoints, {NAMES: {0: 7}, DEPARTURES: {0: 5}}
        for projection, reached in followed.items():
            await checkpoints.advance(projection, reached)
        _, generation = await services.worker.rebuild()
        assert services.redis.generations.current == generation
        assert {projection: await checkpoints.read(projection) for projection in followed} == followed


def of_another_type(redis: Any, key: bytes) -> None:
    """Let a key hold what it never holds."""
    kind = redis.type(key)
    redis.delete(key)
    if kind == b"string":
        redis.rpush(key, "somebody else's")
    else:
        redis.set(key, "somebody else wrote this")


EVERY_KEY: Final = "*"
OF_ANOTHER_TYPE: Final = (EVERY_KEY, "1:{????????-*}", "1:tables:*", "1:player:*", "1:bots", "generation", "log")


@pytest.mark.parametrize("keys", OF_ANOTHER_TYPE)
def test_keys_of_another_type_are_made_anew(running: Running, keys: str) -> None:
    played = Played(running)
    played.go_on()
    prefix = running.prefix.removesuffix("1:")
    if keys == "1:bots":
        running.redis.zadd(prefix + keys, {"nobody": 2**52})
    changed: list[bytes] = list(running.redis.scan_iter(prefix + keys))
    assert changed
    for key in changed:
        of_another_type(running.redis, key)
    played.then_right()
    kinds = {running.redis.type(key) for key in running.redis.scan_iter(prefix + "log")}
    assert kinds == {b"hash"}


def not_ours(redis: Any, key: bytes) -> None:
    """Let a key hold what its type allows and we never wrote."""
    kind = redis.type(key)
    if kind == b"hash" and redis.hexists(key, "visibility"):
        redis.hdel(key, "visibility")
        redis.hset(key, "version", "junk")
    elif kind == b"hash":
        redis.hset(key, mapping=dict.fromkeys(redis.hkeys(key), "{junk") | {"junk": "junk"})
    elif kind == b"zset":
        redis.zadd(key, {"junk": 1, b"\xff\xfe": 2})
    elif kind == b"set":
        redis.sadd(key, b"\xff\xfe", "junk")
    else:
        redis.set(key, "junk")


@pytest.mark.parametrize("keys", OF_ANOTHER_TYPE)
def test_keys_with_junk_are_made_anew_once_somebody_reads_them(running: Running, keys: str) -> None:
    played = Played(running)
    played.go_on()
    prefix = running.prefix.removesuffix("1:")
    if keys == "1:bots":
        running.redis.zadd(prefix + keys, {"nobody": 2**52})
    for key in list(running.redis.scan_iter(prefix + keys)):
        not_ours(running.redis, key)

    def right() -> bool:
        tables = (played.playing, played.waiting, played.new)
        statuses = [
            player.http.get(f"/v1/tables/{table}").status_code
            for player in (played.ada, played.ben)
            for table in tables
        ]
        statuses += [
            played.ada.http.get("/v1/tables", params={"status": status}).status_code
            for status in ("lobby", "running", "closed")
        ]
        statuses.append(played.ada.http.patch("/v1/me", json={"name": "Ada Last"}).status_code)
        assert set(statuses) == {200}
        try:
            return running.shown() == running.versions() and not running.bots_wait()
        except ValueError:
            return False

    until(right, time.monotonic() + 6)
    for url in running.urls:
        ada = Player(url, "Ada Later")
        new = ada.create("hearts", bots=[1, 2, 3])
        ada.start(new)
        until(lambda ada=ada, new=new: ada.view(new)["you"]["decision"] is not None, time.monotonic() + 5)  # type: ignore[misc]
