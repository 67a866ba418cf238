"""Measure the fold and the answers to a move: `python -m tests.games.herzeln.measure_fold`.

Matches are played at random and their events kept as JSON; then all are decoded and folded again, and
every move is judged again together with what a client gets to see. Times are processor time, the
best of some runs.
"""

import argparse
from time import process_time
from typing import Any

import msgspec

from domain.games.herzeln import HERZELN_1 as GAME
from domain.games.herzeln.fold import evolve
from domain.games.herzeln.model import HerzelnFact
from tests.games.herzeln.tables import CHANCE, Step, match, options

decode: Any = msgspec.json.Decoder(tuple[HerzelnFact, ...]).decode


def fold_us(matches: list[list[Step]], players: int) -> float:
    """Return the microseconds for one event, decoded and folded."""
    stored = [[msgspec.json.encode(facts) for _, _, _, facts in steps] for steps in matches]
    started = process_time()
    for events in stored:
        state = GAME.decider.new(options(players), players)
        for event in events:
            for fact in decode(event):
                state = evolve(state, fact)
        assert GAME.decider.outcome(state) is not None
    return (process_time() - started) * 1e6 / sum(map(len, stored))


def answer_us(matches: list[list[Step]]) -> float:
    """Return the microseconds for one move that is judged, with board, hand and legal moves of its seat."""
    moves = [
        (state, seat, move)
        for steps in matches
        for state, seat, move, _ in steps
        if seat is not None and move is not None
    ]
    started = process_time()
    for state, seat, move in moves:
        GAME.decider.decide(state, seat, move, CHANCE)
        GAME.views.board(state)
        GAME.views.hand(state, seat)
        GAME.views.legal(state, seat)
    return (process_time() - started) * 1e6 / len(moves)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}, {arguments.matches} matches")
    for players in (3, 4):
        matches = [
            list(match(options(players), arguments.seed * 1_000_000 + number)) for number in range(arguments.matches)
        ]
        fold = min(fold_us(matches, players) for _ in range(7))
        answer = min(answer_us(matches) for _ in range(3))
        print(f"{players} seats: fold {fold:.2f} us/event, {1e6 / fold:,.0f} events/s; ", end="")
        print(f"decide, board, hand and legal {answer:.1f} us/move")


if __name__ == "__main__":
    main()
