"""The types of the API for health and readiness."""

from typing import Literal

from msgspec import Struct


class Health(Struct, frozen=True):
    """Whether the process handles requests."""

    status: Literal["ok"]


class OwedSeconds(Struct, frozen=True):
    """For how many whole seconds Redis has owed something: 0 if nothing is owed, null if that is not known."""

    views: int | None
    """Views and lists."""
    names: int | None
    """Changes of names in them."""
    departures: int | None
    """Departures of erased players from their tables."""


class Readiness(Struct, frozen=True):
    """Whether everything that the process needs responds. Without Redis only latency suffers."""

    status: Literal["ok", "degraded"]
    database: Literal["ok"]
    views: Literal["ok", "away"]
    log: Literal["ok", "restored", "went_back"]
    """`restored` for ten minutes after the log turned out to be another one; `went_back` while writes are refused."""
    owed_seconds: OwedSeconds
