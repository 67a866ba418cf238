"""What clients were told: every acknowledged move, and for each fault how requests fared meanwhile."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Acknowledged(NamedTuple):
    """A move that a client was told is recorded."""

    fault: str
    table: str
    seat: int
    decision: int
    version: int | None
    """None where the answer could not say."""


@dataclass
class Row:
    """What happened during one kind of fault, and until the next one."""

    times: int = 0
    requests: int = 0
    moves: int = 0
    lost: int = 0
    doubled: int = 0
    longest: float = 0.0
    """The longest time until the first byte of an answer, in seconds."""
    turned_away: int = 0
    """Answers 503 and 429."""
    refused: int = 0
    """Connections that nobody took."""
    cut: int = 0
    """Requests whose connection was closed before the answer."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Everything that must not happen, by what it was."""


class Journal:
    """Written by all clients; what is noted counts for the fault that is in force."""

    def __init__(self, first_byte_seconds_max: float) -> None:
        self._first_byte_seconds_max = first_byte_seconds_max
        self._lost: set[Acknowledged] = set()
        self._doubled: set[tuple[str, int, int]] = set()
        self._lock = threading.Lock()
        self._fault = "none yet"
        self._answers_may_be_lost = True
        self.keys_may_expire = False
        """Whether the key of an account may be refused as too old by now."""
        self.rows: dict[str, Row] = {}
        self.moves: list[Acknowledged] = []
        self.tables: list[tuple[str, str]] = []
        """Acknowledged tables, each with the fault in force."""

    def begin(self, fault: str, *, answers_may_be_lost: bool, keys_may_expire: bool = False) -> None:
        """Let all that is noted from now on count for this fault."""
        with self._lock:
            self._fault, self._answers_may_be_lost = fault, answers_may_be_lost
            self.keys_may_expire = keys_may_expire
            self._row.times += 1

    def acknowledge(self, table: str, seat: int, decision: int, version: int | None) -> None:
        """Note a move that is recorded."""
        with self._lock:
            self.moves.append(Acknowledged(self._fault, table, seat, decision, version))
            self._row.moves += 1

    def created(self, table: str) -> None:
        """Note a table that is recorded."""
        with self._lock:
            self.tables.append((table, self._fault))

    def answered(self, what: str, status: int, seconds: float) -> None:
        """Note the status of an answer, and the time until its first byte."""
        with self._lock:
            row = self._row
            row.requests += 1
            row.longest = max(row.longest, seconds)
            row.turned_away += status in (429, 503)
            if seconds > self._first_byte_seconds_max:
                row.wrong[f"{what}: first byte after more than {self._first_byte_seconds_max:.0f} s"] += 1

    def refused(self) -> None:
        """Note a connection that was refused."""
        with self._lock:
            self._row.refused += 1

    def cut(self, what: str, seconds: float, error: Exception) -> None:
        """Note a request whose connection was closed before the answer was complete."""
        with self._lock:
            self._row.cut += 1
            self._row.longest = max(self._row.longest, seconds)
            if not self._answers_may_be_lost:
                self._row.wrong[f"{what}: no answer ({type(error).__name__})"] += 1

    def lost(self, move: Acknowledged) -> None:
        """Note, once, that an acknowledged move is not in the log as it was acknowledged."""
        if move not in self._lost:
            self._lost.add(move)
            self.rows[move.fault].lost += 1

    def doubled(self, table: str, seat: int, decision: int) -> None:
        """Note, once, that a decision has several answers in the log."""
        if (table, seat, decision) not in self._doubled:
            self._doubled.add((table, seat, decision))
            faults = [
                move.fault for move in self.moves if (move.table, move.seat, move.decision) == (table, seat, decision)
            ]
            self.rows.setdefault(faults[0] if faults else self._fault, Row()).doubled += 1

    def wrong(self, what: str, fault: str | None = None) -> None:
        """Note something that must not happen."""
        with self._lock:
            fault = fault or self._fault
            self.rows.setdefault(fault, Row()).wrong[what] += 1
        print(f"{time.strftime('%H:%M:%S')} {fault}: WRONG {what}", flush=True)

    @property
    def _row(self) -> Row:
        return self.rows.setdefault(self._fault, Row())
