"""`python -m tests.fuzz`: random matches through the conformance suite, for as long as asked, then
for a tenth of that time rounds compared with other engines, where a game knows one.

Each match has a number; seed and number alone decide its game, options, players and cards, so
`--seed S --only N` plays match N of a run again. The exit status is 0 if nothing was found.
"""

import argparse
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from random import Random, SystemRandom
from typing import Any, TypeVar

from domain.decider import AnyGame, OptionProblem
from domain.registry import GAMES
from tests.conformance.hooks import Hooks, OptionSet, hooks_of
from tests.conformance.matches import PLAYERS, play
from tests.conformance.suite import run_checks

Thing = TypeVar("Thing")

FINDINGS_MAX = 10
"""After so many findings a run ends."""


def options_for(game: AnyGame, hooks: Hooks, rng: Random) -> OptionSet:
    """Return one of the game's option sets; now and then with other choices and flags, if they go together."""
    raw, asked = rng.choice([options for number, options in enumerate(hooks.options) if number not in hooks.long])
    if rng.random() < 0.5:
        return raw, asked
    other = dict(raw)
    for option, schema in game.options.schema["properties"].items():
        values: Sequence[Any] = schema.get("enum", (False, True) if schema.get("type") == "boolean" else ())
        if values and rng.random() < 0.5:
            other[option] = rng.choice(values)
    return (raw if isinstance(game.options.parse(other, asked), OptionProblem) else other), asked


def check_match(games: Sequence[tuple[AnyGame, Hooks]], seed: int, number: int, positions: int) -> str:
    """Play and check match `number` of a seed and return its name. AssertionError if something is wrong."""
    rng = Random(f"{seed} {number}")
    game, hooks = games[number % len(games)]
    options = options_for(game, hooks, rng)
    match = play(game, hooks, options, players=rng.choice(PLAYERS), seed=rng.randrange(2**32))
    run_checks(match, positions)
    return f"{match.name} {len(match.steps)} events"


def fuzz(
    games: Sequence[tuple[AnyGame, Hooks]],
    *,
    seed: int,
    numbers: Iterator[int],
    positions: int,
    say: Callable[[str], object] = print,
) -> int:
    """Check these matches, say what is found and how to see it again, and return how often that was."""
    found = checked = 0
    for number in numbers:
        checked += 1
        try:
            check_match(games, seed, number, positions)
        except Exception:
            found += 1
            say(f"FOUND by python -m tests.fuzz --seed {seed} --only {number}\n{traceback.format_exc()}")
            if found == FINDINGS_MAX:
                break
    say(f"seed {seed}: {checked} matches, {found} findings")
    return found


def compare(
    games: Sequence[tuple[AnyGame, Hooks]], *, seed: int, seconds: float, say: Callable[[str], object] = print
) -> int:
    """Compare rounds with other engines, say what differs, and return how often that was."""
    found = 0
    for game, hooks in games:
        if hooks.compared is None:
            continue
        rounds = 0
        try:
            for difference in until(seconds, hooks.compared(seed)):
                rounds += 1
                if difference:
                    found += 1
                    say(f"FOUND in {game.rules_id}: {difference}")
                    break
        except ImportError as error:
            say(f"{game.rules_id} is compared with no other engine: {error}")
        else:
            say(f"seed {seed}: {rounds} rounds of {game.rules_id} compared with another engine")
    return found


def until(seconds: float, things: Iterable[Thing]) -> Iterator[Thing]:
    """Return the things, one by one, until the time is over."""
    end = time.monotonic() + seconds
    for thing in things:
        if time.monotonic() >= end:
            return
        yield thing


def chosen(games: Mapping[str, AnyGame], key: str | None) -> list[tuple[AnyGame, Hooks]]:
    """Return the games of a key or rules id, all without one, each with its hooks."""
    return [(game, hooks_of(game)) for rules_id, game in games.items() if key in (None, game.key, rules_id)]


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long to look, 300 if not given")
    parser.add_argument("--matches", type=int, help="how many matches at most")
    parser.add_argument("--seed", type=int, help="where to begin, drawn and printed if not given")
    parser.add_argument("--only", type=int, metavar="N", help="play match N of the seed again, nothing else")
    parser.add_argument("--game", help="a game (hearts) or one version of it (hearts/1), all if not given")
    parser.add_argument("--positions", type=int, default=60, help="states of each match to look at thoroughly")
    arguments = parser.parse_args()
    games = chosen(GAMES, arguments.game)
    if not games:
        parser.error(f"there is no game {arguments.game}")
    seed = SystemRandom().randrange(2**32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}", flush=True)
    numbers = count() if arguments.matches is None else iter(range(arguments.matches))
    numbers = until(arguments.seconds, numbers) if arguments.only is None else iter([arguments.only])
    found = fuzz(games, seed=seed, numbers=numbers, positions=arguments.positions)
    if arguments.only is None:
        found += compare(games, seed=seed, seconds=arguments.seconds / 10)
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
