"""Von Herzen: as many complete rounds as allowed."""

from typing import Final

LONGEST: Final = {"complete_rounds": 10}
