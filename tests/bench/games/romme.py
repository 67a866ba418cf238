"""Rommé: the most rounds a match may be limited to. An open match, which the host ends, has no longest."""

from typing import Final

LONGEST: Final = {"match_end": "rounds", "rounds": 30}
