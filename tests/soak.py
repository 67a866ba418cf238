"""`python -m tests.soak`: the real service under matches of every game, while things break.

Clients on threads of their own play match after match with people and bots, and send every request again
until it is answered, as openapi/README.md tells a client to. Beside them, at random moments, API processes,
the worker, PostgreSQL, Redis and the whole service are killed with SIGKILL, connections are cut and Redis is
emptied. In the end every acknowledged move has to be in the log once, `blattwerk audit --all` has to
find nothing, and the record of every match that is over has to verify. The exit status is 0 if all of it holds.

The seed decides games, moves and faults; when they meet is up to the machine.
"""

import argparse
import gzip
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final
from uuid import uuid4

import httpx
import psutil
import psycopg
from redis import Redis

from domain.registry import CURRENT
from service.embedded.servers import running_servers
from tests.conformance.hooks import short_match
from tests.service.any_game import choose_any, choose_well

_PATIENCE_SECONDS: Final = 120.0
"""How long a request may stay unanswered, faults included."""
_PAUSE_SECONDS: Final = (2.0, 8.0)
"""Between two faults."""


class FoundError(Exception):
    """Something that must not happen."""


class Program:
    """`blattwerk serve` on a data folder, with its embedded servers."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.folder = folder
        self._environment = os.environ | {
            "BLATTWERK_DATA_DIR": str(folder),
            "BLATTWERK_PORT": str(self.port),
            "BLATTWERK_PROCESSES": "2",
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        with (self.folder.parent / "service.log").open("ab") as written:
            self._process = subprocess.Popen(
                (sys.executable, "-m", "service.cli", "serve"), env=self._environment, stdout=written, stderr=written
            )
        until = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            if time.monotonic() > until:
                raise FoundError("the service does not start")
            time.sleep(0.1)

    def stop(self) -> None:
        """Stop it as an operator does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(60)

    def kill(self) -> None:
        """Kill all of it at once and start it again on the same data."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(60)
        self.start()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the program beside the service."""
        whole = (sys.executable, "-m", "service.cli", *command)
        return subprocess.run(whole, env=self._environment, capture_output=True, text=True, check=False)

    def kill_one(self, words: str, rng: Random) -> None:
        """Kill one of the processes below it whose command line holds these words."""
        if self._process is None:
            return
        below = psutil.Process(self._process.pid).children(recursive=True)
        found = [process for process in below if words in " ".join(_command_line(process))]
        if found:
            rng.choice(found).kill()

    def servers(self) -> tuple[str, str] | None:
        """Addresses of database and Redis, None while they are not known."""
        return running_servers(self.folder)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


# what breaks


def _empty_redis(program: Program, _: Random) -> None:
    servers = program.servers()
    if servers is not None:
        with Redis.from_url(servers[1], socket_timeout=5) as connection:
            connection.flushall()


def _cut_connections(program: Program, _: Random) -> None:
    servers = program.servers()
    if servers is not None:
        with psycopg.connect(servers[0], autocommit=True, connect_timeout=5) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity "
                "where datname = current_database() and pid <> pg_backend_pid()"
            )


FAULTS: Final[dict[str, Callable[[Program, Random], None]]] = {
    "API process killed": lambda program, rng: program.kill_one("multiprocessing.spawn", rng),
    "API process's watcher killed": lambda program, rng: program.kill_one("service.processes.process api", rng),
    "worker killed": lambda program, rng: program.kill_one("service.processes.process worker", rng),
    "PostgreSQL killed": lambda program, rng: program.kill_one("bin/postgres", rng),
    "Redis killed": lambda program, rng: program.kill_one("-server", rng),
    "Redis emptied": _empty_redis,
    "connections cut": _cut_connections,
    "service killed": lambda program, _: program.kill(),
}


def break_things(program: Program, rng: Random, over: threading.Event, done: Counter[str]) -> None:
    """Let one thing after another break until it is over."""
    while not over.wait(rng.uniform(*_PAUSE_SECONDS)):
        name = rng.choice(list(FAULTS))
        try:
            FAULTS[name](program, rng)
        except (psycopg.Error, OSError, ConnectionError):
            continue  # what was to be broken is down already
        done[name] += 1


# who plays


class Client:
    """People at tables of their own, whose requests are sent until they are answered."""

    def __init__(self, url: str, rng: Random, over: threading.Event) -> None:
        self._http = httpx.Client(base_url=url, timeout=20)
        self._rng = rng
        self._over = over
        self.acknowledged: list[tuple[str, int, int, int]] = []
        """Table, version, seat and decision of every move that was answered."""
        self.finished: list[tuple[str, str]] = []
        """Matches that are over, each with a player's token."""

    def play_on(self) -> None:
        """Play one match after the other until it is over."""
        while not self._over.is_set():
            self._match()

    def ask(self, method: str, path: str, token: str = "", body: Any = None) -> httpx.Response:
        """Send one request until it has an answer that is not a fault of the server."""
        headers = {"Idempotency-Key": f'"{uuid4()}"'} | ({"Authorization": f"Bearer {token}"} if token else {})
        until = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                answer = self._http.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                time.sleep(0.2)
                continue
            if answer.status_code == 503:
                time.sleep(0.2)
                continue
            if answer.status_code >= 400:
                raise FoundError(f"{method} {path} {body}: {answer.status_code} {answer.text}")
            return answer
        raise FoundError(f"{method} {path}: no answer within {_PATIENCE_SECONDS:.0f} s")

    def _match(self) -> None:
        rng = self._rng
        game = CURRENT[rng.choice(sorted(CURRENT))]
        count = rng.randint(game.seats[0], max(game.seats[0], min(4, game.seats[1])))
        people = rng.randint(1, 2)
        tokens = [self.ask("POST", "/v1/players", body={"name": "Soak"}).json()["token"] for _ in range(people)]
        short = short_match(game, count)
        body: dict[str, Any] = {"game": game.key, "bots": list(range(people, short.seats)), "options": short.options}
        body["seats"] = short.seats
        table = self.ask("POST", "/v1/tables", tokens[0], body).json()["table"]
        for token in tokens[1:]:
            self.ask("POST", f"/v1/tables/{table}/seats", token, {"client_seed": rng.randbytes(32).hex()})
        self.ask("POST", f"/v1/tables/{table}/start", tokens[0], {"round": 1})
        while not self._over.is_set():
            for token in tokens:
                view = self.ask("GET", f"/v1/tables/{table}", token).json()
                self._act(table, token, view)
            if view["status"] in ("finished", "closed"):
                self.finished.append((table, tokens[0]))
                return
            time.sleep(0.01)

    def _act(self, table: str, token: str, view: dict[str, Any]) -> None:
        decision, seat = view["you"]["decision"], view["you"]["seat"]
        if decision is not None:
            choose = choose_well if self._rng.random() < 0.7 else choose_any
            move = {"game": view["game"], "decision": decision, "move": choose(view, self._rng)}
            made = self.ask("POST", f"/v1/tables/{table}/moves", token, move).json()
            self.acknowledged.append((table, made["event"]["version"], seat, decision))
        elif view["status"] == "between_rounds" and view["host"] == seat:
            self.ask("POST", f"/v1/tables/{table}/start", token, {"round": view["round"] + 1})


# what has to hold


def check(program: Program, clients: list[Client], folder: Path) -> list[str]:
    """Return everything that does not hold after the faults."""
    found: list[str] = []
    servers = program.servers()
    if servers is None:
        return ["the servers do not run"]
    with psycopg.connect(servers[0]) as connection:
        rows = connection.execute(
            "select stream::text, version, actor, decision from events where decision is not null"
        ).fetchall()
    logged = Counter(rows)
    acknowledged = Counter(move for client in clients for move in client.acknowledged)
    found += [f"an acknowledged move is not in the log: {move}" for move in acknowledged if move not in logged]
    answered = Counter((table, seat, decision) for table, _, seat, decision in rows)
    found += [f"a decision was answered twice: {decision}" for decision, times in answered.items() if times > 1]
    audited = program.run("audit", "--all")
    if audited.returncode != 0:
        found.append(f"blattwerk audit --all: {audited.stdout[-500:]} {audited.stderr[-500:]}")
    for client in clients:
        for table, token in client.finished:
            record = folder / f"{table}.json.gz"
            record.write_bytes(gzip.compress(client.ask("GET", f"/v1/tables/{table}/record", token).content))
            command = (sys.executable, "-m", "service.verify", str(record))
            verified = subprocess.run(command, capture_output=True, text=True, check=False)
            if verified.returncode != 0:
                found.append(f"the record of {table}: {verified.stdout} {verified.stderr}")
    return found


def soak(minutes: float, players: int, seed: int, folder: Path) -> list[str]:
    """Play and break for so long; return what was found."""
    program, over, faults = Program(folder / "data"), threading.Event(), Counter[str]()
    found: list[str] = []
    program.start()
    try:
        clients = [Client(program.url, Random(f"{seed} {number}"), over) for number in range(players)]

        def play(client: Client) -> None:
            try:
                client.play_on()
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}")
                over.set()

        threads = [threading.Thread(target=play, args=(client,)) for client in clients]
        breaking = threading.Thread(target=break_things, args=(program, Random(seed), over, faults))
        for thread in (*threads, breaking):
            thread.start()
        over.wait(60 * minutes)
        over.set()
        for thread in (*threads, breaking):
            thread.join()
        time.sleep(5)  # what was killed last is back
        found += check(program, clients, folder)
        moves, matches = (sum(len(of) for of in those) for those in zip(*_done(clients), strict=True))
        print(f"{matches} matches over, {moves} moves acknowledged; {dict(faults)}")
    finally:
        program.stop()
    return found


def _done(clients: list[Client]) -> list[tuple[list[Any], list[Any]]]:
    return [(client.acknowledged, client.finished) for client in clients]


def main() -> None:
    """Soak as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description="The real service under matches, while things break."
    )
    parser.add_argument("--minutes", type=float, default=60, help="how long to play; default: 60")
    parser.add_argument("--players", type=int, default=6, help="clients that play at the same time; default: 6")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32), help="to play the same again")
    given = parser.parse_args()
    print(f"python -m tests.soak --minutes {given.minutes:g} --players {given.players} --seed {given.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = soak(given.minutes, given.players, given.seed, Path(folder))
    for finding in found:
        print(f"FOUND {finding}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
