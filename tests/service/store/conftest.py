"""The stores of one process on a fresh database."""

from collections.abc import AsyncIterator

import pytest

from service.store.database import Database
from service.store.log import Log
from tests.service.store.opened import opened_database


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """The connections of one process."""
    async with opened_database(database_url) as database:
        yield database


@pytest.fixture
async def log(database: Database) -> AsyncIterator[Log]:
    """The log of one process."""
    log = Log(database)
    await log.open()
    yield log
    await log.close()
