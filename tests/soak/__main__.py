"""`python -m tests.soak`: the real service under matches of every game, while everything it stands on breaks.

Two services with an API process and a worker each run on a PostgreSQL and a Redis. Clients that know the contract
alone play match after match with people and bots, and keep a journal of what was acknowledged. Meanwhile one fault
after the other happens (`--faults`; all unless given), in rounds. After each round everything has to be in the log
once, and Redis has to equal a rebuild; in the end `blattwerk audit --all` has to find nothing and records have to
verify. A table says for each fault what became of requests and moves. The exit status is 0 if nothing was lost,
doubled or wrong.

The seed decides games, moves and faults; when they meet is up to the machine.
"""

import argparse
import signal
import sys
import tempfile
from pathlib import Path
from random import SystemRandom

from tests.soak.faults import FAULTS
from tests.soak.report import as_table, found
from tests.soak.rounds import Plan, left_out, soak


def main() -> None:
    """Soak as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description="The real service under matches, while things break."
    )
    parser.add_argument("--minutes", type=float, default=60, help="how long to go on beginning rounds; default: 60")
    parser.add_argument("--players", type=int, default=6, help="clients that play at the same time; default: 6")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(2**32), help="to do the same again")
    parser.add_argument("--faults", default=",".join(FAULTS), help=f"separated by commas; default: {', '.join(FAULTS)}")
    given = parser.parse_args()
    faults = given.faults.split(",")
    if unknown := [fault for fault in faults if fault not in FAULTS]:
        parser.error(f"no such fault: {', '.join(unknown)}")
    print(
        f"python -m tests.soak --minutes {given.minutes:g} --players {given.players} --seed {given.seed} "
        f"--faults {','.join(faults)}",
        flush=True,
    )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started and mounted is not left behind
    plan = Plan(faults, 60 * given.minutes, (6.0, 14.0), (1.0, 4.0), given.players, records_max=10_000)
    with tempfile.TemporaryDirectory() as folder:
        journal = soak(plan, given.seed, Path(folder))
    print(as_table(journal, left_out(faults)))
    for finding in (all_found := found(journal)):
        print(f"FOUND {finding}")
    sys.exit(1 if all_found else 0)


if __name__ == "__main__":
    main()
