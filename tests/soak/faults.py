"""Everything that can break, by name: each fault happens, lasts so many seconds, and is mended as far as it has to be.

What starts again by itself in a real installation (a service under an init system, a server) is started by
`System.mend` afterwards.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from random import Random
from typing import Any, Final, NamedTuple

import psutil
import psycopg
import redis

from service.store.buckets import BUCKETS
from tests.soak.clocks import MACHINES, Clocks, Machine
from tests.soak.servers import Disk, frozen, kill, stopped
from tests.soak.system import API, WATCHER, WORKER, System

_MINUTE: Final = 60
_DAY: Final = 24 * 60 * _MINUTE
_SLOW_MILLISECONDS: Final = 150
_FROZEN_SECONDS_MAX: Final = 6.0
"""A process that answers stands still no longer than this: while it does, nobody can answer for it."""


class Fault(NamedTuple):
    """One way to break things."""

    happen: Callable[[System, Random, float], None]
    """Break for so many seconds, and mend."""
    answers_may_be_lost: bool = False
    """Whether it ends or hangs processes that answer: connections to them may be closed without an answer."""
    keys_may_expire: bool = False
    """Whether a day may pass on the database's clock: the key of an account is then refused as too old."""
    needs: Callable[[], str | None] = lambda: None
    """Why it cannot be done on this machine, None if it can."""


# --- processes -----------------------------------------------------------------------------------


def _kill_one(words: str) -> Callable[[System, Random, float], None]:
    def happen(system: System, rng: Random, seconds: float) -> None:
        process = system.one_of(rng, words)
        if process is not None:
            process.kill()
        time.sleep(seconds)

    return happen


def _kill_service(system: System, rng: Random, seconds: float) -> None:
    rng.choice(system.services).kill_supervisor()
    time.sleep(seconds)


def _kill_all(system: System, rng: Random, seconds: float) -> None:
    for service in system.services:
        service.kill()
    kill(system.database.primary)
    kill(system.redis)


def _restart_in_turn(system: System, rng: Random, seconds: float) -> None:
    for service in system.services:
        service.stop()
        system.mend(60)


def _freeze_api(system: System, rng: Random, seconds: float) -> None:
    process = system.one_of(rng, API)
    with stopped(*([] if process is None else [process])):
        time.sleep(min(seconds, _FROZEN_SECONDS_MAX))


# --- PostgreSQL ----------------------------------------------------------------------------------


def _kill_database(system: System, rng: Random, seconds: float) -> None:
    pid = system.database.primary.pid
    if pid is not None:
        process = psutil.Process(pid)
        process.kill()  # what it has started notices by itself
        process.wait(10)


def _kill_backend(system: System, rng: Random, seconds: float) -> None:
    with system.database.primary.connect() as connection:
        rows = connection.execute(
            "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
        ).fetchall()
        if rows:
            psutil.Process(rng.choice(rows)[0]).kill()
    time.sleep(seconds)


def _cut_connections(system: System, rng: Random, seconds: float) -> None:
    until = time.monotonic() + seconds
    with system.database.primary.connect() as connection:
        while time.monotonic() < until:
            _end_sessions(connection)
            time.sleep(0.5)


def _end_sessions(connection: psycopg.Connection[Any]) -> None:
    connection.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity "
        "where datname = current_database() and pid <> pg_backend_pid() and application_name = 'blattwerk'"
    )


def _freeze_database(system: System, rng: Random, seconds: float) -> None:
    with frozen(system.database.primary):
        time.sleep(seconds)


def _use_up_connections(system: System, rng: Random, seconds: float) -> None:
    """Take every connection there is, also those of the services."""
    until = time.monotonic() + seconds
    with ExitStack() as taken:
        ending = taken.enter_context(system.database.primary.connect())
        while time.monotonic() < until:
            with suppress(psycopg.OperationalError):
                while True:
                    taken.enter_context(system.database.primary.connect())
            _end_sessions(ending)


def _fill_disk(system: System, rng: Random, seconds: float) -> None:
    """Leave no room, neither for tables nor, half of the times, for the write-ahead log."""
    disk = system.disks[system.database.primary]
    disk.fill()
    until = time.monotonic() + seconds
    try:
        if rng.random() < 0.5:
            with suppress(psycopg.Error), system.database.primary.connect() as connection:
                for _ in range(200):
                    connection.execute("select pg_switch_wal() from pg_logical_emit_message(false, 'soak', 'full')")
        time.sleep(max(0.0, until - time.monotonic()))
    finally:
        disk.free()


def _lock(system: System, buckets: list[int], seconds: float) -> None:
    with psycopg.connect(system.database.primary.url, connect_timeout=5) as forgotten:
        forgotten.execute("select from buckets where bucket = any(%s) for update", (buckets,))
        time.sleep(seconds)
        forgotten.rollback()


def _lock_one(system: System, rng: Random, seconds: float) -> None:
    with system.database.primary.connect() as connection:
        rows = connection.execute("select bucket from events order by received_at desc limit 1").fetchall()
    _lock(system, [bucket for (bucket,) in rows], seconds)


def _lock_all(system: System, rng: Random, seconds: float) -> None:
    _lock(system, list(range(BUCKETS)), seconds)


def _make_read_only(system: System, rng: Random, seconds: float) -> None:
    """Let all sessions, running ones too, be as those of a server that takes no writes."""
    with system.database.primary.connect() as connection:
        connection.execute("alter system set default_transaction_read_only = on")
        connection.execute("select pg_reload_conf()")
        try:
            time.sleep(seconds)
        finally:
            connection.execute("alter system reset default_transaction_read_only")
            connection.execute("select pg_reload_conf()")


# --- a standby takes over ------------------------------------------------------------------------


def _promote_after_kill(system: System, rng: Random, seconds: float) -> None:
    database = system.database
    database.make_standby()
    kill(database.primary)
    time.sleep(seconds / 2)
    database.promote()
    time.sleep(seconds / 2)


def _promote_after_stop(system: System, rng: Random, seconds: float) -> None:
    database = system.database
    database.make_standby()
    database.primary.stop()
    time.sleep(seconds / 2)
    database.promote()
    time.sleep(seconds / 2)


def _promote_while_frozen(system: System, rng: Random, seconds: float) -> None:
    database = system.database
    database.make_standby()
    with frozen(database.primary):
        time.sleep(seconds / 2)
        database.promote()
        time.sleep(seconds / 2)
        kill(database.other)  # it is fenced before it wakes up


def _thaw_after_promotion(system: System, rng: Random, seconds: float) -> None:
    """Let the old primary run on beside the new one, as nobody fenced it."""
    database = system.database
    database.make_standby()
    with frozen(database.primary):
        time.sleep(seconds / 4)
        database.promote()
        time.sleep(seconds / 4)
    time.sleep(seconds / 2)
    kill(database.other)


# --- Redis ---------------------------------------------------------------------------------------


@contextmanager
def _redis(system: System) -> Iterator[Any]:
    with redis.Redis.from_url(system.redis.url, socket_timeout=10) as connection:
        yield connection


def _kill_redis(system: System, rng: Random, seconds: float) -> None:
    kill(system.redis)


def _take_redis_away(system: System, rng: Random, seconds: float) -> None:
    kill(system.redis)
    time.sleep(seconds)


def _empty_redis(system: System, rng: Random, seconds: float) -> None:
    until = time.monotonic() + seconds
    with _redis(system) as connection:
        while time.monotonic() < until:
            connection.flushall()
            time.sleep(1)


def _freeze_redis(system: System, rng: Random, seconds: float) -> None:
    with frozen(system.redis):
        time.sleep(seconds)


def _slow_redis(system: System, rng: Random, seconds: float) -> None:
    """Let each round trip take up to a sixth of a second."""
    until = time.monotonic() + seconds
    with _redis(system) as connection:
        while time.monotonic() < until:
            connection.execute_command("CLIENT", "PAUSE", _SLOW_MILLISECONDS, "ALL")
            connection.ping()  # answered after the pause, as all that has come meanwhile


def _fill_redis(system: System, rng: Random, seconds: float) -> None:
    with _redis(system) as connection:
        before = connection.config_get("maxmemory", "maxmemory-policy")
        connection.config_set("maxmemory-policy", "noeviction")
        connection.config_set("maxmemory", 1)
        try:
            time.sleep(seconds)
        finally:
            for name in ("maxmemory", "maxmemory-policy"):  # in this order, else everything that expires is evicted
                connection.config_set(name, before[name])


def _make_redis_read_only(system: System, rng: Random, seconds: float) -> None:
    with _redis(system) as connection:
        connection.execute_command("REPLICAOF", "127.0.0.1", "1")
        connection.config_set("replica-serve-stale-data", "yes")
        try:
            time.sleep(seconds)
        finally:
            connection.execute_command("REPLICAOF", "NO", "ONE")


def _freeze_both(system: System, rng: Random, seconds: float) -> None:
    with frozen(system.database.primary), frozen(system.redis):
        time.sleep(seconds)


# --- clocks --------------------------------------------------------------------------------------


def _step_clocks(unit: int, most: int) -> Callable[[System, Random, float], None]:
    """Set the clock of each machine in turn ahead or back by up to so many units, and right again."""

    def happen(system: System, rng: Random, seconds: float) -> None:
        machines: list[Machine] = rng.sample(MACHINES, len(MACHINES))
        assert system.clocks is not None
        try:
            for machine in machines:
                system.clocks.step(machine, rng.choice((-1, 1)) * rng.randint(1, most) * unit)
                time.sleep(seconds / len(machines))
        finally:
            for machine in machines:
                system.clocks.step(machine, 0)

    return happen


FAULTS: Final[dict[str, Fault]] = {
    "api-killed": Fault(_kill_one(API), answers_may_be_lost=True),
    "api-watcher-killed": Fault(_kill_one(WATCHER), answers_may_be_lost=True),
    "api-frozen": Fault(_freeze_api),
    "worker-killed": Fault(_kill_one(WORKER)),
    "service-killed": Fault(_kill_service, answers_may_be_lost=True),
    "services-restarted": Fault(_restart_in_turn, answers_may_be_lost=True),
    "all-killed": Fault(_kill_all, answers_may_be_lost=True),
    "database-killed": Fault(_kill_database),
    "backend-killed": Fault(_kill_backend),
    "connections-cut": Fault(_cut_connections),
    "database-frozen": Fault(_freeze_database),
    "connections-used-up": Fault(_use_up_connections),
    "disk-full": Fault(_fill_disk, needs=Disk.missing),
    "bucket-locked": Fault(_lock_one),
    "buckets-locked": Fault(_lock_all),
    "sessions-read-only": Fault(_make_read_only),
    "standby-after-kill": Fault(_promote_after_kill),
    "standby-after-freeze": Fault(_promote_while_frozen),
    "standby-after-stop": Fault(_promote_after_stop),
    "old-primary-thawed": Fault(_thaw_after_promotion),
    "redis-killed": Fault(_kill_redis),
    "redis-away": Fault(_take_redis_away),
    "redis-emptied": Fault(_empty_redis),
    "redis-frozen": Fault(_freeze_redis),
    "redis-slow": Fault(_slow_redis),
    "redis-full": Fault(_fill_redis),
    "redis-read-only": Fault(_make_redis_read_only),
    "both-frozen": Fault(_freeze_both),
    "clocks-minutes": Fault(_step_clocks(_MINUTE, 30), needs=Clocks.missing),
    "clocks-days": Fault(_step_clocks(_DAY, 5), keys_may_expire=True, needs=Clocks.missing),
}
"""By the names that the command line takes."""
