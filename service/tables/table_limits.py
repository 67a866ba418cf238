"""How much of tables one account may have: seats at open ones, those with bots among them, moves."""

from projections.redis_connection import RedisUnavailableError
from projections.table_lists import TableLists
from service.limits.limits import Limits


class TableLimits:
    """Limits of tables. One per process."""

    def __init__(self, limits: Limits, lists: TableLists) -> None:
        self._limits = limits
        self._lists = lists

    def count_move(self, account: str) -> None:
        """Count a move. LimitError if there were too many."""
        self._limits.take_here("moves", account)

    async def require_seat(self, account: str) -> None:
        """LimitError if the account sits at as many open tables as it may."""
        await self._require("open_tables", account)

    async def require_bots(self, account: str) -> None:
        """LimitError if the account sits at as many open tables with bots as it may."""
        await self._require("bot_tables", account)

    async def _require(self, name: str, account: str) -> None:
        try:
            tables = await self._lists.open_tables_of(account)
        except RedisUnavailableError:
            tables = None
        if tables is None:  # nobody can count them now
            self._limits.take_here(name, account)
        else:
            self._limits.require_room(name, len(tables) if name == "open_tables" else sum(tables.values()))
