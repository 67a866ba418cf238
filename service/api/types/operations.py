"""The types of the API for health and readiness."""

from typing import Literal

from msgspec import Struct


class Health(Struct, frozen=True):
    """Whether the process serves."""

    status: Literal["ok"]


class Readiness(Struct, frozen=True):
    """Whether everything the process needs answers. Redis missing costs latency only."""

    status: Literal["ok", "degraded"]
    database: Literal["ok"]
    views: Literal["ok", "away"]
