"""A log on a fresh database."""

from collections.abc import AsyncIterator

import pytest

from service.store.log import Log


@pytest.fixture
async def log(database_url: str) -> AsyncIterator[Log]:
    """The log of one process."""
    log = Log(database_url)
    await log.open()
    yield log
    await log.close()
