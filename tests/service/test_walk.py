"""One move is a straight corridor: from handler to commit no module of the service is entered again after it was left.

A module is *entered* when a function of it is called from another module, by the request's own task; returning
to a caller is not entering, nor is going on after a wait. It is *left* once the walk enters a module for the first
time from somewhere that is not inside it. It must not be entered after that, and not while it still runs either:
that would be a call that runs back up. The walk begins where the handler looks the table up,
the first call into `service.tables`, and ends where the event is on disk; what follows until the answer is a walk of
its own. Run with `-s` to see both.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any, Final, NamedTuple

import httpx

from service.app import operations_app
from service.composition import Services
from service.tables.live_table import LiveTable
from tests.service.any_game import choose_any
from tests.service.client import new_key
from tests.service.running import settings_for

_HTTP: Final = ("service.api", "service.app")
_COMMITTED: Final = LiveTable.take.__code__
"""What is called first once the event is on disk."""


class Step(NamedTuple):
    """A module is entered."""

    inside: tuple[str, ...]
    """The modules that called one another to get here, the handler's first and this one last."""
    function: str


def entered_again(steps: Sequence[Step]) -> list[str]:
    """Return the modules that a walk enters after it left them, or while they still run."""
    entered: set[str] = set()
    left: set[str] = set()
    again: list[str] = []
    for inside, _ in steps:
        *callers, module = inside
        if module in left or module in callers:
            again.append(module)
        elif module not in entered:
            left |= entered - set(inside)
            entered.add(module)
    return again


class Walk:
    """The modules that one task entered, up to the commit and after it."""

    def __init__(self) -> None:
        self.before: list[Step] = []
        self.after: list[Step] = []
        self._task = asyncio.current_task()
        self._frames: dict[int, FrameType] = {}
        self._steps = self.before

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take one event of the interpreter; a coroutine that goes on is a known frame that is called again."""
        if event != "call" or not _of_service(frame) or id(frame) in self._frames or not self._is_ours():
            return
        self._frames[id(frame)] = frame  # kept, so that no other one gets its number
        if frame.f_code is _COMMITTED:
            self._steps = self.after
        inside = _modules_to(frame)
        begun = self.before or inside[-1].startswith("service.tables.")
        if begun and not inside[-1].startswith(_HTTP) and _caller(frame) != inside[-1]:
            self._steps.append(Step(inside, frame.f_code.co_qualname))

    def _is_ours(self) -> bool:
        try:
            return asyncio.current_task() is self._task
        except RuntimeError:
            return False


def _frames_from(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _caller(frame: FrameType) -> str | None:
    """The module of the service that called."""
    return next((outer.f_globals["__name__"] for outer in _frames_from(frame.f_back) if _of_service(outer)), None)


def _of_service(frame: FrameType) -> bool:
    """Whether code is the service's, but for what surrounds every request: its deadline, logs, metrics."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.startswith("service.") and not name.startswith("service.runtime.")


def _modules_to(frame: FrameType) -> tuple[str, ...]:
    """The modules on the stack, outermost first, those before the handler left out."""
    names = [each.f_globals["__name__"] for each in _frames_from(frame) if _of_service(each)][::-1]
    http = [place for place, name in enumerate(names) if name.startswith(_HTTP)]
    found: list[str] = []
    for name in names[http[-1] if http else 0 :]:
        if not found or found[-1] != name:
            found.append(name)
    return tuple(found)


@contextmanager
def walked() -> Iterator[Walk]:
    """Follow what this task does."""
    walk = Walk()
    sys.setprofile(walk)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def drawn(steps: Sequence[Step]) -> str:
    """Return a walk for people: a line for each module that is entered, further in where it is called from inside."""
    lines: list[str] = []
    for step in steps:
        line = "  " * (len(step.inside) - 1) + step.inside[-1].removeprefix("service.") + ": " + step.function
        lines.append(line)
    return "\n".join(lines)


class Person:
    """An account that asks the application in this very task, without a server between."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._headers: dict[str, str] = {}

    async def guest(self, name: str) -> "Person":
        made = await self.ask("POST", "/v1/players", {"name": name})
        self._headers = {"Authorization": f"Bearer {made['token']}"}
        return self

    async def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {**self._headers, "Idempotency-Key": new_key()} if method == "POST" else self._headers
        answer = await self._http.request(method, path, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def view(self, table: str) -> dict[str, Any]:
        return await self.ask("GET", f"/v1/tables/{table}")

    async def move(self, table: str, view: dict[str, Any], move: dict[str, Any]) -> dict[str, Any]:
        body = {"game": view["game"], "decision": view["you"]["decision"], "move": move}
        return await self.ask("POST", f"/v1/tables/{table}/moves", body)


@asynccontextmanager
async def two_people(database_url: str, redis_url: str) -> AsyncIterator[list[Person]]:
    """Two accounts of an application on real servers."""
    app: Any = operations_app(Services(settings_for(database_url, redis_url)))
    transport = httpx.ASGITransport(app)
    async with app.lifespan(), httpx.AsyncClient(transport=transport, base_url="http://blattwerk.test") as http:
        yield [await Person(http).guest(name) for name in ("Ada", "Ben")]


async def started(people: list[Person], game: str, **body: Any) -> str:
    table: str = (await people[0].ask("POST", "/v1/tables", {"game": game, **body}))["table"]
    await people[1].ask("POST", f"/v1/tables/{table}/seats", {})
    await people[0].ask("POST", f"/v1/tables/{table}/start", {"round": 1})
    return table


def modules_of(steps: Sequence[Step]) -> list[str]:
    return [step.inside[-1] for step in steps]


def then_straight(walk: Walk, name: str) -> None:
    print(f"\n{name}, to the commit\n{drawn(walk.before)}\n{name}, after it\n{drawn(walk.after)}")
    modules = modules_of(walk.before)
    assert "service.tables.tables" in modules, "the walk was not followed"
    assert "service.tables.recorder" in modules
    assert any(module.startswith("service.store.") for module in modules)
    assert walk.after, "nothing was committed"
    assert entered_again(walk.before) == []
    assert entered_again(walk.after) == []


async def test_a_hearts_move_walks_straight_to_its_commit(database_url: str, redis_url: str) -> None:
    async with two_people(database_url, redis_url) as people:
        table = await started(people, "hearts", bots=[2, 3])
        view = await people[0].view(table)
        move = choose_any(view, random.Random(1))
        with walked() as walk:
            await people[0].move(table, view, move)
    then_straight(walk, "Hearts")


async def test_a_romme_move_walks_straight_to_its_commit(database_url: str, redis_url: str) -> None:
    async with two_people(database_url, redis_url) as people:
        table = await started(people, "romme", seats=2)
        for _ in range(3):  # the opening discard, then a turn: drawing, and a discard in which drafts have a say
            views = [await person.view(table) for person in people]
            (turn,) = [seat for seat, view in enumerate(views) if view["you"]["decision"] is not None]
            legal = {entry["type"]: entry for entry in views[turn]["you"]["legal"]}
            move: dict[str, Any] = {"type": "draw_stock"}
            if "discard" in legal:
                move = {"type": "discard", "card": legal["discard"]["cards"][0]}
            with walked() as walk:
                await people[turn].move(table, views[turn], move)
    then_straight(walk, "Rommé")
    assert "service.tables.private_streams" in modules_of(walk.before), "drafts had no say"


def test_what_is_entered_again_is_found() -> None:
    def steps(*paths: str) -> list[Step]:
        return [Step(tuple(path.split()), "") for path in paths]

    straight = steps("h a", "h a b", "h a b c", "h a b c", "h a b", "h d", "h d e")
    assert entered_again(straight) == []
    assert entered_again(steps("h a", "h b", "h a")) == ["a"], "it was left for b"
    assert entered_again(steps("h a", "h a b", "h a b a")) == ["a"], "a call that runs back up"
    assert entered_again(steps("h a", "h a b", "h a c", "h a c b")) == ["b"], "it was left for c"
