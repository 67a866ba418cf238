"""Whose bots play next: tables wait in a line for each account, and the lines take turns."""

from collections import OrderedDict, deque


class BotLines:
    """Tables that wait for a bot, each once."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[str]] = OrderedDict()
        """By account, the one whose turn it is first."""
        self._waiting: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, account: str, table: str) -> None:
        """Let a table wait at the end of its account's line. Tables without an account share a line."""
        if table not in self._waiting:
            self._waiting.add(table)
            self._lines.setdefault(account, deque()).append(table)

    def next(self) -> str | None:
        """Take the first table off the line whose turn it is, None if none waits."""
        if not self._lines:
            return None
        account, line = next(iter(self._lines.items()))
        table = line.popleft()
        self._waiting.discard(table)
        if line:
            self._lines.move_to_end(account)
        else:
            del self._lines[account]
        return table
