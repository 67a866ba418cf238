"""Options of Von Herzen: strict types, ranges, defaults (V-77)."""

from typing import Final

from domain.games.von_herzen.model import VonHerzenOptions
from domain.options import option_rules

OPTIONS: Final = option_rules(VonHerzenOptions, rule="V-77", players_rule="V-1")
