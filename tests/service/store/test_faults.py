"""Whatever happens to the connection or the server: nothing acknowledged is lost, nothing is twice."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID, uuid4

import psycopg
import pytest

from service.embedded import EmbeddedServers
from service.store.errors import StoreUnavailableError
from service.store.log import Log
from tests.service.store.given import first_event, following, given_stream, then_log_is_whole
from tests.service.store.opened import opened_log
from tests.service.store.proxy import Fault, Proxy, proxied

KILL = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'blattwerk' and datname = %s"


@pytest.fixture
async def proxy(database_url: str) -> AsyncIterator[tuple[Proxy, Log]]:
    """A log whose connections can be cut."""
    with TemporaryDirectory() as folder:
        async with proxied(database_url, Path(folder)) as (proxy, url), opened_log(url, timeout_seconds=20.0) as log:
            yield proxy, log


@pytest.mark.parametrize("fault", ["request", "answer"])
async def test_a_cut_during_the_commit_is_retried_without_doubling(
    proxy: tuple[Proxy, Log], database_url: str, fault: Fault
) -> None:
    line, log = proxy
    events = [first_event(uuid4()) for _ in range(40)]
    for round_ in range(5):
        line.order(fault)
        appended = await asyncio.gather(*map(log.append, events))
        assert all(result.accepted and result.version == round_ + 1 for result in appended)
        assert line.met == round_ + 1
        for event, result in zip(events, appended, strict=True):
            head = await log.find_last(event.stream)
            assert head is not None
            assert (head.command, head.position) == (event.command, result.position)
        events = [following(event) for event in events]
    assert then_log_is_whole(database_url) == 40 * 5


@pytest.mark.parametrize("fault", ["request", "answer"])
async def test_a_cut_during_the_creation_is_retried_without_doubling(
    proxy: tuple[Proxy, Log], database_url: str, fault: Fault
) -> None:
    line, log = proxy
    line.order(fault)
    stream = uuid4()
    assert await log.create_stream(first_event(stream), b"s" * 32)
    assert line.met == 1
    assert await log.secret(stream) == b"s" * 32
    assert then_log_is_whole(database_url) == 1


async def test_a_result_that_another_event_has_followed_is_still_recognised(
    proxy: tuple[Proxy, Log], database_url: str
) -> None:
    """Between the lost answer and the retry another process appends behind the event."""
    line, log = proxy
    (first,) = await given_stream(log, 1)
    line.order("silence")
    event = following(first)
    waiting = asyncio.create_task(log.append(event))
    await line.hit.wait()
    async with opened_log(database_url) as other:
        assert (await other.append(event)).accepted  # what the first process sent, as the server would have done it
        assert (await other.append(following(event))).accepted
    line.close()
    assert (await waiting).accepted
    assert then_log_is_whole(database_url) == 3


async def test_killed_connections_lose_and_double_nothing(database_url: str) -> None:
    acknowledged: list[UUID] = []
    killing = True

    async def writer(log: Log) -> None:
        event = first_event(uuid4())
        while killing:
            assert (await log.append(event)).accepted
            acknowledged.append(event.command)
            event = following(event)

    async def killer() -> None:
        nonlocal killing
        name = database_url.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(database_url, autocommit=True, application_name="killer") as connection:
            for _ in range(15):
                await asyncio.sleep(0.1)
                connection.execute(KILL, (name,))
        killing = False

    async with opened_log(database_url, timeout_seconds=30.0) as log:
        await asyncio.gather(killer(), *(writer(log) for _ in range(24)))
    assert then_log_is_whole(database_url, acknowledged) == len(acknowledged)


async def test_a_database_that_does_not_answer_is_unavailable_within_the_bound(database_url: str) -> None:
    with TemporaryDirectory() as folder:
        async with proxied(database_url, Path(folder)) as (line, url), opened_log(url, timeout_seconds=0.5) as log:
            (first,) = await given_stream(log, 1)
            line.order("silence", lasting=True)
            event, begun = following(first), time.monotonic()
            with pytest.raises(StoreUnavailableError):
                await log.append(event)
            assert time.monotonic() - begun < 3.0
            line.mend()
            async with asyncio.timeout(20):
                while True:
                    with suppress(StoreUnavailableError):
                        assert (await log.append(event)).accepted
                        break
                    await asyncio.sleep(0.05)  # a refusal while the database is known to be unavailable takes no turn
    assert then_log_is_whole(database_url) == 2


async def test_while_the_database_is_unavailable_callers_are_turned_away_and_afterwards_served(
    database_url: str,
) -> None:
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            async with proxied(database_url, Path(folder)) as (_, url):
                log = await stack.enter_async_context(opened_log(url, timeout_seconds=0.5))
                events = await given_stream(log, 1)
            assert await _refusals(log, first_event(uuid4()).stream) == 3
            begun = time.monotonic()
            for read in (log.read(events[0].stream), log.find_last(events[0].stream), log.ping()):
                with pytest.raises(StoreUnavailableError):
                    await read
            assert time.monotonic() - begun < 6.0
            begun = time.monotonic()
            with pytest.raises(StoreUnavailableError):  # known to be unavailable: nobody waits for it any more
                await log.append(following(events[0]))
            assert time.monotonic() - begun < 0.2
            (Path(folder) / ".s.PGSQL.5432").unlink(missing_ok=True)
            async with proxied(database_url, Path(folder)):
                deadline = time.monotonic() + 20
                while time.monotonic() < deadline:
                    try:
                        await log.append(following(events[0]))
                        break
                    except StoreUnavailableError:
                        await asyncio.sleep(0.05)
                assert [row.version for row in await log.read(events[0].stream)] == [1, 2]
    assert then_log_is_whole(database_url) == 2


async def _refusals(log: Log, stream: UUID) -> int:
    results = await asyncio.gather(
        *(log.append(first_event(stream if number == 0 else uuid4())) for number in range(3)), return_exceptions=True
    )
    return sum(isinstance(result, StoreUnavailableError) for result in results)


async def test_who_is_cancelled_while_the_database_goes_away_ends(proxy: tuple[Proxy, Log]) -> None:
    """A worker whose supervisor and database were killed together is asked to end in just that moment."""
    line, log = proxy
    line.order("silence", lasting=True)
    reading = asyncio.create_task(log.ping())
    await line.hit.wait()
    reading.cancel()
    await asyncio.sleep(0.05)  # psycopg tells the server that nobody waits any more
    line.close()
    line.mend()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asyncio.shield(reading), 10)
    assert reading.cancelled()


async def test_closing_does_not_wait_for_a_database_that_stays_unavailable(database_url: str) -> None:
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            async with proxied(database_url, Path(folder)) as (_, url):
                log = await stack.enter_async_context(opened_log(url, timeout_seconds=0.4))
            waiting = asyncio.create_task(log.append(first_event(uuid4())))
            await asyncio.sleep(0.05)
            await asyncio.wait_for(log.close(), 10)
            with pytest.raises(StoreUnavailableError):
                await waiting
    assert then_log_is_whole(database_url) == 0


class Writers:
    """Processes that append to the same streams."""

    def __init__(self, database_url: str, count: int, seconds: float, folder: Path) -> None:
        shared = [str(uuid4()) for _ in range(12)]
        command = (sys.executable, "-m", "tests.service.store.writer", database_url, "16", str(seconds), *shared)
        self._printed = [folder / str(number) for number in range(count)]
        self._processes: list[subprocess.Popen[bytes]] = []
        for path in self._printed:
            with path.open("wb") as out:
                self._processes.append(subprocess.Popen(command, stdout=out))

    def wait_until_ready(self) -> None:
        """Return when all of them append."""
        while not all("ready" in path.read_text() for path in self._printed):
            assert [process.poll() for process in self._processes] == [None] * len(self._processes)
            time.sleep(0.05)

    def acknowledged(self) -> list[UUID]:
        """Wait for their end and return the commands that were acknowledged."""
        commands: list[UUID] = []
        for process, path in zip(self._processes, self._printed, strict=True):
            assert process.wait(120) == 0
            first, *printed, last = path.read_text().split()
            assert (first, last) == ("ready", "done")
            commands += map(UUID, printed)
        return commands

    def kill(self) -> None:
        """End those that still run."""
        for process in self._processes:
            process.kill()
            process.wait()


@contextmanager
def writers(database_url: str, count: int, seconds: float) -> Iterator[Writers]:
    """Processes that append for so many seconds."""
    with TemporaryDirectory() as folder:
        processes = Writers(database_url, count, seconds, Path(folder))
        try:
            processes.wait_until_ready()
            yield processes
        finally:
            processes.kill()


def test_processes_with_overlapping_batches_never_deadlock(database_url: str) -> None:
    with writers(database_url, 3, 4.0) as processes:
        acknowledged = processes.acknowledged()
    assert len(acknowledged) > 100
    assert then_log_is_whole(database_url, acknowledged) == len(acknowledged)
    with psycopg.connect(database_url) as connection:
        deadlocks = connection.execute("select deadlocks from pg_stat_database where datname = current_database()")
        assert deadlocks.fetchone() == (0,)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT], ids=["fast shutdown", "crash"])
def test_a_restart_of_the_server_in_the_middle_of_the_load_loses_and_doubles_nothing(
    servers: EmbeddedServers, database_url: str, number: signal.Signals
) -> None:
    with writers(database_url, 2, 6.0) as processes:
        for _ in range(2):
            time.sleep(1.5)
            pid = servers.postgres.pid
            assert pid is not None
            os.kill(pid, number)
            while servers.postgres.pid == pid:
                time.sleep(0.01)
            servers.restart_dead()
        acknowledged = processes.acknowledged()
    assert len(acknowledged) > 50
    assert then_log_is_whole(database_url, acknowledged) >= len(acknowledged)
