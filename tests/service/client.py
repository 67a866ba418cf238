"""A client as openapi/README.md describes it: knows no rules, answers decisions from `legal`."""

import random
import time
from collections.abc import Callable
from typing import Any, ClassVar
from uuid import uuid4

import httpx


def new_key() -> str:
    """A fresh Idempotency-Key."""
    return f'"{uuid4()}"'


class Player:
    """One account at one service."""

    _opened: ClassVar[list[httpx.Client]] = []
    _games: ClassVar[dict[str, str]] = {}
    """The game of each table that anybody created here."""

    def __init__(self, base_url: str, name: str) -> None:
        self.http = httpx.Client(base_url=base_url, timeout=30)
        self._opened.append(self.http)
        made = self.post("/v1/players", {"name": name}, keyed=True)
        assert made.status_code == 201, made.text
        self.id: str = made.json()["player"]
        self.token: str = made.json()["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"

    @classmethod
    def close_all(cls) -> None:
        """Close the connections of all players."""
        while cls._opened:
            cls._opened.pop().close()

    def post(self, path: str, body: Any, *, keyed: bool = False, key: str | None = None) -> httpx.Response:
        headers = {"Idempotency-Key": key or new_key()} if keyed or key else {}
        return self.http.post(path, json=body, headers=headers)

    def create(self, game: str, **body: Any) -> str:
        made = self.post("/v1/tables", {"game": game, **body}, keyed=True)
        assert made.status_code == 201, made.text
        table: str = made.json()["table"]
        self._games[table] = game
        assert made.headers["Location"] == f"/v1/tables/{table}"
        return table

    def sit(self, table: str, **body: Any) -> dict[str, Any]:
        sat = self.post(f"/v1/tables/{table}/seats", body, keyed=True)
        assert sat.status_code == 201, sat.text
        view: dict[str, Any] = sat.json()
        return view

    def start(self, table: str, round_number: int = 1) -> dict[str, Any]:
        started = self.post(f"/v1/tables/{table}/start", {"round": round_number})
        assert started.status_code == 200, started.text
        view: dict[str, Any] = started.json()
        return view

    def view(self, table: str) -> dict[str, Any]:
        seen = self.http.get(f"/v1/tables/{table}")
        assert seen.status_code == 200, seen.text
        view: dict[str, Any] = seen.json()
        return view

    def move(self, table: str, decision: int, move: dict[str, Any], *, game: str | None = None) -> httpx.Response:
        """Answer a decision. `game`: that of the move, by default that of the table."""
        if game is None and table not in self._games:
            self._games[table] = self.http.get(f"/v1/tables/{table}").json().get("game", "hearts")
        body = {"game": game or self._games[table], "decision": decision, "move": move}
        return self.post(f"/v1/tables/{table}/moves", body)


def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait until something holds; False if it does not within this time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def in_log(player: Player, table: str, *, seconds: float = 30) -> dict[str, Any]:
    """Wait until a match that is over is in the transparency log; the proof that it is."""
    until = time.monotonic() + seconds
    while True:
        proof = player.http.get("/v1/log/inclusion", params={"table": table})
        if proof.status_code == 200:
            found: dict[str, Any] = proof.json()
            return found
        assert proof.json()["code"] == "not_in_log", proof.text
        assert time.monotonic() < until, proof.text
        time.sleep(0.05)


Chooser = Callable[[dict[str, Any], random.Random], dict[str, Any]]


def play_match(
    players: list[Player], table: str, choose: Chooser, rng: random.Random, *, seconds: float = 120
) -> dict[str, Any]:
    """Play until the match is over; returns the last view. Every accepted move has to be answered with 200."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        acted = False
        for player in players:
            view = player.view(table)
            while view["you"]["decision"] is not None:
                made = player.move(table, view["you"]["decision"], choose(view, rng))
                assert made.status_code == 200, made.text
                view = made.json()["view"]
                acted = True
            if view["status"] == "between_rounds" and view["host"] == view["you"]["seat"]:
                player.start(table, view["round"] + 1)
                acted = True
            if view["status"] in ("finished", "closed"):
                return view
        if not acted:
            time.sleep(0.01)
    raise AssertionError(f"the match is not over after {seconds} s: {view}")


def choose_hearts(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Any legal move of Hearts, from `legal` alone."""
    entry = rng.choice(view["you"]["legal"])
    if entry["type"] == "pass":
        return {"type": "pass", "cards": rng.sample(entry["cards"], entry["count"])}
    return {"type": "play", "card": rng.choice(entry["cards"])}
