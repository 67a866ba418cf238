"""The types of the API for what a seat keeps to itself: drafts, the order of its hand, advice."""

from typing import Any, Final

from domain.decider import AnyGame
from domain.registry import CURRENT
from service.api.types.per_game import members, union

_NOTED: Final = tuple(game for game in CURRENT.values() if game.private_stream is not None)
_ADVISED: Final = tuple(game for game in CURRENT.values() if game.advice is not None)


def _notes_tagged(game: AnyGame, *tags: str) -> Any:
    """The private moves of a game with one of these tags, as a union."""
    moves = members(game.private_stream.move_type) if game.private_stream is not None else []
    return union(tuple(move for move in moves if move.__struct_config__.tag in tags))


DRAFTS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "prepare") for game in _NOTED}
"""For each game with drafts the type of a draft to prepare."""
TAKE_BACKS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "take_back") for game in _NOTED}
HAND_ORDERS: Final[dict[str, Any]] = {
    game.key: _notes_tagged(game, "sort_hand", "move_card", "arrange_hand") for game in _NOTED
}
PRIVATES: Final[dict[str, Any]] = {game.key: game.types.private_part for game in _NOTED}
QUESTIONS: Final[dict[str, Any]] = {game.key: game.advice.question_type for game in _ADVISED if game.advice}
ADVICE: Final[dict[str, Any]] = {game.key: game.advice.answer_type for game in _ADVISED if game.advice}
