"""Options of Herzeln: strict types, values, defaults (Z-46)."""

from typing import Final

from domain.games.herzeln.model import HerzelnOptions
from domain.options import option_rules

OPTIONS: Final = option_rules(HerzelnOptions, rule="Z-46", players_rule="Z-1")
