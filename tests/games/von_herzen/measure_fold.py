"""Measure the fold of Von Herzen: `python -m tests.games.von_herzen.measure_fold`.

Facts are decoded from JSON and applied, as when a stream is read; moves are judged and viewed.
"""

import argparse
import time
from collections.abc import Callable

import msgspec

from domain.decider import view_of
from tests.games.von_herzen.play import GAME, Player, careless, chance_of, options_of, sensible, started, steps

PLAYERS: dict[str, Player] = {"careless": careless, "sensible": sensible}


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of five runs."""
    times = []
    for _ in range(5):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def measure(players: int, name: str, seeds: range) -> None:
    decode = msgspec.json.Decoder(GAME.types.fact).decode
    matches, judged = [], []
    for seed in seeds:
        _, facts = started(options_of(players), seed)
        for before, seat, move, new_facts, _ in steps(options_of(players), seed, {}, PLAYERS[name]):
            judged.append((before, seat, move))
            facts.extend(new_facts)
        matches.append([msgspec.json.encode(fact) for fact in facts])

    def fold() -> None:
        for match in matches:
            state = GAME.decider.new(options_of(players), players)
            for data in match:
                state = GAME.decider.evolve(state, decode(data))

    chance = chance_of(0)

    def judge() -> None:
        for before, seat, move in judged:
            GAME.decider.decide(before, seat, move, chance)

    def view() -> None:
        for before, seat, _ in judged:
            view_of(GAME, before, seat)

    facts_count = sum(map(len, matches))
    fold_s, judge_s, view_s = seconds(fold), seconds(judge), seconds(view)
    print(
        f"{players:5}  {name:8}  {len(judged) / len(matches):6.0f}  {facts_count / fold_s:8.0f}"
        f"  {len(judged) / fold_s:8.0f}  {judge_s / len(judged) * 1e6:8.1f}  {view_s / len(judged) * 1e6:6.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20)
    arguments = parser.parse_args()
    print("seats  players   moves/match  facts/s   moves/s  decide us  view us")
    for players in range(2, 7):
        for name in PLAYERS:
            measure(players, name, range(arguments.matches))


if __name__ == "__main__":
    main()
