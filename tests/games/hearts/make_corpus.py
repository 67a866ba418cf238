"""Rounds of OpenSpiel's hearts: written as a corpus, or compared at once.

    python -m tests.games.hearts.make_corpus --write --rounds 2400 --seed 1
    python -m tests.games.hearts.make_corpus --check 10000 --seed 7
    python -m tests.games.hearts.make_corpus --report

The first form writes the file that the tests read; the second plays fresh rounds and compares each with
our rules; the third counts what occurs in the file. Needs the package open_spiel (2.0.2 was used).
The same seed gives the same rounds.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from random import Random
from typing import Any, Final

from domain.cards import RANKS, Card
from tests.games.hearts.corpus.comparison import difference, occurrences
from tests.games.hearts.corpus.recorded import PROBLEM_TYPES, RecordedRound, Step, by_suit, read, write

CARDS: Final[tuple[Card, ...]] = tuple(rank + suit for rank in RANKS for suit in "CDHS")
"""The cards by OpenSpiel's numbers, 4 x rank + suit."""
NUMBER: Final = {card: number for number, card in enumerate(CARDS)}
PENALTIES: Final = (*(card for card in CARDS if card[1] == "H"), "QS")
DIRECTIONS: Final = (0, 1, 2, 3)

Choose = Callable[[int, tuple[Card, ...], list[Card]], Card]
"""Picks a card: (seat, legal cards, cards of the running trick)."""


def shuffled(cards: Sequence[Card], rng: Random) -> list[Card]:
    """Return the cards in random order, the same for a seed in every Python version."""
    return sorted(cards, key=lambda _: rng.random())


def one_of(cards: Sequence[Card], rng: Random) -> Card:
    return cards[int(rng.random() * len(cards))]


# hands after the passing


def uniform(_seat: int, rng: Random) -> list[list[Card]]:
    cards = shuffled(CARDS, rng)
    return [cards[seat * 13 : seat * 13 + 13] for seat in range(4)]


def with_hand(seat: int, own: list[Card], rng: Random) -> list[list[Card]]:
    """Give `own` to a seat, filled up to 13 cards, and the rest to the others."""
    rest = shuffled([card for card in CARDS if card not in own], rng)
    own = own + [rest.pop() for _ in range(13 - len(own))]
    return [own if other == seat else [rest.pop() for _ in range(13)] for other in range(4)]


def penalty_hand(seat: int, rng: Random) -> list[list[Card]]:
    """All penalty cards but one, or all but two and a card that is neither club nor penalty."""
    own = shuffled(PENALTIES, rng)[:13]
    if rng.random() < 0.3:
        own[0] = one_of([card for card in CARDS if card[1] != "C" and card not in PENALTIES], rng)
    return with_hand(seat, own, rng)


def long_hearts(seat: int, rng: Random) -> list[list[Card]]:
    """Most hearts and some aces and kings: the seat gets the lead and soon has nothing but hearts."""
    hearts = shuffled([card for card in CARDS if card[1] == "H"], rng)[: 8 + int(rng.random() * 4)]
    high = shuffled(["AC", "KC", "AD", "KD", "AS", "KS", "QS"], rng)
    return with_hand(seat, (hearts + high)[:13], rng)


def moon_hand(seat: int, rng: Random) -> list[list[Card]]:
    """The highest hearts and most aces, kings and queens; often a low diamond that somebody else takes."""
    if rng.random() < 0.5:
        own = ["AH", "KH", "QH", "JH", "TH", *shuffled([rank + suit for rank in "AKQ" for suit in "CDS"], rng)[:7]]
    else:
        own = ["AH", "KH", "QH", "JH", "TH", "9H", *(rank + suit for rank in "AKQ" for suit in "CS")]
        own.append(one_of(["3D", "4D", "5D", "6D"], rng))
    return with_hand(seat, own, rng)


DEALS: Final = dict(zip(PROBLEM_TYPES, (uniform, uniform, penalty_hand, long_hearts, moon_hand), strict=True))

# players


def at_random(rng: Random) -> Choose:
    return lambda _seat, legal, _trick: one_of(legal, rng)


def hoarding(rng: Random) -> Choose:
    """Keep hearts and mostly the queen of spades to the end."""

    def choose(_seat: int, legal: tuple[Card, ...], _trick: list[Card]) -> Card:
        others = [card for card in legal if card[1] != "H" and (card != "QS" or rng.random() < 0.2)]
        return one_of(others or legal, rng)

    return choose


def shooting(shooter: int, rng: Random) -> Choose:
    """One seat plays its highest cards, the others low ones and penalty cards on its tricks."""

    def choose(seat: int, legal: tuple[Card, ...], trick: list[Card]) -> Card:
        if rng.random() < 0.03:
            return one_of(legal, rng)
        if seat == shooter:
            return max(legal, key=NUMBER.__getitem__)
        if trick and legal[0][1] != trick[0][1]:
            return max(legal, key=lambda card: (card in PENALTIES, card != "JD", NUMBER[card]))
        return min(legal, key=lambda card: (card in PENALTIES, NUMBER[card]))

    return choose


def players(kind: str, seat: int, rng: Random) -> Choose:
    if kind == "moon":
        return shooting(seat, rng)
    if kind in ("hoarded_hearts", "long_hearts"):
        return hoarding(rng)
    return at_random(rng)


# rounds


def before_passing(
    hands: list[list[Card]], direction: int, rng: Random
) -> tuple[list[tuple[Card, ...]], list[list[Card]]]:
    """Return dealt hands and passes after which the seats hold `hands`."""
    if not direction:
        return [by_suit(hand) for hand in hands], []
    mixed = [shuffled(hand, rng) for hand in hands]
    passes = [mixed[(giver + direction) % 4][:3] for giver in range(4)]
    return [by_suit(hand[3:] + given) for hand, given in zip(mixed, passes, strict=True)], passes


def played(kind: str, jd_bonus: bool, direction: int, rng: Random) -> RecordedRound:
    """Play one round in OpenSpiel and record every step."""
    seat = int(rng.random() * 4)
    hands, passes = before_passing(DEALS[kind](seat, rng), direction, rng)
    state = _game(jd_bonus).new_initial_state()
    state.apply_action(direction)
    for place in range(52):
        state.apply_action(NUMBER[hands[place % 4][place // 4]])
    pass_steps = [_step(state, lambda *_, card=card: card) for cards in passes for card in cards]
    choose = players(kind, seat, rng)
    plays: list[Step] = []
    points: list[tuple[int, ...]] = []
    while not state.is_terminal():
        trick = [step.card for step in plays[len(plays) // 4 * 4 :]]
        plays.append(_step(state, lambda mover, legal, trick=trick: choose(mover, legal, trick)))
        if len(plays) % 4 == 0 and not state.is_terminal():  # at the end a moon is counted in
            points.append(tuple(state.points(other) for other in range(4)))
    return RecordedRound(
        kind=kind,
        jd_bonus=jd_bonus,
        direction=direction,
        hands=tuple(hands),
        passes=tuple(pass_steps),
        plays=tuple(plays),
        points=tuple(points),
        results=tuple(26 - int(value) for value in state.returns()),
    )


def _step(state: Any, choose: Callable[..., Card]) -> Step:
    seat, broken = state.current_player(), state.hearts_broken()
    legal = by_suit(CARDS[action] for action in state.legal_actions())
    card = choose(seat, legal)
    state.apply_action(NUMBER[card])
    return Step(seat, legal, broken, card)


_GAMES: dict[bool, Any] = {}


def _game(jd_bonus: bool) -> Any:
    if jd_bonus not in _GAMES:
        load_game = import_module("pyspiel").load_game
        _GAMES[jd_bonus] = load_game("hearts", {"jd_bonus": jd_bonus, "qs_breaks_hearts": False})
    return _GAMES[jd_bonus]


def rounds(count: int, seed: int) -> Iterator[RecordedRound]:
    """Play rounds of all kinds, directions and both ways to count the jack of diamonds in turn."""
    for number in range(count):
        kind = PROBLEM_TYPES[number % len(PROBLEM_TYPES)]
        direction = DIRECTIONS[number // len(PROBLEM_TYPES) % len(DIRECTIONS)]
        jd_bonus = number // (len(PROBLEM_TYPES) * len(DIRECTIONS)) % 2 == 1
        yield played(kind, jd_bonus, direction, Random(f"{seed} {number}"))


def main() -> None:
    """Write, compare or count rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", type=int, metavar="N")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--rounds", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.write:
        made = list(rounds(asked.rounds, asked.seed))
        write(made, asked.seed, f"open_spiel {version('open_spiel')}")
    if asked.check:
        print(f"seed {asked.seed}, {asked.check} rounds")
        for number, recorded in enumerate(rounds(asked.check, asked.seed)):
            if found := difference(recorded):
                raise SystemExit(f"seed {asked.seed} round {number} ({recorded.kind}): {found}\n{recorded}")
        print("no difference")
    if asked.report:
        for name, count in sorted(occurrences(read()).items()):
            print(f"{count:6} {name}")


if __name__ == "__main__":
    main()
