"""The one way for a command: judged again while others are faster, refused only on what the log has last."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import pytest_asyncio

from domain.registry import CURRENT
from service.composition import Services, opened
from service.errors import UnavailableError
from service.tables.attempts import ATTEMPTS_MAX, Attempt, Judgement, Outcome, carry_out
from service.tables.recorder import once
from tests.service.running import settings_for


class Counter(Attempt[int, str, str]):
    """Adds to a number that others change meanwhile; refused once it is as large as the limit."""

    def __init__(self, *, others: list[int], limit: int = 100, nothing_left: bool = False) -> None:
        self.known = 0
        self.in_log = others.pop(0)
        self.others = others
        self.limit = limit
        self.nothing_left = nothing_left
        self.judged: list[int] = []

    async def judge(self) -> Judgement[int, str]:
        self.judged.append(self.known)
        if self.known >= self.limit:
            return Judgement(refusal="too many")
        return Judgement(None if self.nothing_left else self.known + 1)

    async def record(self, facts: int) -> str | None:
        if facts != self.in_log + 1:
            return None
        return f"made {facts}"

    async def catch_up(self) -> bool:
        new, self.known = self.in_log != self.known, self.in_log
        self.in_log = self.others.pop(0) if self.others else self.in_log
        return new


async def test_a_lost_race_is_judged_again_on_what_won_it() -> None:
    attempt = Counter(others=[1, 2, 3])
    assert await carry_out(attempt) == Outcome("made 4")
    assert attempt.judged == [0, 1, 2, 3]


async def test_a_refusal_is_given_only_if_the_log_has_nothing_newer() -> None:
    attempt = Counter(others=[2, 2, 2], limit=0)
    assert await carry_out(attempt) == Outcome(refusal="too many")
    assert attempt.judged == [0, 2]


async def test_what_is_done_already_is_no_refusal() -> None:
    attempt = Counter(others=[0], nothing_left=True)
    assert await carry_out(attempt) == Outcome()
    assert attempt.judged == [0]


async def test_who_is_always_slower_is_asked_to_wait() -> None:
    attempt = Counter(others=list(range(1, 200)), limit=1000)
    with pytest.raises(UnavailableError) as refused:
        await carry_out(attempt)
    assert refused.value.headers == {"Retry-After": "1"}
    assert len(attempt.judged) == ATTEMPTS_MAX


@pytest_asyncio.fixture
async def services(database_url: str, redis_url: str) -> AsyncIterator[Services]:
    async with opened(settings_for(database_url, redis_url)) as services:
        yield services


async def test_private_events_that_the_log_lost_are_folded_anew(services: Services) -> None:
    """As after a failover that lost events: the process knows a history that is not in the log."""
    account = str((await services.accounts.create_guest("Ada", "a key for the account", "127.0.0.1")).id)
    made = await services.tables.create(
        account,
        "a key for the table",
        game="romme",
        options={},
        seats=2,
        bots=(1,),
        visibility="public",
        digest=b"",
    )
    table = await services.tables.find(made.table, account)
    await services.tables.start(table, account, 1)
    stream = CURRENT["romme"].private_stream
    assert stream is not None
    move: Any = msgspec.convert({"type": "sort_hand", "by": "rank"}, stream.move_type)
    assert table.private is not None
    own = table.private.seats[0]
    own.version, own.hash = 3, uuid4().bytes * 2
    with pytest.raises(UnavailableError):
        await services.seat_private.record(table, account, once("sort_hand", move))
    again = await services.tables.find(made.table, account)
    assert again is not table
    assert again.private is not None
    await services.seat_private.record(again, account, once("sort_hand", move))
    assert again.private.versions == (1, 0)
