"""Measure the computer player against random legal players: `python -m tests.games.herzeln.measure_bot`.

One seat, another in each match, is held by the bot, all others play any listed move. Printed for each
number of seats: the share of matches won (a shared first place counts as its part), average place,
average points of a match and of each contract, and the processor and wall time of the bot's decisions.
"""

import argparse
from collections import Counter
from random import Random
from time import perf_counter, process_time

from domain.decider import Seat, view_of
from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.model import HerzelnMove, HerzelnState
from tests.games.herzeln.tables import after, match, options


class Tally:
    """What one number of seats comes to over many matches."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.matches = 0
        self.won = 0.0
        self.places = 0
        self.bot_points: Counter[int] = Counter()
        self.other_points: Counter[int] = Counter()
        self.cpu_ms: list[float] = []
        self.wall_ms: list[float] = []

    def play(self, seed: int) -> None:
        """Play a match with the bot in one seat and add what it came to."""
        bot_seat = seed % self.players
        random = Random(seed)

        def mover(state: HerzelnState, seat: Seat) -> HerzelnMove:
            view = view_of(HERZELN_1, state, seat)
            if seat != bot_seat:
                return HERZELN_1.players.sample(view, random.randrange)
            cpu, wall = process_time(), perf_counter()
            move = HERZELN_1.players.bot(view, random.getrandbits(63))
            self.cpu_ms.append((process_time() - cpu) * 1000)
            self.wall_ms.append((perf_counter() - wall) * 1000)
            return move

        *_, (state, _, _, facts) = match(options(self.players), seed, mover)
        self._add(after(state, facts), bot_seat)

    def _add(self, state: HerzelnState, bot_seat: Seat) -> None:
        assert state.places is not None
        self.matches += 1
        self.places += state.places[bot_seat]
        if state.places[bot_seat] == 1:
            self.won += 1 / state.places.count(1)
        for score in state.score_sheet:
            self.bot_points[score.contract] += score.points[bot_seat]
            self.other_points[score.contract] += sum(score.points) - score.points[bot_seat]

    def report(self) -> None:
        """Print it."""
        others = self.matches * (self.players - 1)
        print(f"{self.players} seats, {self.matches} matches")
        print(f"  won {self.won / self.matches:.3f} (fair share {1 / self.players:.3f})")
        print(f"  average place {self.places / self.matches:.3f} (fair {(self.players + 1) / 2:.1f})")
        for who, points, count in (("bot", self.bot_points, self.matches), ("random", self.other_points, others)):
            each = "  ".join(f"{points[contract] / count:6.1f}" for contract in range(1, 9))
            print(f"  points of {who:6} {sum(points.values()) / count:7.1f}; contracts 1 to 8: {each}")
        for what, times in (("processor", sorted(self.cpu_ms)), ("wall", sorted(self.wall_ms))):
            p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
            print(f"  {what:9} time of {len(times)} decisions: p50 {p50:.2f}, p99 {p99:.2f}, max {times[-1]:.2f} ms")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="*", default=[3, 4])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    for players in arguments.seats:
        tally = Tally(players)
        for number in range(arguments.matches):
            tally.play(arguments.seed * 1_000_000 + number)
        tally.report()


if __name__ == "__main__":
    main()
