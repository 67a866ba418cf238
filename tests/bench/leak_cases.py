"""Pairs of requests whose times have to be alike, on a service of their own with other tables around them."""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from msgspec import Struct

from domain.registry import CURRENT
from service.embedded import embedded_servers
from service.store.migrations import migrate
from tests.bench.lists import fill
from tests.conformance.hooks import short_match
from tests.service.any_game import choose_any
from tests.service.api_process import api_process
from tests.service.client import Player
from tests.service.disputing import opened
from tests.service.running import MANY, settings_for

_LIMITS: Final = (*MANY, "moves=1000000/10", "audits=1000000/60", "open_tables=1000000", "guests_ipv4=1000000/60")
_AWAY: Final = "redis://127.0.0.1:9"
_SIDE: Final = 12
"""So many things of each kind are asked for in turn, so that none of them is a special one."""
_TABLES_MAX: Final = 200
"""So many matches are begun at most to find one in which a seat holds a meld and one in which it holds none."""
_MOVES_MAX: Final = 60
MELDING: Final = ("romme", "von_herzen")
"""Games in which the seat on turn lays what the others do not know of."""


class Sent(Struct, frozen=True):
    """A request."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: Any = None


class Case(Struct, frozen=True):
    """A request about two things that its sender must not be able to tell apart."""

    key: str
    title: str
    status: int
    sent: tuple[Callable[[int], Sent], Callable[[int], Sent]]
    """Each gives the request of a number."""
    public: bool = False
    """Whether what the two differ in is known to everybody, so that times may differ too."""


CASES: Final = ("private", "dispute", "token", "romme", "von_herzen")
"""What keys begin with."""


class Running(Struct, frozen=True):
    """The processes that are asked."""

    url: str
    away: str
    """Where the process is that does not reach Redis."""


@contextmanager
def cases(only: str, tables: int) -> Iterator[Iterator[Case]]:
    """Start everything, and give the cases whose key begins so, one after the other; at the end stop everything."""
    makers: dict[str, Callable[[Running], Iterator[Case]]] = {
        "private": _private,
        "dispute": _dispute,
        "token": _token,
        **{game: partial(_melds, game=game) for game in MELDING},
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="blattwerk-leaks-")))
        servers = stack.enter_context(embedded_servers(folder / "data", durable=False))
        migrate(servers.database_url)
        urls = [
            stack.enter_context(api_process(settings_for(servers.database_url, redis, limits=_LIMITS))).url
            for redis in (servers.redis_url, _AWAY)
        ]
        stack.callback(Player.close_all)
        fill(servers, Player(urls[0], "Crowd").create("hearts", bots=[1]), tables)
        running = Running(*urls)
        yield (
            case
            for name, maker in makers.items()
            if name.startswith(only) or only.startswith(name)
            for case in maker(running)
            if case.key.startswith(only)
        )


def _asks(token: str, method: str, url: str, body: Any = None) -> Sent:
    return Sent(method, url, (("Authorization", f"Bearer {token}"),), body)


def _in_turn(requests: Sequence[Sent]) -> Callable[[int], Sent]:
    return lambda number: requests[number % len(requests)]


def _unknown() -> list[str]:
    return [str(uuid4()) for _ in range(_SIDE)]


# --- what exists -------------------------------------------------------------------------------------


def _private(running: Running) -> Iterator[Case]:
    host, eve = Player(running.url, "Ada"), Player(running.url, "Eve")
    existing = [host.create("hearts", visibility="private") for _ in range(_SIDE)]
    unknown = _unknown()
    move = {"game": "hearts", "decision": 2, "move": {"type": "play", "card": "2C"}}
    asked: dict[str, tuple[str, str, Any]] = {
        "view": ("GET", "", None),
        "events": ("GET", "/events", None),
        "replay": ("GET", "/replay", None),
        "head": ("GET", "/head", None),
        "move": ("POST", "/moves", move),
        "leave": ("DELETE", "/seats/me", None),
    }
    for name, (method, path, body) in asked.items():
        for where, url in (("", running.url), ("-away", running.away)):
            addresses = [[f"{url}/v1/tables/{table}{path}" for table in tables] for tables in (existing, unknown)]
            first, second = ([_asks(eve.token, method, each, body) for each in some] for some in addresses)
            title = f"{name} of a table{', Redis away' if where else ''}: private, unknown"
            yield Case(f"private-{name}{where}", title, 404, (_in_turn(first), _in_turn(second)))


def _dispute(running: Running) -> Iterator[Case]:
    eve, unknown = Player(running.url, "Eve"), _unknown()
    existing: list[str] = []
    while len(existing) < _SIDE:
        host = Player(running.url, "Ada")
        table = host.create("hearts", visibility="private", bots=[1, 2, 3])
        host.start(table)
        existing += [opened(host, table, version) for version in (1, 2)]
    first, second = (
        [_asks(eve.token, "GET", f"{running.url}/v1/disputes/{one}") for one in some] for some in (existing, unknown)
    )
    yield Case("dispute", "dispute: of others, unknown", 404, (_in_turn(first), _in_turn(second)))


def _token(running: Running) -> Iterator[Case]:
    revoked, erased = ([Player(running.url, "Eve") for _ in range(_SIDE)] for _ in range(2))
    for player in revoked:
        token = player.http.get("/v1/me/tokens").json()["items"][0]["token_id"]
        assert player.http.delete(f"/v1/me/tokens/{token}").status_code == 204
    for player in erased:
        assert player.http.delete("/v1/me").status_code == 204
    unknown = [f"bw_{uuid4().hex}{uuid4().hex[:11]}" for _ in range(_SIDE)]
    second = _in_turn([_asks(token, "GET", f"{running.url}/v1/me") for token in unknown])
    for name, dead in (("revoked", revoked), ("erased", erased)):
        first = _in_turn([_asks(player.token, "GET", f"{running.url}/v1/me") for player in dead])
        yield Case(f"token-{name}", f"token: {name}, unknown", 401, (first, second))


# --- what another seat holds -------------------------------------------------------------------------


class Seated(Struct, frozen=True):
    """A match whose seat on turn holds a meld, or none; somebody else who sits there, and the move he made last."""

    table: str
    other: Player
    moved: dict[str, Any]


def _melds(running: Running, game: str) -> Iterator[Case]:
    holding, empty, drawing = _found(running, game)
    spectator = Player(running.url, "Eve")

    def pair(path: str, method: str, body: Callable[[Seated, int], Any], *, away: bool = False, by: str = "") -> Any:
        url = running.away if away else running.url

        def sends(match: Seated) -> Callable[[int], Sent]:
            asker = spectator if by == "spectator" else match.other
            return lambda n: _asks(asker.token, method, url + path.format(table=match.table), body(match, n))

        return sends(holding), sends(empty)

    def case(name: str, title: str, sent: Any, *, public: bool = False) -> Case:
        return Case(f"{game}-{name}", f"{CURRENT[game].key}, {title}", 200, sent, public)

    table = "/v1/tables/{table}"
    yield case("rename", "new name: opponent holds a meld, none", pair("/v1/me", "PATCH", lambda _, n: _named(n)))
    yield case("retry", "repeated move", pair(f"{table}/moves", "POST", lambda match, _: match.moved))
    yield case("away", "view of the other seat, Redis away", pair(table, "GET", lambda *_: None, away=True))
    spectating = pair(table, "GET", lambda *_: None, away=True, by="spectator")
    yield case("spectator", "view of a spectator, Redis away", spectating)
    if CURRENT[game].private_stream is None:
        return
    drafts, sorting = f"{table}/drafts", ("rank", "suit")
    yield case("drafts", "drafts of the other seat", pair(drafts, "GET", lambda *_: None))
    order = pair(f"{table}/hand-order", "PUT", lambda _, n: {"type": "sort_hand", "by": sorting[n % 2]})
    yield case("order", "order of the hand of the other seat", order)
    phases = pair(drafts, "GET", lambda *_: None)[0], _drafts_of(running, drawing)
    yield case("phase", "drafts: opponent has drawn and holds a meld, has not drawn", phases, public=True)


def _named(number: int) -> dict[str, str]:
    return {"name": f"Name {number % 2}"}


def _drafts_of(running: Running, match: Seated) -> Callable[[int], Sent]:
    return lambda _: _asks(match.other.token, "GET", f"{running.url}/v1/tables/{match.table}/drafts")


def _found(running: Running, game: str) -> tuple[Seated, Seated, Seated]:
    """Matches whose seat on turn has drawn and holds a meld, has drawn and holds none, and has yet to draw.

    The first two have the same version.
    """
    rng = random.Random(1)
    drawing: Seated | None = None
    found: dict[tuple[int, bool], Seated] = {}
    for _ in range(_TABLES_MAX):
        reached = _reached(running, game, rng, drawn=drawing is not None)
        if reached is None:
            continue
        match, version, holds = reached
        if drawing is None:
            drawing = match
            continue
        found[version, holds] = match
        if (version, not holds) in found:
            return found[version, True], found[version, False], drawing
    raise RuntimeError(f"{_TABLES_MAX} matches of {game} were not enough")


def _reached(running: Running, game: str, rng: random.Random, *, drawn: bool) -> tuple[Seated, int, bool] | None:
    """A new match, at which somebody who did not move last is on turn, and has `drawn` or has yet to; its version, and
    whether that seat holds a meld. None if it took too long.
    """
    people, table = _begun(running, game)
    moved: dict[int, dict[str, Any]] = {}
    for _ in range(_MOVES_MAX):
        acting = people[0].view(table)["to_act"]
        if not acting:
            return None
        view = people[acting[0]].view(table)
        legal = {entry["type"]: entry for entry in view["you"]["legal"]}
        others = [seat for seat in moved if seat != acting[0]]
        if others and ("discard" if drawn else "draw_stock") in legal:
            return Seated(table, people[others[0]], moved[others[0]]), view["version"], _holds_a_meld(view)
        move = choose_any(view, rng)
        if "discard" in legal:  # nothing is laid
            move = {"type": "discard", "card": rng.choice(legal["discard"]["cards"])}
        moved[acting[0]] = {"game": game, "decision": view["you"]["decision"], "move": move}
        made = people[acting[0]].move(table, view["you"]["decision"], move)
        assert made.status_code == 200, made.text
    return None


def _begun(running: Running, game: str) -> tuple[list[Player], str]:
    match = short_match(CURRENT[game], 2)
    people = [Player(running.url, f"Player {seat}") for seat in range(match.seats)]
    table = people[0].create(game, seats=match.seats, options=match.options)
    for player in people[1:]:
        player.sit(table)
    people[0].start(table)
    return people, table


def _holds_a_meld(view: dict[str, Any]) -> bool:
    if view["game"] == "romme":
        return bool(view["you"]["private"]["preparable"])
    return any(entry["type"] == "lay" for entry in view["you"]["legal"])
