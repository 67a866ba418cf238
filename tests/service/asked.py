"""What a use case or a request asks of PostgreSQL and Redis: statements and commands in their order, and how much was
answered.

Whatever asks them runs in the context of its task, also where it is done by tasks of its own. Work that is shared by
several requests is noted where it is asked for.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import pytest

from projections.coalescer import Coalescer
from projections.redis_connection import RedisConnection, Script
from service.store import queries
from service.store.committer import Committer
from service.store.database import Database
from service.store.queries import statements

_STATEMENTS: Final = {
    query: f"{file.stem}.{name}"
    for file in Path(queries.__file__).parent.glob("*.sql")
    for name, query in statements(file.stem).items()
}
"""Names of the statements of all stores."""


class Asked:
    """Records what tasks ask of the real servers, which answer as ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._own: ContextVar[list[str] | None] = ContextVar("asked", default=None)
        fetch, change, round_trip = Database.fetch, Database.change, RedisConnection.round_trip
        share, append = Coalescer.submit, Committer.submit

        async def fetching(database: Database, query: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
            rows = await fetch(database, query, parameters)
            self._note(f"{_STATEMENTS[query]} -> {_size(rows)}")
            return rows

        async def changing(database: Database, query: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
            rows = await change(database, query, parameters)
            self._note(f"{_STATEMENTS[query]} -> {_size(rows)}")
            return rows

        async def sending(connection: RedisConnection, *commands: Any) -> list[Any]:
            sent = " ".join(map(_name, commands))
            try:
                answers = await round_trip(connection, *commands)
            except BaseException as error:
                self._note(f"{sent} -> {type(error).__name__}")
                raise
            self._note(f"{sent} -> {_size(answers)}")
            return answers

        def sharing(coalescer: Coalescer[Any, Any], request: Any) -> asyncio.Future[Any]:
            answer = share(coalescer, request)
            own = self._own.get()
            if own is not None and not _is_round_trip(request):
                answer.add_done_callback(lambda done: own.append(f"shared {_kind(request)} -> {_answered(done)}"))
            return answer

        def appending(committer: Committer, event: Any) -> asyncio.Future[Any]:
            self._note(f"append {event.type}")
            return append(committer, event)

        monkeypatch.setattr(Database, "fetch", fetching)
        monkeypatch.setattr(Database, "change", changing)
        monkeypatch.setattr(RedisConnection, "round_trip", sending)
        monkeypatch.setattr(Coalescer, "submit", sharing)
        monkeypatch.setattr(Committer, "submit", appending)

    async def of(self, use: Callable[[], Awaitable[object]]) -> list[str]:
        """Return what a use case asks for, whatever becomes of it."""

        async def run() -> list[str]:
            own: list[str] = []
            self._own.set(own)
            try:
                await use()
            except Exception as error:
                own.append(f"{type(error).__name__}: {error}")
            else:
                own.append("done")
            return own.copy()  # what it began may go on

        return await asyncio.create_task(run())

    def _note(self, what: str) -> None:
        own = self._own.get()
        if own is not None:
            own.append(what)


def _name(command: Any) -> str:
    """A command with the number of its keys and arguments."""
    first = command[0]
    name = f"script {first.digest.decode()}" if isinstance(first, Script) else str(first)
    keys = f" {command[1]} keys" if isinstance(first, Script) else ""
    return f"{name}{keys} {len(command) - 1} arguments"


def _is_round_trip(request: Any) -> bool:
    """Whether what is shared is a round trip to Redis, which is noted by itself."""
    return isinstance(request, tuple) and bool(request) and type(request[0]) is tuple


def _kind(request: Any) -> str:
    return type(request[0] if isinstance(request, tuple) else request).__name__


def _answered(done: asyncio.Future[Any]) -> str:
    error = done.exception()
    return _size(done.result()) if error is None else type(error).__name__


def _size(answer: Any) -> str:
    """How much an answer is: its values within each other, without what they say."""
    if isinstance(answer, list | tuple):
        return f"[{' '.join(map(_size, answer))}]"
    return "none" if answer is None else "value"
