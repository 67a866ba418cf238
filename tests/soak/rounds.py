"""Rounds of a soak: every fault once, in an order that the seed decides, then a rest in which all is checked."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from tests.soak.checks import check_audit, check_log, check_records, check_redis
from tests.soak.clients import Client
from tests.soak.faults import FAULTS
from tests.soak.journal import Journal
from tests.soak.system import System, running_system

_READY_SECONDS: Final = 90.0
"""How long after a fault both services may be not ready."""
_STEPPED: Final = ("clocks-minutes", "clocks-days")
_DISK: Final = "disk-full"


class Plan(NamedTuple):
    """What to do, and for how long."""

    faults: Sequence[str]
    seconds: float
    """No round begins later than this."""
    fault_seconds: tuple[float, float]
    """Shortest and longest time that one fault lasts."""
    quiet_seconds: tuple[float, float]
    """The same of the pauses between faults."""
    players: int
    records_max: int
    """How many records of matches that are over are verified in the end."""
    first_byte_seconds_max: float = 10.0
    """Within this time every request has to have the first byte of its answer."""


def left_out(faults: Sequence[str]) -> dict[str, str]:
    """Return those that this machine cannot do, with why."""
    reasons = {fault: FAULTS[fault].needs() for fault in faults}
    return {fault: reason for fault, reason in reasons.items() if reason is not None}


def soak(plan: Plan, seed: int, folder: Path) -> Journal:
    """Play and break; what was found is in the journal. To be called in the main thread."""
    journal, rng = Journal(plan.first_byte_seconds_max), Random(seed)
    faults = [fault for fault in plan.faults if fault not in left_out(plan.faults)]
    stepped, small_disk = any(fault in _STEPPED for fault in faults), _DISK in faults
    folder.chmod(0o755)  # the servers run as an account of their own
    with running_system(folder, clocks=stepped, small_disk=small_disk) as system:
        over = threading.Event()
        clients = [Client(system.urls, Random(f"{seed} {number}"), journal, over) for number in range(plan.players)]
        until = time.monotonic() + plan.seconds
        while True:
            _play_a_round(system, plan, rng.sample(faults, len(faults)), clients, journal, rng, over)
            check_log(system.settings, journal)
            check_redis(system.settings, journal)
            if time.monotonic() >= until:
                break
        over.clear()  # what is asked for now is waited for
        check_audit(system, journal)
        check_records(clients, journal, folder, rng, plan.records_max)
        for client in clients:
            client.close()
    return journal


def _play_a_round(
    system: System,
    plan: Plan,
    faults: Sequence[str],
    clients: Sequence[Client],
    journal: Journal,
    rng: Random,
    over: threading.Event,
) -> None:
    over.clear()
    threads = [threading.Thread(target=_play, args=(client, journal)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        for fault in faults:
            time.sleep(rng.uniform(*plan.quiet_seconds))
            began = time.monotonic()
            known = FAULTS[fault]
            journal.begin(fault, answers_may_be_lost=known.answers_may_be_lost, keys_may_expire=known.keys_may_expire)
            try:
                known.happen(system, rng, rng.uniform(*plan.fault_seconds))
            except Exception as error:  # everything else is still looked at
                journal.wrong(f"it could not be made: {type(error).__name__}: {error}")
            broken = time.monotonic()
            if not system.mend(_READY_SECONDS):
                journal.wrong(f"not ready {_READY_SECONDS:.0f} s after it")
            now = time.monotonic()
            print(
                f"{time.strftime('%H:%M:%S')} {fault}: {broken - began:.1f} s, ready {now - broken:.1f} s later",
                flush=True,
            )
        time.sleep(rng.uniform(*plan.quiet_seconds))
    finally:
        over.set()
        for thread in threads:
            thread.join()
    journal.begin("at rest", answers_may_be_lost=False)


def _play(client: Client, journal: Journal) -> None:
    try:
        client.play_on()
    except Exception as error:
        journal.wrong(f"a client could not go on: {type(error).__name__}: {error}")
