"""How well and how fast the computer player plays: `python -m tests.games.romme.measure_bot`.

One bot meets three simple players. A simple player draws from the stock, lays and lays off only when it
must - because another seat is out, or to end the round at once - and discards the dearest card that is
in none of its melds. The bot sits on each seat equally often.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from secrets import randbits
from time import process_time_ns
from typing import TypeAlias

from msgspec.structs import replace

from domain.cards import Card
from domain.decider import OptionProblem, Rejection, SeatView, view_of
from domain.fairness import MatchChance
from domain.games.romme import ROMME_1
from domain.games.romme.bot import bot
from domain.games.romme.deck import DECK, FACE, VALUE
from domain.games.romme.model import (
    RommeBoard,
    RommeLegal,
    RommeLegalDiscard,
    RommeLegalLay,
    RommeLegalLayOff,
    RommeOptions,
    RommePrivate,
    RommeState,
)
from domain.games.romme.moves import RommeDiscard, RommeDrawStock, RommeLay, RommeLayOff, RommeMove
from domain.games.romme.offers import listed_moves
from domain.games.romme.partition import HandSearch

SEATS = 4
View: TypeAlias = SeatView[RommeOptions, RommeBoard, RommePrivate, RommeLegal]
Player: TypeAlias = Callable[[View, int], RommeMove]


def simple(view: View, seed: int) -> RommeMove:
    """Return the move of a player that lays only when it must."""
    if view.board.phase == "draw":
        return RommeDrawStock()
    others_out = any(points is not None for seat, points in enumerate(view.board.first_lay) if seat != view.seat)
    for entry in view.legal:
        if isinstance(entry, RommeLegalLay) and entry.best:
            laid = sum(len(meld.meld.cards) for meld in entry.best)
            if others_out or laid == len(view.hand) - 1:
                return RommeLay(tuple(meld.meld for meld in entry.best))
        if isinstance(entry, RommeLegalLayOff) and (others_out or len(view.hand) == 2):
            move = listed_moves(entry)[0]
            assert isinstance(move, RommeLayOff)
            return move
    allowed = next(entry.cards for entry in view.legal if isinstance(entry, RommeLegalDiscard))
    left = HandSearch(view.hand).split("cards").left
    return RommeDiscard(max(allowed, key=lambda card: (card in FACE, card in left, VALUE[card])))


def play_round(number: int, seed: int, players: Sequence[Player]) -> RommeState:
    """Return the state after a match of one round."""
    options = ROMME_1.options.parse({"rounds": 1}, SEATS)
    assert not isinstance(options, OptionProblem)
    chance = MatchChance(sha256(f"{seed} {number}".encode()).digest())
    rng = Random(f"{seed} {number}")
    state: RommeState = ROMME_1.decider.new(options, SEATS)
    facts = ROMME_1.decider.start(state, chance)
    while True:
        for fact in facts:
            state = ROMME_1.decider.evolve(state, fact)
        if ROMME_1.decider.outcome(state):
            return state
        seat = state.turn
        answer = ROMME_1.decider.decide(
            state, seat, players[seat](view_of(ROMME_1, state, seat), rng.randrange(2**63)), chance
        )
        assert not isinstance(answer, Rejection), f"seed {seed} round {number}: {answer}"
        facts = answer


def rounds_won(rounds: int, seed: int) -> tuple[int, Counter[str], int, int]:
    """Return the rounds the bot won, how rounds ended, and the points of the bot and of all others."""
    won, own, others = 0, 0, 0
    reasons: Counter[str] = Counter()
    for number in range(rounds):
        place = number % SEATS
        result = play_round(number, seed, [bot if seat == place else simple for seat in range(SEATS)]).score_sheet[-1]
        won += place in result.winners
        own += result.points[place]
        others += sum(result.points) - result.points[place]
        reasons[result.reason] += 1
    return won, reasons, own, others


def hand_of(cards: int, jokers: int, rng: Random) -> tuple[Card, ...]:
    """Return a random hand with this many jokers."""
    real = rng.sample([card for card in DECK if card in FACE], cards - jokers)
    return tuple(rng.sample([*real, *rng.sample([card for card in DECK if card not in FACE], jokers)], cards))


def latencies(decisions: int, seed: int) -> tuple[list[float], list[float]]:
    """Return the CPU milliseconds of each decision alone, and with the view it is made from, ascending.

    Every decision is one of a seat that is out, or not, with 14 cards and 0 to 6 jokers, each equally often.
    """
    rng = Random(seed)
    alone, with_view = [], []
    state = play_round(0, seed, [bot] * SEATS)
    for number in range(decisions):
        hand = hand_of(14, number % 7, rng)
        state = prepared(state, hand, out=bool(number // 7 % 2))
        begun = process_time_ns()
        view = view_of(ROMME_1, state, state.turn)
        seen = process_time_ns()
        bot(view, number)
        done = process_time_ns()
        alone.append((done - seen) / 1e6)
        with_view.append((done - begun) / 1e6)
    return sorted(alone), sorted(with_view)


def prepared(state: RommeState, hand: tuple[Card, ...], *, out: bool) -> RommeState:
    """Return a state in which the first seat has to lay or discard with this hand."""
    return replace(
        state,
        phase="play",
        places=None,
        turn=0,
        hands=(hand, *((),) * (SEATS - 1)),
        entered=((0,) * len(hand), *((),) * (SEATS - 1)),
        shown=((),) * SEATS,
        taken=None,
        drawn=hand[-1],
        melds=tuple(meld for meld in state.melds if not any(slot.card in hand for slot in meld.slots)),
        first_lay=(30 if out else None, *(None,) * (SEATS - 1)),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that this share of ascending values does not exceed."""
    return values[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    """Print rounds won and latencies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--decisions", type=int, default=3500)
    parser.add_argument("--seed", type=int, default=randbits(32))
    given = parser.parse_args()
    print(f"seed {given.seed}")
    won, reasons, own, others = rounds_won(given.rounds, given.seed)
    share = 100 * won / given.rounds
    print(f"rounds won by the bot: {won} of {given.rounds} ({share:.1f} %), ended {dict(reasons)}")
    print(f"points for each round: bot {own / given.rounds:.1f}, each other {others / given.rounds / 3:.1f}")
    for name, values in zip(("bot alone", "bot and its view"), latencies(given.decisions, given.seed), strict=True):
        figures = ", ".join(f"p{share * 100:g} {percentile(values, share):.2f}" for share in (0.5, 0.9, 0.99))
        print(f"{name}: {figures}, max {values[-1]:.2f} ms CPU over {len(values)} decisions with 14 cards")


if __name__ == "__main__":
    main()
