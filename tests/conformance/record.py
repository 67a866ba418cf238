"""`python -m tests.conformance.record KEY`: record the playthroughs of a game.

For every rules version, each match of the game's `PLAYTHROUGHS` that has no file yet is played by bots
and random players and written to `tests/playthroughs/KEY/`. `--again` keeps the recorded moves and
renews the digests of all files: for a change after which the same moves still hold, but states or facts
look different. Such a change needs a reason; look at the difference before committing it.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from domain.decider import AnyGame
from domain.registry import GAMES
from tests.conformance.hooks import OptionSet, hooks_of
from tests.conformance.matches import Step, play
from tests.conformance.playthrough import FOLDER, Line, Playthrough, read, replayed
from tests.conformance.wire import canonical


def path_of(game: AnyGame, name: str) -> Path:
    """Return where the playthrough of this name is kept."""
    return FOLDER / game.key / f"{game.rules_version}-{name}.txt"


def record(game: AnyGame, options: OptionSet) -> Playthrough:
    """Play a match and return it with its digests."""
    match = play(game, hooks_of(game), options, players="mixed", seed=0)
    lines = tuple(Line(_actor(step), _move(step), "") for step in match.steps)
    return replayed(game, Playthrough(game.rules_id, options, match.seats, match.key.hex(), lines, ()))


def _actor(step: Step) -> str:
    return step.kind if step.seat is None else str(step.seat)


def _move(step: Step) -> str:
    if step.move is None:
        return "-"
    return canonical(step.move).decode() if step.seat is not None else json.dumps(step.move, separators=(",", ":"))


def written(game: AnyGame, *, again: bool) -> Iterator[Path]:
    """Write the missing playthroughs of a game version, or all of them again, and return their paths."""
    for name, options in hooks_of(game).playthroughs.items():
        path = path_of(game, name)
        if path.exists() and not again:
            continue
        recorded = replayed(game, read(path)) if path.exists() else record(game, options)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(recorded.text(), encoding="ascii")
        yield path


def main() -> None:
    """Record what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.record", description=__doc__)
    parser.add_argument("key", choices=sorted({game.key for game in GAMES.values()}))
    parser.add_argument("--again", action="store_true", help="renew the digests of recorded matches")
    arguments = parser.parse_args()
    for game in GAMES.values():
        if game.key == arguments.key:
            for path in written(game, again=arguments.again):
                print(path.relative_to(FOLDER.parent.parent))


if __name__ == "__main__":
    main()
