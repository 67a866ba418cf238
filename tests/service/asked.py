"""What a use case asks of PostgreSQL and Redis: the statements and commands of one task, in their order."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from projections.redis_connection import RedisConnection, Script
from service.store.database import Database


class Asked:
    """Records what tasks ask of the real servers, which answer as ever."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._by_task: dict[Any, list[str]] = {}
        fetch, change, round_trip = Database.fetch, Database.change, RedisConnection.round_trip

        async def fetching(database: Database, query: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
            self._note(query)
            return await fetch(database, query, parameters)

        async def changing(database: Database, query: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
            self._note(query)
            return await change(database, query, parameters)

        async def sending(connection: RedisConnection, *commands: Any) -> list[Any]:
            self._note(" ".join(_name(command) for command in commands))
            return await round_trip(connection, *commands)

        monkeypatch.setattr(Database, "fetch", fetching)
        monkeypatch.setattr(Database, "change", changing)
        monkeypatch.setattr(RedisConnection, "round_trip", sending)

    async def of(self, use: Callable[[], Awaitable[object]]) -> list[str]:
        """Return what a use case asks for, whatever becomes of it."""

        async def run() -> list[str]:
            own = self._by_task[asyncio.current_task()] = []
            try:
                await use()
            except Exception as error:
                own.append(f"{type(error).__name__}: {error}")
            else:
                own.append("done")
            return own

        return await asyncio.create_task(run())

    def _note(self, what: str) -> None:
        own = self._by_task.get(asyncio.current_task())
        if own is not None:
            own.append(what)


def _name(command: Any) -> str:
    first = command[0]
    return first.text if isinstance(first, Script) else str(first)
