"""Whether the time of an answer tells what its caller may not know.

    make bench-leaks                                 all cases, 2,000 pairs each
    make bench-leaks LEAKS="--pairs 200 --only token"

Each case is a request about two things that its sender must not be able to tell apart. Both are asked for in turn over
HTTP, on a connection of its own; which of the two comes first is random. P is the chance that a random time of the one
exceeds a random time of the other (Mann-Whitney's U by the number of pairs of times): 0.5 if times tell nothing. The
attacker knows how long both take, from the first half of the measurement. He sends 40 requests about something that he
does not know, compares their median with what is half-way between the two, and guesses; his share of right guesses is
that in the second half. Of so few guesses it is anything around 50 % where times tell nothing.
"""

import argparse
import http.client
import json
import random
import statistics
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from tests.bench.leak_cases import CASES, Case, Sent, cases
from tests.bench.report import Row, Section, machine, text

AIM: Final = 0.01
"""P may differ from 0.5 by so much."""
GUESSED_BY: Final = 40
"""Requests that an attacker sends for one guess."""
_WARM_PAIRS: Final = 50
_PAUSE_SECONDS: Final = 0.001
"""Between two requests: what is done after an answer has left is not to fall into the next one."""
_COLUMNS: Final = ("first us", "second us", "P", "95 % from", "to", "guess of 40, %", "aim")


class Rank(Struct, frozen=True):
    """The rank statistic of two samples."""

    p: float
    """The chance that a random value of the first exceeds one of the second; ties count half."""
    low: float
    high: float
    """Between these it lies with 95 % confidence, if the samples come from the same distribution."""

    @property
    def reached(self) -> bool:
        """Whether it may be as near to 0.5 as it has to be."""
        return self.low <= 0.5 + AIM and self.high >= 0.5 - AIM


def rank(first: Sequence[float], second: Sequence[float]) -> Rank:
    """Return the rank statistic of two samples."""
    ordered = sorted(second)
    below = sum(bisect_left(ordered, value) + bisect_right(ordered, value) for value in first) / 2
    p = below / (len(first) * len(second))
    error = ((len(first) + len(second) + 1) / (12 * len(first) * len(second))) ** 0.5
    return Rank(p, p - 1.96 * error, p + 1.96 * error)


def guessed(first: Sequence[float], second: Sequence[float], requests: int = GUESSED_BY) -> float | None:
    """Return the share of right guesses from the median of so many requests; None where they are too few for one."""
    half = min(len(first), len(second)) // 2
    centres = statistics.median(first[:half]), statistics.median(second[:half])
    threshold, first_is_slower = sum(centres) / 2, centres[0] > centres[1]
    right = [
        (statistics.median(values[start : start + requests]) > threshold) is slower
        for values, slower in ((first[half:], first_is_slower), (second[half:], not first_is_slower))
        for start in range(0, len(values) - requests + 1, requests)
    ]
    return statistics.fmean(right) if right else None


class Sender:
    """Sends requests to the processes, on one connection to each."""

    def __init__(self) -> None:
        self._connections: dict[str, http.client.HTTPConnection] = {}

    def seconds(self, sent: Sent, status: int) -> float:
        """Return how long an answer takes. RuntimeError if it has another status."""
        url = urlsplit(sent.url)
        connection = self._connections.get(url.netloc)
        if connection is None:
            connection = self._connections[url.netloc] = http.client.HTTPConnection(url.netloc, timeout=30)
        body = None if sent.body is None else json.dumps(sent.body).encode()
        headers = dict(sent.headers) | ({} if body is None else {"Content-Type": "application/json"})
        begun = time.perf_counter()
        connection.request(sent.method, f"{url.path}?{url.query}" if url.query else url.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        taken = time.perf_counter() - begun
        if answer.status != status:
            raise RuntimeError(f"{sent.method} {sent.url}: {answer.status} {content[:200].decode()}")
        return taken

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            connection.close()


def measured(case: Case, pairs: int, rng: random.Random) -> tuple[list[float], list[float]]:
    """Return the times of so many pairs, in microseconds and in the order of sending."""
    times: tuple[list[float], list[float]] = ([], [])
    sender = Sender()
    for number in range(-_WARM_PAIRS, pairs):
        for which in rng.sample((0, 1), 2):
            taken = sender.seconds(case.sent[which](number), case.status) * 1e6
            if number >= 0:
                times[which].append(taken)
            time.sleep(_PAUSE_SECONDS)
    sender.close()
    return times


def row_of(case: Case, first: Sequence[float], second: Sequence[float]) -> Row:
    """Return the line of a case."""
    found, share = rank(first, second), guessed(first, second)
    aim = "reached" if found.reached else "public" if case.public else "NOT REACHED"
    medians = statistics.median(first), statistics.median(second)
    values = *medians, found.p, found.low, found.high, None if share is None else 100 * share, aim
    return Row(case.title, dict(zip(_COLUMNS, values, strict=True)))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.leaks", description="What times tell.")
    parser.add_argument("--pairs", type=int, default=2000, help="pairs of requests in each case")
    parser.add_argument("--only", metavar="CASE", help="cases whose key begins so, of " + ", ".join(CASES))
    parser.add_argument("--tables", type=int, default=4000, help="tables that the database has besides")
    given = parser.parse_args()
    rng, rows = random.Random(1), []
    with cases(given.only or "", given.tables) as asked:
        for case in asked:
            rows.append(row_of(case, *measured(case, given.pairs, rng)))
            print(f"{rows[-1].name}: P {rows[-1].cells['P']:.3f}", flush=True)
    note = f"{given.pairs} pairs of each; load before {machine()['load before']}. Aim: P from 0.49 to 0.51, as far as "
    note += "so many pairs can tell. What is `public` may differ: see domain/verify/README.md."
    print(f"\n{text(Section('leaks', 'what is asked for', note, _COLUMNS, tuple(rows)))}")


if __name__ == "__main__":
    main()
