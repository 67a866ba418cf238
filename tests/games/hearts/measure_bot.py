"""How often the bot wins against players that move at random.

    python -m tests.games.hearts.measure_bot --matches 1000 --seed 1

One seat is the bot's, a different one in each match; the others pick any legal move. Prints the share
of matches won for several tables, what chance would give, and how long a move takes.
"""

import argparse
from random import Random
from statistics import median, quantiles
from time import process_time

from domain.decider import view_of
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsMove
from tests.games.hearts.positions import View, by_sample, chance, evolved, table_of

TABLES: dict[str, dict[str, object]] = {
    "standard": {},
    "spot": {"variant": "spot"},
    "omnibus": {"omnibus": True},
    "black maria": {"black_maria": True},
    "spot, black maria, omnibus": {"variant": "spot", "black_maria": True, "omnibus": True},
    "moon subtracted": {"moon_rule": "subtract_from_own"},
    "3 players": {"players": 3},
    "5 players": {"players": 5},
}


class TimedBot:
    """The bot, with the seconds of processor time each of its moves took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, view: View, rng: Random) -> HeartsMove:
        seed = rng.getrandbits(63)
        began = process_time()
        move = HEARTS_1.players.bot(view, seed)
        self.seconds.append(process_time() - began)
        return move


def winner(raw: dict[str, object], seed: int, bot_seat: int, bot: TimedBot) -> int:
    """Play one match and return the seat that wins."""
    table = table_of(raw)
    rng, by = Random(seed), chance(seed)
    state = HEARTS_1.decider.new(table, table.players)
    state = evolved(state, HEARTS_1.decider.start(state, by))
    while seats := HEARTS_1.decider.to_act(state):
        seat = seats[0]
        view = view_of(HEARTS_1, state, seat)
        move = bot(view, rng) if seat == bot_seat else by_sample(view, rng)
        facts = HEARTS_1.decider.decide(state, seat, move, by)
        assert isinstance(facts, tuple), (seed, seat, move, facts)
        state = evolved(state, facts)
    outcome = HEARTS_1.decider.outcome(state)
    assert outcome is not None
    return outcome.places.index(1)


def main() -> None:
    """Measure every table and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", choices=TABLES)
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.matches} matches each")
    for name, raw in TABLES.items():
        if asked.table not in (None, name):
            continue
        bot, seats = TimedBot(), table_of(raw).players
        wins = sum(
            winner(raw, asked.seed * 1_000_000 + match, match % seats, bot) == match % seats
            for match in range(asked.matches)
        )
        slowest = quantiles(bot.seconds, n=1000)[-1]
        print(
            f"{name:28} won {wins / asked.matches:6.1%} (chance {1 / seats:.0%}), "
            f"a move: median {median(bot.seconds) * 1e6:.0f} us, 99.9 % {slowest * 1e6:.0f} us"
        )


if __name__ == "__main__":
    main()
