"""Choosing moves for any game from its view over HTTP, as a client would that has the game's types."""

import random
from typing import Any

import msgspec

from domain.decider import SeatView
from domain.registry import CURRENT


def seat_view(view: dict[str, Any]) -> SeatView[Any, Any, Any, Any]:
    """Decode what the caller's seat may know. The declared types have to fit what was sent."""
    game, you = CURRENT[view["game"]], view["you"]
    legal: Any = tuple[game.types.legal, ...]  # type: ignore[name-defined]
    return SeatView(
        seat=you["seat"],
        options=msgspec.convert(view["options"], game.options.type),
        board=msgspec.convert(view["board"], game.types.board),
        hand=tuple(you["hand"]),
        legal=msgspec.convert(you["legal"], legal),
        private=msgspec.convert(you["private"], game.types.private_part),
    )


def choose_any(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """A random legal move, from `legal` and the hand alone."""
    move: dict[str, Any] = msgspec.to_builtins(CURRENT[view["game"]].players.sample(seat_view(view), rng.randrange))
    return move


def choose_well(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The move that a bot would make."""
    move: dict[str, Any] = msgspec.to_builtins(CURRENT[view["game"]].players.bot(seat_view(view), rng.getrandbits(62)))
    return move
