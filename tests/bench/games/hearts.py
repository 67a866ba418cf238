"""Hearts: the highest target gives the longest legal match."""

from typing import Final

LONGEST: Final = {"target_score": 5000}
