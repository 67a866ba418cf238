"""Whether the database takes writes: each process writes a row of its own."""

from typing import Final
from uuid import uuid4

import psycopg

from service.store.database import Database
from service.store.errors import StoreUnavailableError
from service.store.queries import statements

_SQL: Final = statements("probes")


class ProbeStore:
    """Writes the row of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._process = uuid4()

    async def probe(self) -> None:
        """Write. StoreUnavailableError if the database takes no writes in time."""
        try:
            await self._database.change(_SQL["probe"], {"process": self._process})
        except psycopg.Error as error:
            raise StoreUnavailableError("the database refuses to write") from error
