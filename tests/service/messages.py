"""Every text that the service says to callers, found in the code and in what the games declare."""

import ast
from collections.abc import Iterator
from pathlib import Path

from domain.disputes.model import REFUSALS as DISPUTE_REFUSALS
from domain.registry import GAMES
from domain.table.model import REFUSALS as TABLE_REFUSALS
from service.api.operations import NOT_READY
from service.api.problem_types import meanings
from service.errors import HTTP_DETAILS, HTTP_PROBLEM_TYPES, INTERNAL, PROBLEM_TYPES
from service.runtime.limits import DEFAULT_LIMITS
from service.tables.refusals import OPTION_SENTENCES

SERVICE = Path(__file__).parents[2] / "service"
SAID: dict[str, int] = {error.__name__: 0 for error in PROBLEM_TYPES} | {
    "FieldError": 1,
    "Message": 0,
    "query_error": 1,
}
"""Which argument of what is called is a text for the caller."""
SILENT = ("DamagedStreamError", "RulesUnknownError")
"""Errors whose arguments are for operators."""


def said_in_code() -> Iterator[str]:
    """Yield what is written where it is said: the texts of errors, and templates of messages."""
    for file in SERVICE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            name = getattr(node.func, "id", None) if isinstance(node, ast.Call) else None
            if isinstance(node, ast.Call) and name in SAID and name not in SILENT and len(node.args) > SAID[name]:
                said = node.args[SAID[name]]
                assert not isinstance(said, ast.JoinedStr | ast.BinOp), f"{file}:{said.lineno} cannot be translated"
                if isinstance(said, ast.Constant) and isinstance(said.value, str):
                    yield said.value


def every_message() -> set[str]:
    """Return all of them, in English, with their placeholders."""
    found = set(said_in_code())
    for game in GAMES.values():
        found |= {game.title, game.credits} | {rule.text for rule in game.rules} | set(game.rejections.values())
        found |= {schema["description"] for schema in game.options.schema["properties"].values()}
        found |= {setting.title for setting in game.options.settings}
        found |= {one.label for setting in game.options.settings for one in setting.labels}
        found |= {word for words in game.words.values() for word in words.values()}
    for sentences in (TABLE_REFUSALS, DISPUTE_REFUSALS, OPTION_SENTENCES, HTTP_DETAILS, NOT_READY):
        found |= set(sentences.values())
    for one in (*PROBLEM_TYPES.values(), *HTTP_PROBLEM_TYPES.values(), INTERNAL):
        found |= {one.title, one.advice}
    found |= {meaning.sentence for meaning in meanings()}
    found |= {error.sentence for error in PROBLEM_TYPES}
    found |= {limit.what for limit in DEFAULT_LIMITS.values()}
    found.add("The events of this table cannot be read; an operator has to repair them.")
    return found - {""}
