"""Measure the computer player against random legal players: `python -m tests.games.von_herzen.measure_bot`.

One seat, another in each match, is held by the bot, all others play any listed move. Printed for each
number of seats: the share of matches won (a shared first place counts as its part), the average score of
a round for the bot and for a random seat, and the processor time of the bot's decisions.
"""

import argparse
import time
from random import Random

from domain.decider import Rejection, view_of
from tests.games.von_herzen.play import GAME, careless, chance_of, options_of, started


def play(players: int, seed: int, times_ms: list[float]) -> tuple[float, tuple[int, ...], int]:
    """Play a match; return the bot's share of the first place, the totals and the bot's seat."""
    options = options_of(players)
    rng, chance = Random(seed), chance_of(seed)
    state, _ = started(options, seed)
    bot_seat = seed % players
    while (outcome := GAME.decider.outcome(state)) is None:
        (seat,) = GAME.decider.to_act(state)
        view = view_of(GAME, state, seat)
        if seat == bot_seat:
            begun = time.thread_time()
            move = GAME.players.bot(view, rng.getrandbits(63))
            times_ms.append((time.thread_time() - begun) * 1000)
        else:
            move = careless(view, rng)
        facts = GAME.decider.decide(state, seat, move, chance)
        assert not isinstance(facts, Rejection), (seed, move, facts)
        for fact in facts:
            state = GAME.decider.evolve(state, fact)
    winners = outcome.places.count(1)
    share = 1 / winners if outcome.places[bot_seat] == 1 else 0.0
    return share, outcome.totals, bot_seat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seats", type=int, nargs="*", default=[2, 3, 4, 5, 6])
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.matches} matches for each number of seats")
    print("seats  won   fair  bot/round  random/round  p50 ms  p99 ms  max ms")
    for players in arguments.seats:
        times_ms: list[float] = []
        won, bot_points, other_points = 0.0, 0, 0
        for number in range(arguments.matches):
            share, totals, seat = play(players, arguments.seed * 1_000_000 + number, times_ms)
            won += share
            bot_points += totals[seat]
            other_points += sum(totals) - totals[seat]
        times_ms.sort()
        rounds = arguments.matches * players * 2
        print(
            f"{players:5}  {won / arguments.matches:.3f} {1 / players:.3f}  {bot_points / rounds:8.2f}"
            f"  {other_points / rounds / (players - 1):12.2f}  {times_ms[len(times_ms) // 2]:6.2f}"
            f"  {times_ms[len(times_ms) * 99 // 100]:6.2f}  {times_ms[-1]:6.2f}"
        )


if __name__ == "__main__":
    main()
