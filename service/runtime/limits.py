"""The limits of what one caller may do: their names, what they count, their defaults, how settings change them."""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

_QUOTA_MAX: Final = 1_000_000
_CHANGE: Final = re.compile(r"([a-z0-9_]+)=([0-9]{1,7})(?:/([0-9]{1,7}))?")


class Limit(Struct, frozen=True):
    """How much of something a caller may do or have."""

    what: str
    """What is counted, and for whom."""
    quota: int
    seconds: int | None
    """So many within this time, as a bucket that refills steadily; None: so many at once."""

    @property
    def text(self) -> str:
        """Quota and time, as settings give them."""
        return f"{self.quota}" if self.seconds is None else f"{self.quota}/{self.seconds}"


DEFAULT_LIMITS: Final = {
    "guests_ipv4": Limit("new accounts from an IPv4 address", 3000, 3600),
    "guests_ipv6": Limit("new accounts from an IPv6 network (/64)", 300, 3600),
    "tokens": Limit("valid tokens of an account", 50, None),
    "open_tables": Limit("open tables at which an account sits", 100, None),
    "bot_tables": Limit("open tables with bots at which an account sits", 50, None),
    "moves": Limit("moves of an account, in each API process", 600, 10),
    "audits": Limit("audits and text records of an account", 60, 60),
    "documents": Limit("records and replays that are being sent to an account, in each API process", 10, None),
    "renames": Limit("name changes of an account", 60, 3600),
}


def read_change(text: str) -> str:
    """Return a change such as `moves=30/10` or `tokens=20`. ValueError if there is no such limit, or it is none."""
    name, _ = _changed(text)
    if name not in DEFAULT_LIMITS:
        raise ValueError(text)
    return text


def limits_with(changes: Iterable[str]) -> dict[str, Limit]:
    """Return all limits, with these changes of the defaults."""
    return DEFAULT_LIMITS | dict(_changed(text) for text in changes)


def _changed(text: str) -> tuple[str, Limit]:
    match = _CHANGE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    name, quota, seconds = match[1], int(match[2]), None if match[3] is None else int(match[3])
    default = DEFAULT_LIMITS.get(name)
    whole = default is not None and (default.seconds is None) == (seconds is None)
    if default is None or not whole or not 1 <= quota <= _QUOTA_MAX or seconds == 0:
        raise ValueError(text)
    return name, Limit(default.what, quota, seconds)
