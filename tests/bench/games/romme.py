"""Rommé: an open match goes on until the host ends it."""

from typing import Final

LONGEST: Final = {"match_end": "open"}
