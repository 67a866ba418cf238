"""The connection to Redis: commands of all requests travel together in round trips; after a failure it is left alone.

A failure opens the circuit: Redis is asked for nothing until a write that this process tries by itself has worked.

Nothing assumes one node: a command names keys with one hash tag only, and the commands of a round trip need not.
So the client may be a `RedisCluster` as well.
"""

import asyncio
import contextvars
import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import wraps
from itertools import islice
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisClusterException, RedisError, ResponseError

from projections.coalescer import Coalescer

_CONNECTIONS_MAX: Final = 8
"""Four are in use at most: round trips, the wait for bots, messages of other processes, a scan."""
_CONNECT_SECONDS_MAX: Final = 1.0
ANSWER_SECONDS_MAX: Final = 2.0
"""How long Redis has for a round trip, connecting included."""
UNAVAILABLE_SECONDS: Final = 0.5
"""The pause between two attempts to reach a Redis that failed."""
_SCAN_COUNT: Final = 1000

UNAVAILABLE_ERRORS: Final = (RedisError, RedisClusterException, OSError)
"""What the library raises where Redis does not answer; a time-out is an OSError."""


class RedisUnavailableError(Exception):
    """Redis does not answer, or refuses. Nothing is lost: everything it holds follows from the log."""


class Script(Struct, frozen=True):
    """A script that runs inside Redis. All its keys have one hash tag."""

    text: str
    digest: bytes
    """SHA-1 in hexadecimal digits, by which Redis knows a script that it ran before."""


def script(text: str) -> Script:
    """Return the script of a text."""
    return Script(text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest().encode())


def reading_script(text: str) -> Script:
    """Return a script that only reads, and that Redis refuses while it takes no writes: then it is older than the log.

    With this first line, and without the flag `no-writes` in it, Redis takes a script for one that writes, and refuses
    it as a read-only replica, without enough replicas, while it is full and while it cannot save.
    """
    return script("#!lua\n" + text)


Command: TypeAlias = tuple[Any, ...]
"""Name and arguments; or a `Script`, the number of its keys, the keys, and its arguments."""


_WRITE: Final[Command] = ("SET", "bw:written", "1")
"""A write that a server refuses which refuses any."""


NOT_OURS: Final = (msgspec.MsgspecError, ValueError, TypeError, AttributeError, LookupError)
"""What decoding raises where a key holds something else than what a program of ours wrote."""
P = ParamSpec("P")
ValueT = TypeVar("ValueT")
_ReaderT = TypeVar("_ReaderT", bound="_Reader")


class RedisConnection:
    """Sends commands to Redis. One per process."""

    def __init__(self, client: Redis | RedisCluster, is_late: Callable[[], bool] = lambda: False) -> None:
        """`is_late` says of the request that asks whether it should have been answered by now."""
        self._client: Any = client
        self._is_late = is_late
        self._refused = False
        """Whether a command was refused since a write last worked."""
        self._round_trips: Coalescer[tuple[Command, ...], list[Any]] = Coalescer(self._send_together)
        self._probing: asyncio.Task[None] | None = None
        """Tries to reach Redis after it failed; None while it answers."""
        self.on_wrong_type: tuple[Command, ...] = ()
        """What is sent when a key turns out to hold something else than what is ours."""
        self.suspended = False
        """Whether Redis is left alone though it may answer: what it holds was made from another log."""

    @property
    def unavailable(self) -> bool:
        """Whether Redis failed and no write has worked since, or is left alone."""
        return self.suspended or self._probing is not None

    @property
    def failing(self) -> bool:
        """Whether Redis is unavailable, or has refused a command since a write last worked."""
        return self.unavailable or self._refused

    async def round_trip(self, *commands: Command) -> list[Any]:
        """Send commands in one round trip, with those of other requests, and return their answers.

        They run in order as far as they name the same keys; a script that Redis does not know runs after the others.
        Where the connection is lost they are sent again, so each must be one that may be carried out twice.
        RedisUnavailableError if Redis does not answer or refuses one of them: others may have been carried out; at
        once while the circuit is open, and for a request that should have been answered by now.
        Once it has refused one it is asked for nothing, reads included, until a write works: what it holds is older
        than the log.
        """
        self._fail_if_unavailable()
        if self._is_late():
            raise RedisUnavailableError("there is no time left")
        return await self._round_trips.submit(commands)

    async def ping(self) -> None:
        """RedisUnavailableError if Redis does not answer, or takes no writes."""
        await self.round_trip(_WRITE)

    async def pop_first(self, key: str, wait_seconds: float, most: int) -> list[bytes]:
        """Take the first members off a sorted set, up to `most`; none if none came in time."""
        self._fail_if_unavailable()
        if self._refused:
            raise RedisUnavailableError("Redis refused a command a moment ago")
        try:
            async with asyncio.timeout(wait_seconds + ANSWER_SECONDS_MAX):
                popped = await self._client.bzmpop(wait_seconds, 1, [key], min=True, count=most)
        except ResponseError as error:
            self._refused = True
            await self._note_wrong_types([error])
            raise RedisUnavailableError(str(error)) from error
        except UNAVAILABLE_ERRORS as error:
            raise self._failed(error) from error
        return [member for member, _ in popped[1]] if popped else []

    async def keys(self, pattern: str) -> list[bytes]:
        """Return the keys of all nodes that match a pattern, in no order."""
        found: list[bytes] = []
        clock = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(ANSWER_SECONDS_MAX) as limit:
                async for key in self._client.scan_iter(pattern, count=_SCAN_COUNT):
                    found.append(key)
                    limit.reschedule(clock.time() + ANSWER_SECONDS_MAX)
        except UNAVAILABLE_ERRORS as error:
            raise self._failed(error) from error
        return found

    def subscriber(self) -> Any:
        """Return the library's reader of published messages, an asynchronous context."""
        return self._client.pubsub(ignore_subscribe_messages=True)

    async def close(self) -> None:
        """Wait for what was sent, and disconnect."""
        await self._round_trips.close()
        if self._probing is not None:
            self._probing.cancel()
            await asyncio.wait([self._probing])
        await self._client.aclose()

    async def _send_together(self, requests: list[tuple[Command, ...]]) -> list[list[Any] | Exception]:
        self._fail_if_unavailable()  # nor do those that waited for a round trip that failed wait for another one
        if self._refused:
            await self._write()
        answers = iter(await self._send([command for commands in requests for command in commands]))
        accepted = [_accepted(list(islice(answers, len(commands)))) for commands in requests]
        refusals = [answer for answer in accepted if isinstance(answer, Exception)]
        self._refused = bool(refusals)
        await self._note_wrong_types(refusals)
        return accepted

    def _fail_if_unavailable(self) -> None:
        if self.suspended:
            raise RedisUnavailableError("what Redis holds was made from another log")
        if self._probing is not None:
            raise RedisUnavailableError("Redis failed a moment ago")

    async def _note_wrong_types(self, refusals: list[Exception]) -> None:
        if any(_is_of_others(refusal) for refusal in refusals):
            await self.note_spoilt()

    async def note_spoilt(self) -> None:
        """Note that somebody else wrote to our keys. RedisUnavailableError if Redis does not answer."""
        if self.on_wrong_type:
            await self._pipelined(list(self.on_wrong_type))

    async def _write(self) -> None:
        """Find out whether Redis takes writes: it may be a replica, full, or alone. RedisUnavailableError if not."""
        (answer,) = await self._pipelined([_WRITE])
        if isinstance(answer, Exception):
            raise self._failed(answer)
        self._refused = False

    async def _probe(self) -> None:
        """Close the circuit once a write works."""
        while True:
            await asyncio.sleep(UNAVAILABLE_SECONDS)
            with suppress(RedisUnavailableError):
                await self._write()
                self._probing = None
                return

    async def _send(self, commands: list[Command]) -> list[Any]:
        """Send commands and return their answers; an error answer is a value."""
        answers = await self._pipelined([_by_digest(command) for command in commands])
        unknown = [place for place, answer in enumerate(answers) if isinstance(answer, NoScriptError)]
        if unknown:  # a server that was restarted, or was a replica: running its text makes the script known
            again = await self._pipelined([_by_text(commands[place]) for place in unknown])
            for place, answer in zip(unknown, again, strict=True):
                answers[place] = answer
        return answers

    async def _pipelined(self, commands: list[Command]) -> list[Any]:
        try:
            async with asyncio.timeout(ANSWER_SECONDS_MAX), self._client.pipeline(transaction=False) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                answers: list[Any] = await pipeline.execute(raise_on_error=False)
        except UNAVAILABLE_ERRORS as error:
            raise self._failed(error) from error
        for answer in answers:  # a cluster's pipeline gives the loss of a node as an answer
            if isinstance(answer, Exception) and not isinstance(answer, ResponseError):
                raise self._failed(answer) from answer
        return answers

    def _failed(self, error: Exception) -> RedisUnavailableError:
        if self._probing is None:
            self._probing = asyncio.create_task(self._probe(), context=contextvars.Context())
        return RedisUnavailableError(str(error))


def _is_of_others(refusal: Exception) -> bool:
    """Whether a command was refused for what a key holds: another type, or what a script of ours cannot work with."""
    text = str(refusal)
    return "WRONGTYPE" in text or text.startswith("user_script:")


class _Reader(Protocol):
    """What reads from Redis."""

    @property
    def _connection(self) -> RedisConnection: ...


def decoding(
    method: Callable[Concatenate[_ReaderT, P], Awaitable[ValueT]],
) -> Callable[Concatenate[_ReaderT, P], Coroutine[Any, Any, ValueT]]:
    """Decorate a method that decodes what Redis holds.

    What cannot be decoded was written by somebody else: the worker makes everything anew that was made from the log,
    and this reader gets RedisUnavailableError.
    """

    @wraps(method)
    async def decode(self: _ReaderT, /, *args: P.args, **kwargs: P.kwargs) -> ValueT:
        try:
            return await method(self, *args, **kwargs)
        except NOT_OURS as error:
            await self._connection.note_spoilt()
            raise RedisUnavailableError("a key holds what is not ours") from error

    return decode


def connect(url: str, is_late: Callable[[], bool] = lambda: False) -> RedisConnection:
    """Return the connection to one server. It is made by the first command."""
    client = Redis.from_url(
        url,
        max_connections=_CONNECTIONS_MAX,
        socket_timeout=None,  # a timer for each answer costs more than the answer: there is one for the round trip
        socket_connect_timeout=_CONNECT_SECONDS_MAX,
        retry=Retry(NoBackoff(), 1),  # the server may have closed the connection since the last round trip
        protocol=2,
    )
    return RedisConnection(client, is_late)


def _by_digest(command: Command) -> Command:
    first = command[0]
    return ("EVALSHA", first.digest, *command[1:]) if isinstance(first, Script) else command


def _by_text(command: Command) -> Command:
    return ("EVAL", command[0].text, *command[1:])


def _accepted(answers: list[Any]) -> list[Any] | Exception:
    """Return answers, or an exception if one of them is an error."""
    for answer in answers:
        if isinstance(answer, Exception):
            return RedisUnavailableError(str(answer))
    return answers
