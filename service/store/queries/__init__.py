"""The SQL of the stores: one file for each module that has statements, each statement under a line `-- name: ...`."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_NAME: Final = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def statements(module: str) -> Mapping[str, str]:
    """Return the statements of a module of this package by their names, as they are passed to psycopg."""
    return parse(files(__name__).joinpath(f"{module}.sql").read_text(encoding="utf-8"))


def parse(text: str) -> Mapping[str, str]:
    """Return the statements of a file. What stands before the first name is for readers; a name occurs once."""
    _, *parts = _NAME.split(text)
    names, queries = parts[::2], parts[1::2]
    if len(set(names)) < len(names):
        raise ValueError(f"a name occurs twice among {names}")
    return MappingProxyType({name: query.strip() for name, query in zip(names, queries, strict=True)})
