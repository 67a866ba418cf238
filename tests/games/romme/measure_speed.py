"""Speed of the fold, `decide`, `legal` with its suggestions, views and the bot, over whole matches of bots.

`python -m tests.games.romme.measure_speed` prints CPU times of one process.
"""

import argparse
from collections.abc import Callable
from itertools import pairwise
from time import process_time_ns

import msgspec

from domain.decider import OptionProblem, Seat, view_of
from domain.fairness import MatchChance
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.bot import bot
from domain.games.romme.model import RommeState
from domain.games.romme.moves import RommeMove
from domain.games.romme.rules import decide, legal
from domain.games.romme.views import board
from tests.games.romme.play import Event, by_bots, events

CHANCE = MatchChance(bytes(32))
Decision = tuple[RommeState, Seat, RommeMove]
RAW: dict[str, object] = {"rounds": 3, "joker_swap": True}


def folded_again(matches: list[tuple[int, list[Event]]], times: int) -> float:
    """Return facts folded from JSON in a second."""
    decode = msgspec.json.Decoder(ROMME_1.types.fact).decode
    logs = [(seats, [msgspec.json.encode(fact) for event in match for fact in event.facts]) for seats, match in matches]
    begun, facts = process_time_ns(), 0
    for _ in range(times):
        for seats, log in logs:
            options = ROMME_1.options.parse(RAW, seats)
            assert not isinstance(options, OptionProblem)
            state = ROMME_1.decider.new(options, seats)
            for line in log:
                state = ROMME_1.decider.evolve(state, decode(line))
            facts += len(log)
    return facts * 1e9 / (process_time_ns() - begun)


def show(name: str, work: Callable[[Decision], object], decisions: list[Decision]) -> None:
    """Print how long one piece of work takes."""
    times = []
    for decision in decisions:
        begun = process_time_ns()
        work(decision)
        times.append((process_time_ns() - begun) / 1e3)
    times.sort()
    figures = f"mean {sum(times) / len(times):8.1f}  p50 {times[len(times) // 2]:8.1f}"
    print(f"{name:26} {figures}  p99 {times[len(times) * 99 // 100]:8.1f}  max {times[-1]:8.1f} us  ({len(times)})")


def main() -> None:
    """Play matches and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10)
    given = parser.parse_args()
    matches = [(2 + seed % 5, list(events(RAW, 2 + seed % 5, seed, by_bots))) for seed in range(given.matches)]
    decisions: list[Decision] = []
    for _, match in matches:
        for before, event in pairwise(match):
            if event.seat is not None and event.move is not None:
                decisions.append((before.states[-1], event.seat, event.move))
    drawing = [decision for decision in decisions if decision[0].phase == "draw"]
    playing = [decision for decision in decisions if decision[0].phase == "play"]
    views = {id(decision): view_of(ROMME_1, decision[0], decision[1]) for decision in decisions}
    none = private_stream.new()
    print(f"fold: {folded_again(matches, 10):,.0f} facts/s from JSON")
    show("decide", lambda it: decide(it[0], it[1], it[2], CHANCE), decisions)
    show("legal before the draw", lambda it: legal(it[0], it[1]), drawing)
    show("legal after the draw", lambda it: legal(it[0], it[1]), playing)
    show("the same with drafts", lambda it: private_stream.legal(it[0], it[1], none), playing)
    show("board", lambda it: board(it[0]), decisions)
    show("board as JSON", lambda it: msgspec.json.encode(board(it[0])), decisions)
    show("bot from its view", lambda it: bot(views[id(it)], 1), decisions)
    show("bot and its view", lambda it: bot(view_of(ROMME_1, it[0], it[1]), 1), decisions)


if __name__ == "__main__":
    main()
