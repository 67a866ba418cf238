"""Tables that this process found it cannot read: each is reported once, and counted until it can be read again."""

from collections import Counter
from typing import Final

import structlog

from service.errors import UnreadableError

CODES: Final = ("table_damaged", "rules_unknown")
"""The codes of problems that a table may have for itself."""
_REMEMBERED_MAX: Final = 10_000
_logger: Final = structlog.get_logger("blattwerk.tables")


class UnreadableTables:
    """What is known of such tables. One per process."""

    def __init__(self) -> None:
        self._code_by_stream: dict[str, str] = {}

    def note(self, error: UnreadableError) -> None:
        """Report a table with one log line, unless that was done. What was recorded is not shown: it may be hidden."""
        if self._code_by_stream.get(error.stream) == error.code or len(self._code_by_stream) >= _REMEMBERED_MAX:
            return
        self._code_by_stream[error.stream] = error.code
        about = {} if error.rules is None else {"rules": error.rules}
        remedy = f"blattwerk audit {error.stream}" if error.rules is None else "run a program that has these rules"
        _logger.error("table cannot be read", table=error.stream, code=error.code, remedy=remedy, **about)

    def forget(self, stream: str) -> None:
        """Count a table no longer: it was read."""
        self._code_by_stream.pop(stream, None)

    def counts(self) -> dict[str, int]:
        """Return the number of tables by code."""
        counted = Counter(self._code_by_stream.values())
        return {code: counted[code] for code in CODES}
