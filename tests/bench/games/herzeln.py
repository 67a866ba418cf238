"""Herzeln: as many series as players."""

from typing import Final

LONGEST: Final = {"match_length": "series_per_player"}
