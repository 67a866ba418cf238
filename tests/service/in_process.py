"""A process of the service that runs inside the test, with what each request asks of PostgreSQL and Redis."""

import math
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from msgspec import Struct

from service.accounts.accounts import NewAccount
from service.app import operations_app
from service.composition import Services, opened
from service.runtime.settings import Settings
from tests.service.asked import Asked
from tests.service.client import new_key


class Answered(Struct, frozen=True):
    """What came of a request."""

    exchanges: list[str]
    status: int
    headers: list[tuple[str, str]]
    body: str
    length: int


class Client:
    """Sends requests to the operations of one process, which runs here."""

    def __init__(self, services: Services, asked: Asked) -> None:
        self.services = services
        self._asked = asked
        transport = httpx.ASGITransport(cast("Any", operations_app(services)))
        self._http = httpx.AsyncClient(transport=transport, base_url="http://blattwerk.test")

    async def stranger(self) -> NewAccount:
        """A new account, of whose token no process knows anything yet."""
        return await self.services.accounts.create_with_role("player", "Eve")

    async def send(
        self, method: str, path: str, token: str | None, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Send a request, one that creates something with a new key."""
        keyed = {"Idempotency-Key": new_key()} if method == "POST" else {}
        authorized = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self._http.request(method, path, json=body, headers={**keyed, **authorized, **(headers or {})})

    async def made(self, path: str, token: str, body: Any = None, status: int = 201) -> dict[str, Any]:
        """The body of an answer to a POST that has to have this status."""
        answer = await self.send("POST", path, token, body)
        assert answer.status_code == status, answer.text
        made: dict[str, Any] = answer.json()
        return made

    async def answered(
        self, method: str, path: str, token: str | None, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answered:
        """What comes of a request. Its trace is left out, which is another one each time."""
        answers: list[httpx.Response] = []

        async def send() -> None:
            answers.append(await self.send(method, path, token, body, headers))

        exchanges = await self._asked.of(send)
        (answer,) = answers
        trace = answer.headers["x-request-id"]
        text = answer.text.replace(trace, "")
        shown = sorted((name, value.replace(trace, "")) for name, value in answer.headers.items())
        return Answered(exchanges, answer.status_code, shown, text, len(answer.content))


@asynccontextmanager
async def one_process(settings: Settings, asked: Asked) -> AsyncIterator[Client]:
    """A process without what it looks for by itself from time to time."""
    async with opened(settings) as services:
        await services.primary_check.close()
        services.primary_check.known_until = math.inf
        yield Client(services, asked)
