"""Legal moves from a view as a client has it, for every game."""

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec

from domain.decider import AnyGame, SeatView
from domain.registry import CURRENT


def some_move(view: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """Return a move that the seat of this view may make now, built from `legal` as a client would."""
    game = CURRENT[view["game"]]
    made: dict[str, Any] = msgspec.to_builtins(game.players.sample(_seat_view(game, view), rng.randrange))
    return made


def _seat_view(game: AnyGame, view: Mapping[str, Any]) -> SeatView[Any, Any, Any, Any]:
    you = view["you"]
    return SeatView(
        seat=you["seat"],
        options=msgspec.convert(view["options"], game.options.type),
        board=msgspec.convert(view["board"], game.types.board),
        hand=tuple(you["hand"]),
        legal=msgspec.convert(you["legal"], _several(game.types.legal)),
        private=msgspec.convert(you["private"], game.types.private_part),
    )


def _several(member: Any) -> Any:
    return tuple[member, ...]
