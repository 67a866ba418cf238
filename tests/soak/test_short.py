"""The soak in short: what no other test breaks. The others are broken by tests that look closer at one of them.

Those are `test_killed_workers`, `test_owed` and `test_owed_replaced` (Redis emptied, away, full, read-only, frozen),
`test_waits_http` (frozen servers, one locked bucket), `test_readiness_http` (sessions that became read-only) and
`test_faults_http` (connections cut), all of tests/service. The disk is filled, and clocks are set, by the soak alone.
"""

from pathlib import Path
from random import SystemRandom
from typing import Final

from tests.soak.report import as_table, found
from tests.soak.rounds import Plan, soak

_FAULTS: Final = (
    "api-killed",
    "api-frozen",
    "service-killed",
    "all-killed",
    "database-killed",
    "backend-killed",
    "connections-used-up",
    "buckets-locked",
    "redis-killed",
    "redis-slow",
    "standby-after-kill",
    "standby-after-freeze",
    "standby-after-stop",
)


def test_nothing_acknowledged_is_lost_or_doubled_whatever_breaks(tmp_path: Path) -> None:
    seed = SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    plan = Plan(_FAULTS, 0, (2.5, 2.5), (0.2, 0.2), players=3, records_max=2, first_byte_seconds_max=15)
    journal = soak(plan, seed, tmp_path)
    print(as_table(journal, {}))
    assert found(journal) == []
    assert len(journal.moves) > len(_FAULTS)
