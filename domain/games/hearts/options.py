"""Options of Hearts: strict types, ranges, defaults, what does not go together (H-4 to H-9)."""

from typing import Final

from domain.games.hearts.model import HeartsOptions
from domain.options import option_rules

OPTIONS: Final = option_rules(HeartsOptions, rule="H-4", type_rule="H-7", conflict_rule="H-5", players_rule="H-9")
