"""The types of the API for what a seat keeps to itself: drafts, the order of its hand, advice."""

from typing import Any, Final

from domain.registry import CURRENT

_STREAMS: Final = {key: game.private_stream for key, game in CURRENT.items() if game.private_stream is not None}
_ADVICE: Final = {key: game.advice for key, game in CURRENT.items() if game.advice is not None}

DRAFTS: Final[dict[str, Any]] = {key: stream.draft_type for key, stream in _STREAMS.items() if stream.draft_type}
"""For each game with drafts the type of a draft to prepare."""
TAKE_BACKS: Final[dict[str, Any]] = {
    key: stream.take_back_type for key, stream in _STREAMS.items() if stream.take_back_type
}
HAND_ORDERS: Final[dict[str, Any]] = {
    key: stream.hand_order_type for key, stream in _STREAMS.items() if stream.hand_order_type
}
PRIVATES: Final[dict[str, Any]] = {key: CURRENT[key].types.private_part for key in _STREAMS}
QUESTIONS: Final[dict[str, Any]] = {key: advice.question_type for key, advice in _ADVICE.items()}
ADVICE: Final[dict[str, Any]] = {key: advice.answer_type for key, advice in _ADVICE.items()}
