"""Clients that know the contract alone: they play, send again what was not answered, and keep a journal."""

import threading
import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final
from uuid import uuid4

import httpx

from tests.soak.journal import Journal
from tests.soak.moves import Move, choose, new_table

ANSWER_SECONDS: Final = 120.0
"""How long a request may be sent in vain, whatever breaks."""
_READ_SECONDS: Final = 40.0
_RETRY_SECONDS_MAX: Final = 2.0
_REPEATED: Final = 0.05
"""How often something that was acknowledged is sent once more."""
_CHANGED: Final = 0.5
"""How often a move that was not recorded is replaced by another one."""
_LOOKED_AROUND: Final = 0.05
"""How often something else than the table is read."""
_UNREADABLE: Final = frozenset({"table_damaged", "rules_unknown", "log_went_back"})


class OverError(Exception):
    """The soak is over, or pauses: nobody waits for this answer any more."""


class Client:
    """People at tables of their own, on a thread of their own."""

    def __init__(self, urls: Sequence[str], rng: Random, journal: Journal, over: threading.Event) -> None:
        self._urls = urls
        self._rng = rng
        self._journal = journal
        self._over = over
        self._http = httpx.Client(timeout=httpx.Timeout(_READ_SECONDS))
        self._views: dict[str, tuple[str, dict[str, Any]]] = {}
        """The newest view of the match that each player has, by token, with its tag."""
        self._moves: list[tuple[str, str, Move, int]] = []
        """Token, table, body and version of acknowledged moves of the match."""
        self.finished: list[tuple[str, str]] = []
        """Matches that are over, each with a player's token."""

    def play_on(self) -> None:
        """Play one match after the other until it is over."""
        try:
            while True:
                self._match()
        except OverError:
            return

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def record(self, table: str, token: str) -> bytes:
        """Return the record of a match that is over."""
        return self._ask("GET", f"/v1/tables/{table}/record", token).content

    # requests

    def _send(
        self, method: str, path: str, token: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> httpx.Response | httpx.TransportError:
        """Send a request once; return its answer, or why there is none."""
        what = f"{method} {path.partition('?')[0].replace(path.split('/')[3], '*') if path.count('/') > 2 else path}"
        sent = (headers or {}) | ({"Authorization": f"Bearer {token}"} if token else {})
        begun = time.monotonic()
        try:
            url = self._rng.choice(self._urls) + path
            with self._http.stream(method, url, json=body, headers=sent) as answer:
                first = time.monotonic() - begun
                answer.read()
        except httpx.ConnectError as error:
            self._journal.refused()
            return error
        except httpx.TransportError as error:
            self._journal.cut(what, time.monotonic() - begun, error)
            return error
        self._journal.answered(what, answer.status_code, first)
        fault = _fault_of(answer)
        expired = self._journal.keys_may_expire and _code_of(answer) == "idempotency_key_reused"
        if fault is not None and not expired:
            self._journal.wrong(f"{what}: {fault}")
        return answer

    def _ask(self, method: str, path: str, token: str = "", body: Any = None) -> httpx.Response:
        """Send a request until it is answered, as the guide tells clients to; OverError if it is over before that."""
        headers = {"Idempotency-Key": f'"{uuid4()}"'}
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            answer = self._send(method, path, token, body, headers)
            if isinstance(answer, httpx.Response) and answer.status_code not in (429, 500, 503):
                return answer
            self._pause(answer)
        self._journal.wrong(f"{method} {path}: nothing but faults for {ANSWER_SECONDS:.0f} s")
        raise OverError

    def _create(self, path: str, token: str, body: Any) -> dict[str, Any]:
        """Create something; what was made has to be the same if the request is sent once more."""
        key = {"Idempotency-Key": f'"{uuid4()}"'}
        made: dict[str, Any] | None = None
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            answer = self._send("POST", path, token, body, key)
            if not isinstance(answer, httpx.Response) or not answer.is_success:
                self._pause(answer)
                continue
            found: dict[str, Any] = answer.json()
            for name in ("player", "table"):
                if made is not None and made.get(name) != found.get(name):
                    self._journal.wrong(f"POST {path}: the same key made two of them")
            if made is not None or self._rng.random() > _REPEATED:
                return found
            made = found
        self._journal.wrong(f"POST {path}: nothing but faults for {ANSWER_SECONDS:.0f} s")
        raise OverError

    def _pause(self, answer: httpx.Response | httpx.TransportError | None = None) -> None:
        seconds = 0.2
        if isinstance(answer, httpx.Response):
            seconds = min(float(answer.headers.get("Retry-After", 1)), _RETRY_SECONDS_MAX)
        if self._over.wait(seconds):
            raise OverError

    # matches

    def _match(self) -> None:
        rng, people = self._rng, self._rng.randint(1, 2)
        tokens = [self._create("/v1/players", "", {"name": f"Soak {seat}"})["token"] for seat in range(people)]
        table = self._create("/v1/tables", tokens[0], new_table(rng, people))["table"]
        self._journal.created(table)
        path = f"/v1/tables/{table}"
        for token in tokens[1:]:
            self._create(f"{path}/seats", token, {"client_seed": rng.randbytes(32).hex()})
        self._ask("POST", f"{path}/start", tokens[0], {"round": 1})
        self._moves.clear()
        self._views.clear()
        while True:
            for token in tokens:
                if self._act(table, token, self._view(table, token)):
                    self.finished.append((table, tokens[0]))
                    return
            if rng.random() < _LOOKED_AROUND:
                self._look_around(table, rng.choice(tokens))
            if self._moves and rng.random() < _REPEATED:
                self._repeat(*rng.choice(self._moves))
            if self._over.wait(0.02):
                raise OverError

    def _view(self, table: str, token: str) -> dict[str, Any]:
        """Return the table as a player sees it now."""
        while True:
            known = self._views.get(token)
            headers = {"If-None-Match": known[0]} if known is not None else {}
            answer = self._send("GET", f"/v1/tables/{table}", token, None, headers)
            if isinstance(answer, httpx.Response) and answer.status_code == 304 and known is not None:
                return known[1]
            if isinstance(answer, httpx.Response) and answer.is_success:
                return self._keep(token, answer, answer.json())
            self._pause(answer)

    def _keep(self, token: str, answer: httpx.Response, view: dict[str, Any]) -> dict[str, Any]:
        """Keep the view of an answer, and return it."""
        known = self._views.get(token)
        if known is not None and view["version"] < known[1]["version"]:
            older = known[1]["version"] - view["version"]
            self._journal.wrong(f"a view is {older} versions older than what its player was told before")
        self._views[token] = answer.headers["ETag"], view
        return view

    def _act(self, table: str, token: str, view: dict[str, Any]) -> bool:
        """Do what the view asks its viewer to do; True if the match is over."""
        you = view["you"]
        if view["status"] in ("finished", "closed"):
            return True
        if you["decision"] is not None:
            self._decide(table, token, view)
        elif view["status"] == "between_rounds" and view["host"] == you["seat"]:
            self._ask("POST", f"/v1/tables/{table}/start", token, {"round": view["round"] + 1})
        return False

    def _decide(self, table: str, token: str, view: dict[str, Any]) -> None:
        """Answer the open decision, with another move where an earlier one was certainly not recorded."""
        decision, seat = view["you"]["decision"], view["you"]["seat"]
        body = {"game": view["game"], "decision": decision, "move": choose(view["you"]["legal"], self._rng)}
        open_, told = True, False
        until = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < until:
            answer = self._send("POST", f"/v1/tables/{table}/moves", token, body)
            if isinstance(answer, httpx.ConnectError):
                self._pause(answer)
                continue
            code = _code_of(answer)
            if isinstance(answer, httpx.Response) and answer.status_code == 200:
                made = answer.json()
                version = made["event"]["version"]
                self._journal.acknowledge(table, seat, decision, version)
                self._keep(token, answer, made["view"])
                self._moves.append((token, table, body, version))
                return
            if code == "recorded":
                self._journal.acknowledge(table, seat, decision, None)
                told = True
            elif isinstance(answer, httpx.Response) and answer.status_code == 409:
                if told or code == "decision_taken":
                    self._journal.wrong(f"a move at its first answer, or an acknowledged one: 409 {code}")
                return
            open_ = open_ and code in ("unavailable", "overloaded", "rate_limited")
            self._pause(answer)
            if open_ and self._rng.random() < _CHANGED:
                body["move"] = choose(view["you"]["legal"], self._rng)
        self._journal.wrong(f"a move: nothing but faults for {ANSWER_SECONDS:.0f} s")
        raise OverError

    def _repeat(self, token: str, table: str, body: Move, version: int) -> None:
        """Send an acknowledged move once more: it has to be the same event."""
        answer = self._send("POST", f"/v1/tables/{table}/moves", token, body)
        if not isinstance(answer, httpx.Response) or answer.status_code in (429, 503):
            return
        if answer.status_code != 200:
            self._journal.wrong(f"an acknowledged move, sent again: {answer.status_code} {_code_of(answer)}")
        elif answer.json()["event"]["version"] != version:
            self._journal.wrong("an acknowledged move, sent again: another version")

    def _look_around(self, table: str, token: str) -> None:
        own = f"/v1/tables/{table}"
        paths = ("/v1/me", "/v1/tables?status=running&limit=20", f"{own}/events?limit=5", f"{own}/head", "/v1/games")
        self._send("GET", self._rng.choice(paths), token)


def _code_of(answer: httpx.Response | httpx.TransportError) -> str:
    """Return the code of a problem; empty if there is none."""
    if not isinstance(answer, httpx.Response) or answer.status_code < 400:
        return ""
    try:
        return str(answer.json().get("code", ""))
    except ValueError:
        return ""


def _fault_of(answer: httpx.Response) -> str | None:
    """Return what is wrong with an answer, None if it may come while something is broken."""
    status, code = answer.status_code, _code_of(answer)
    if answer.is_success or status == 304:
        return None
    if status in (429, 503) and code and code not in _UNREADABLE and "Retry-After" in answer.headers:
        return None
    if status == 409 and "rule" not in answer.json():
        return None
    return f"{status} {code or answer.text[:80]}"
