"""The one place that talks to Redis: writes and reads projections, wakes the worker.

Keys begin with `bw:<generation>:`. Redis may be empty, behind or away at any time: `RedisUnavailableError`
says so, and the caller folds from the log instead.

    bw:generation                          hash: current, next (while a rebuild runs)
    bw:<g>:{<table>}                       hash: one table (see redis_scripts)
    bw:<g>:tables:<game or *>:<status>     sorted set of public tables, by name `<created>:<table>`
    bw:<g>:player:<account>                set of tables in which the account holds a seat
    bw:<g>:bots                            sorted set of tables that wait for a bot, by time
    bw:<g>:wake                            sorted set, popped by workers: tables with bots to act
    bw:<g>:{standings}:...                 standings (see standings)
    bw:folds:{<table>}                     hash of folds by version (see snapshots); the same in every generation
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from hiredis import pack_command
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from projections.coalescer import Coalescer
from projections.redis_commands import (
    VIEW_TTL_SECONDS,
    RedisUnavailableError,
    TableSeen,
    WriteRequest,
    Written,
    apply_command,
    list_commands,
    seen,
    written,
)
from projections.redis_line import RedisLine
from projections.redis_scripts import APPLY, READ

_ANSWER_SECONDS: Final = 2.0
_DOWN_SECONDS: Final = 0.5
"""How long Redis is left alone after it failed, so that requests do not queue for its time-outs."""
_REFRESH_SECONDS: Final = 1.0
_CLOSE_SECONDS: Final = 2.0
"""How long closing waits for a Redis that may be away."""
DOUBLE_WRITE_SECONDS: Final = 2.5
"""After this time every process writes to a generation that was announced."""


class RedisStore:
    """Projections in Redis. One per process."""

    def __init__(self, url: str, *, generation: int = 1) -> None:
        self._redis: Any = Redis.from_url(
            url, socket_timeout=_ANSWER_SECONDS, socket_connect_timeout=1.0, retry=Retry(NoBackoff(), 1), protocol=2
        )
        self.generation = generation
        self._next: int | None = None
        self.complete = False
        """Whether the generation holds every table, not only those written since Redis was emptied."""
        self._idle: list[RedisLine] = []
        """Connections for exchanges, not in the pool while they are here."""
        self._down_until = 0.0
        self._apply_sha = ""
        self._read_sha = ""
        self._writes: Coalescer[WriteRequest, Written] = Coalescer(self._exchange_writes)
        self._reads: Coalescer[tuple[str, str, int, int, str], TableSeen | None] = Coalescer(self._exchange_reads)
        self._refresher: asyncio.Task[None] | None = None
        self._listener: asyncio.Task[None] | None = None
        self.listening = False
        """Whether messages of other processes arrive."""

    async def open(self) -> None:
        """Load the scripts and learn the generation; a Redis that is away is no error."""
        with suppress(RedisUnavailableError):
            await self.refresh()
        self._refresher = asyncio.create_task(self._keep_fresh())

    async def close(self) -> None:
        """Finish what was asked and close the connections."""
        running = [task for task in (self._refresher, self._listener) if task is not None]
        for task in running:
            task.cancel()
        if running:  # each closes its connection before the pool does
            await asyncio.wait(running, timeout=_CLOSE_SECONDS)
        await self._writes.close()
        await self._reads.close()
        while self._idle:
            await self._give_up(self._idle.pop())
        await self._redis.aclose()

    @property
    def away(self) -> bool:
        """Whether Redis failed a moment ago."""
        return time.monotonic() < self._down_until

    async def refresh(self) -> None:
        """Learn the generation from Redis, and load the scripts if they are gone."""
        try:
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.hmget("bw:generation", ["current", "next"])
                pipe.script_load(APPLY)
                pipe.script_load(READ)
                (current, following), self._apply_sha, self._read_sha = await pipe.execute()
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        self._down_until = 0.0
        self.complete = current is not None
        if current is not None:
            self.generation = int(current)
        self._next = int(following) if following is not None else None

    async def ping(self) -> None:
        """RedisUnavailableError if Redis does not answer."""
        try:
            await self._redis.ping()
        except (RedisError, OSError) as error:
            raise self._failed(error) from error

    # messages between processes

    def listen(self, on_message: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        """Call `on_message` for what other processes `tell`; `on_gap` when some of it may have been missed."""
        self._listener = asyncio.create_task(self._listen(on_message, on_gap))

    async def tell(self, message: str) -> None:
        """Send a short message to all processes."""
        try:
            await self._redis.publish("bw:tell", message)
        except (RedisError, OSError) as error:
            raise self._failed(error) from error

    async def _listen(self, on_message: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe("bw:tell")
                    on_gap()
                    self.listening = True
                    while True:
                        message = await channel.get_message(timeout=1.0)
                        if message is not None:
                            on_message(message["data"].decode())
            except (RedisError, OSError):
                self.listening = False
                on_gap()
                await asyncio.sleep(_DOWN_SECONDS)

    # tables

    def write(self, request: WriteRequest) -> Awaitable[Written]:
        """Write a table's projection; an older one never overwrites a newer one (`old`).

        `notes`: Redis has a seat's part made from newer private notes; load them and write again. `gap`: Redis has
        lost what the projection is a change of; load all private notes, of which it may have had newer ones,
        and write the whole.
        """
        if self.away:
            raise RedisUnavailableError
        return self._writes.submit(request)

    def read(self, table: str, account: str, version: int, notes: int, names: str) -> Awaitable[TableSeen | None]:
        """Return the view of a table for an account (`''` for none), None if Redis does not have it.

        With the `version`, `notes` and `names` the caller has (-1 and '' for none) its bytes are left out.
        """
        if self.away:
            raise RedisUnavailableError
        return self._reads.submit((table, account, version, notes, names))

    async def forget(self, table: str) -> None:
        """Drop a table's view, so that the next read folds it anew."""
        try:
            await self._redis.delete(f"bw:{self.generation}:{{{table}}}")
        except (RedisError, OSError) as error:
            raise self._failed(error) from error

    async def versions(self, tables: Sequence[str]) -> list[int]:
        """Return the version that is shown of each table, in view and lists; 0 where there is none."""
        try:
            async with self._redis.pipeline(transaction=False) as pipe:
                for table in tables:
                    pipe.hmget(f"bw:{self.generation}:{{{table}}}", ["version", "lists", "listed"])
                shown = await pipe.execute()
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        return [int(version or 0) if lists == listed else 0 for version, lists, listed in shown]

    # snapshots

    async def keep_snapshot(self, table: str, version: int, content: bytes) -> None:
        """Keep a table's fold at a version."""
        key = f"bw:folds:{{{table}}}"
        await self.exchange(("HSET", key, version, content), ("EXPIRE", key, VIEW_TTL_SECONDS))

    async def snapshots(self, table: str) -> list[int]:
        """Return the versions of a table whose folds are kept, in no order."""
        (versions,) = await self.exchange(("HKEYS", f"bw:folds:{{{table}}}"))
        return [int(version) for version in versions if version.isdigit()]

    async def snapshot(self, table: str, version: int) -> bytes | None:
        """Return a kept fold, None if it is gone."""
        content: bytes | None
        (content,) = await self.exchange(("HGET", f"bw:folds:{{{table}}}", version))
        return content

    async def drop_snapshot(self, table: str, version: int) -> None:
        """Forget a kept fold."""
        await self.exchange(("HDEL", f"bw:folds:{{{table}}}", version))

    # lists

    async def tables(self, game: str, status: str, after: str | None, limit: int) -> list[tuple[str, bytes]] | None:
        """Return up to `limit` public tables, newest first, as (place, summary); None if incomplete.

        `after` is the place of the last table of the page before.
        """
        if self.away:
            raise RedisUnavailableError
        if not self.complete:
            return None
        key = f"bw:{self.generation}:tables:{game}:{status}"
        try:
            places = await self._redis.zrevrangebylex(key, f"({after}" if after else "+", "-", start=0, num=limit)
            names = [place.decode() for place in places]
            async with self._redis.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.hget(f"bw:{self.generation}:{{{name.partition(':')[2]}}}", "summary")
                summaries = await pipe.execute() if names else []
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        if any(summary is None for summary in summaries):
            return None  # a view expired or was evicted: the log answers
        return list(zip(names, summaries, strict=True))

    async def tables_of(self, account: str) -> list[str] | None:
        """Return the tables in which the account holds a seat, in no order; None if incomplete."""
        await self.refresh()
        if not self.complete:
            return None
        try:
            members: Iterable[bytes] = await self._redis.smembers(f"bw:{self.generation}:player:{account}")
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        return [member.decode() for member in members]

    # the worker

    async def next_for_bots(self, wait_seconds: float) -> str | None:
        """Wait for a table with a bot to act and take it off the queue; None if none came in time."""
        try:
            popped = await self._redis.bzpopmin(f"bw:{self.generation}:wake", wait_seconds)
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        return popped[1].decode() if popped else None

    async def waiting_for_bots(self, older_than_seconds: float, limit: int = 100) -> list[str]:
        """Return tables that have waited for a bot for longer than this: somebody lost them."""
        before = int((time.time() - older_than_seconds) * 1000)
        try:
            members = await self._redis.zrangebyscore(f"bw:{self.generation}:bots", 0, before, start=0, num=limit)
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        return [member.decode() for member in members]

    async def announce(self, generation: int) -> None:
        """Ask all processes to write to this generation too."""
        await self._redis.hset("bw:generation", "next", generation)
        await self.refresh()

    async def mark_complete(self) -> None:
        """Say that the present generation holds every table, unless a rebuild said so of another one."""
        try:
            await self._redis.hsetnx("bw:generation", "current", self.generation)
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        await self.refresh()

    async def switch(self, generation: int) -> None:
        """Make this generation the one that is read."""
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.hset("bw:generation", "current", generation)
            pipe.hdel("bw:generation", "next")
            await pipe.execute()
        await self.refresh()

    async def drop(self, generation: int) -> int:
        """Delete all keys of a generation that is no longer read; return how many."""
        dropped = 0
        async for key in self._redis.scan_iter(f"bw:{generation}:*", count=1000):
            dropped += await self._redis.unlink(key)
        return dropped

    async def dump(self, generation: int) -> dict[str, Any]:
        """Return everything a generation holds but how it came about, for comparing two of them."""
        content: dict[str, Any] = {}
        async for key in self._redis.scan_iter(f"bw:{generation}:*", count=1000):
            name = key.decode().partition(":")[2].partition(":")[2]
            if name == "{standings}:at":
                continue
            kind = await self._redis.type(key)
            if kind == b"hash":
                content[name] = await self._redis.hgetall(key)
            elif kind == b"set":
                content[name] = sorted(await self._redis.smembers(key))
            elif name not in ("wake", "bots"):
                content[name] = await self._redis.zrange(key, 0, -1, withscores=True)
            else:
                content[name] = sorted(await self._redis.zrange(key, 0, -1))
        return content

    # exchanges

    async def exchange(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Send commands in one exchange and return their answers. RedisUnavailableError if one fails."""
        if self.away:
            raise RedisUnavailableError
        results = await self._pipelined(list(commands))
        for result in results:
            if isinstance(result, Exception):
                raise RedisUnavailableError(str(result))
        return results

    async def _exchange_writes(self, requests: list[WriteRequest]) -> list[Written | Exception]:
        answers = await self._write_to(self.generation, requests)
        if self._next is not None:
            later = await self._write_to(self._next, requests)
            answers = ["gap" if new == "gap" else old for old, new in zip(answers, later, strict=True)]
        return answers

    async def _write_to(self, generation: int, requests: list[WriteRequest]) -> list[Written | Exception]:
        prefix = f"bw:{generation}:"
        results = await self._pipelined([apply_command(prefix, request) for request in requests], self._apply_sha)
        # Lists follow only where the view was really taken: a late, older view must not undo them.
        lists = [
            command
            for request, result in zip(requests, results, strict=True)
            if result == b"ok"
            for command in list_commands(prefix, request)
        ]
        if lists:
            await self._pipelined(lists)
        return [written(result) for result in results]

    async def _pipelined(self, commands: list[tuple[Any, ...]], sha: str | None = None) -> list[Any]:
        """Send commands in one exchange; with `sha` each is the arguments of that script.

        Packed by hiredis and sent as one piece: the library's own pipeline packs in Python, which costs
        more than everything else of an exchange.
        """
        if sha is not None:
            packed = [pack_command(("EVALSHA", sha, 1, *command)) for command in commands]
        else:
            packed = [pack_command(command) for command in commands]
        try:
            results = await self._exchange(b"".join(packed), len(commands))
        except (RedisError, OSError) as error:
            raise self._failed(error) from error
        if sha is not None and any(isinstance(result, NoScriptError) for result in results):
            await self.refresh()
            return await self._pipelined(commands, sha)
        return results

    async def _exchange(self, packed: bytes, count: int) -> list[Any]:
        """Send packed commands and read their answers; an error answer is a value.

        A connection that was used before may have been lost meanwhile: then the commands, all of which may
        be repeated, are sent once more on a new one.
        """
        while self._idle:
            line = self._idle.pop()
            if line.lost:
                await self._give_up(line)
                continue
            with suppress(RedisError, OSError):
                return await self._exchange_on(line, packed, count)
            break
        return await self._exchange_on(RedisLine(await self._redis.connection_pool.get_connection()), packed, count)

    async def _exchange_on(self, line: RedisLine, packed: bytes, count: int) -> list[Any]:
        try:
            answers = await line.exchange(packed, count, _ANSWER_SECONDS)
        except BaseException:  # what is still to be read belongs to nobody
            await self._give_up(line)
            raise
        self._idle.append(line)
        return answers

    async def _give_up(self, line: RedisLine) -> None:
        try:
            await line.connection.disconnect(nowait=True)
        finally:
            await self._redis.connection_pool.release(line.connection)

    async def _exchange_reads(self, asks: list[tuple[str, str, int, int, str]]) -> list[TableSeen | Exception | None]:
        commands = [
            (f"bw:{self.generation}:{{{table}}}", account, version, notes, names)
            for table, account, version, notes, names in asks
        ]
        return [seen(result) for result in await self._pipelined(commands, self._read_sha)]

    def _failed(self, error: Exception) -> RedisUnavailableError:
        self._down_until = time.monotonic() + _DOWN_SECONDS
        return RedisUnavailableError(str(error))

    async def _keep_fresh(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            with suppress(RedisUnavailableError):
                await self.refresh()
