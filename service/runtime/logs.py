"""Structured logs: one line per event, with request and table if there are any, without secrets.

Whatever looks like a card, and every value whose name says that it is secret, is withheld from the line. No code
should ever log a card; this is for the day on which some does.
"""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from typing import Any, Final, TextIO

import msgspec
import structlog
from structlog.typing import Processor

from service.runtime.settings import Secret, Settings

WITHHELD: Final = "[withheld]"
_CARD: Final = re.compile(r"(?<![0-9A-Za-z_-])(?:[2-9TJQKA][CSHD](?:#\d)?|JK#\d)(?![0-9A-Za-z_-])")
_CONTEXT: Final[ContextVar[tuple[str | None, object | None]]] = ContextVar("context", default=(None, None))
"""Trace id of the request and id of the table. One variable: every request sets it."""
_TOKEN: Final = re.compile(r"bw_[0-9A-Za-z_-]{8,}")
_NAMES_OF_CARDS: Final = ("card", "cards", "hand", "move", "pack", "part", "stock")
_NAMES_OF_SECRETS: Final = ("authorization", "key", "password", "salt", "secret", "seed", "token")


def configure_logs(settings: Settings, output: TextIO = sys.stderr) -> None:
    """Send the logs of this process, those of libraries included, to one output in one form."""
    text = settings.log_format == "text" or (settings.log_format == "auto" and output.isatty())
    level = getattr(logging, settings.log_level.upper())
    shared: list[Processor] = [
        _with_context,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        structlog.processors.format_exc_info,
        withhold,
    ]
    last: Processor = structlog.dev.ConsoleRenderer(colors=output.isatty()) if text else json_line
    structlog.configure(
        processors=[*shared, last],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(output),
        cache_logger_on_first_use=True,
    )
    of_libraries = logging.StreamHandler(output)
    of_libraries.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, last],
        )
    )
    logging.basicConfig(level=max(level, logging.WARNING), handlers=[of_libraries], force=True)
    logging.captureWarnings(True)


def begin_request(*, trace_id: str, table: object | None) -> None:
    """Add the request, and the table if it is about one, to every line that its task logs from now on."""
    _CONTEXT.set((trace_id, table))  # the server gives each request a task, and each task has a context of its own


def _with_context(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in zip(("trace_id", "table"), _CONTEXT.get(), strict=True):
        if value is not None:
            event.setdefault(name, str(value))
    return event


def withhold(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace cards and secrets in a line, wherever they are."""
    for name, value in event.items():
        event[name] = _clean(name, value)
    return event


def _clean(name: str, value: Any) -> Any:
    if name.lower() in _NAMES_OF_CARDS + _NAMES_OF_SECRETS or isinstance(value, Secret):
        return WITHHELD
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return _TOKEN.sub(WITHHELD, _CARD.sub(WITHHELD, value))
        case Mapping():
            return {str(key): _clean(str(key), item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_clean(name, item) for item in value]
        case _:
            return _clean(name, str(value))


def json_line(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    """Write a line as JSON, time and level first."""
    first = {name: event.pop(name) for name in ("time", "level", "event") if name in event}
    return msgspec.json.encode(first | dict(event)).decode()
