"""Matches to dispute over HTTP, and the people who decide."""

import asyncio
import random
import time
from typing import Any

import httpx

from domain.registry import CURRENT
from service.composition import Services
from service.runtime.settings import Settings
from tests.conformance.hooks import short_match
from tests.service.any_game import choose_any
from tests.service.client import Player, new_key

_BOTS_SECONDS = 30
TEXT = "I had to follow suit there."


def of_role(url: str, settings: Settings, role: Any, name: str) -> Player:
    """An account with a role."""

    async def made() -> tuple[str, str]:
        services = Services(settings)
        await services.open()
        try:
            account = await services.accounts.create_with_role(role, name)
            return str(account.id), account.token
        finally:
            await services.close()

    person = Player(url, name)
    person.id, person.token = asyncio.run(made())
    person.http.headers["Authorization"] = f"Bearer {person.token}"
    return person


def people(url: str, count: int = 3) -> list[Player]:
    """New players; each of them may open three disputes."""
    return [Player(url, name) for name in ("Ada", "Ben", "Cleo", "Dora")[:count]]


def begun(players: list[Player], game: str = "hearts", **body: Any) -> str:
    """A table with a running match, everybody on his seat; bots hold those that the game has to have besides."""
    seats = short_match(CURRENT[game], len(players)).seats
    bots = list(range(len(players), seats))
    table = players[0].create(game, seats=seats, **({"bots": bots} if bots else {}), **body)
    for player in players[1:]:
        player.sit_by(players[0], table)
    players[0].start(table)
    return table


def play(players: list[Player], table: str, moves: int, seed: int = 1) -> int:
    """Play so many random legal moves, fewer if the round ends; return the table's version, at which a player acts."""
    rng = random.Random(seed)
    for _ in range(moves):
        seat = _acting(players, table)
        if seat is None:
            break
        own = players[seat].view(table)
        made = players[seat].move(table, own["you"]["decision"], choose_any(own, rng))
        assert made.status_code == 200, made.text
    _acting(players, table)
    return int(players[0].view(table)["version"])


def _acting(players: list[Player], table: str) -> int | None:
    """The seat of the first person who has to act, once bots have acted; None if nobody has to."""
    until = time.monotonic() + _BOTS_SECONDS
    while time.monotonic() < until:
        view = players[0].view(table)
        if not view["to_act"]:
            return None
        seat = int(view["to_act"][0])
        if view["seats"][seat]["kind"] == "person":
            return seat
        time.sleep(0.01)
    raise AssertionError(f"no bot has acted for {_BOTS_SECONDS} s")


def end(players: list[Player], table: str) -> None:
    """Let everybody leave, which closes the table."""
    for player in players:
        assert player.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204


def dispute(
    by: Player, table: str, version: int, *, claim: str = "illegal_move", text: str = TEXT, key: str | None = None
) -> httpx.Response:
    """Ask to dispute a version."""
    body = {"version": version, "claim": claim, "text": text}
    return by.post(f"/v1/tables/{table}/disputes", body, key=key or new_key())


def opened(by: Player, table: str, version: int, **body: Any) -> str:
    """Open a dispute and return its id."""
    made = dispute(by, table, version, **body)
    assert made.status_code == 201, made.text
    id_: str = made.json()["dispute"]
    assert made.headers["Location"] == f"/v1/disputes/{id_}"
    return id_


def act(by: Player, dispute: str, what: str, body: Any = None) -> httpx.Response:
    """Send one of the commands on a dispute."""
    path = f"/v1/disputes/{dispute}/{what}"
    return by.http.post(path) if body is None else by.post(path, body)


def decide(by: Player, dispute: str, decision: str = "upheld", *, annulled: bool = False) -> httpx.Response:
    """Decide a dispute."""
    return act(by, dispute, "resolution", {"decision": decision, "annulled": annulled, "reasons": f"It is {decision}."})


def evidence(by: Player, dispute: str, seat: object = None) -> httpx.Response:
    """Ask for the evidence, with a seat's sealed part if one is named."""
    return by.http.get(f"/v1/disputes/{dispute}/evidence", params={} if seat is None else {"seat": str(seat)})


def got(answer: httpx.Response, status: int = 200) -> dict[str, Any]:
    """The body of an answer that has to have this status."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body
