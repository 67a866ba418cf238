"""What handlers are handed beside the services: the table that a request is about."""

from typing import Any, Final
from uuid import UUID

from litestar.di import NamedDependency, Provide
from litestar.params import FromPath

from service.api.authentication import CallerRequest
from service.tables.live_table import LiveTable
from service.tables.tables import Tables


async def find_table(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> LiveTable:
    """Return the table of the path. NotFoundError if it does not exist for the caller."""
    return await tables.find(table, request.user.id)


LIVE_TABLE: Final[dict[str, Any]] = {"live_table": Provide(find_table)}
"""Dependencies of an operation that needs the table before it reads the body."""
