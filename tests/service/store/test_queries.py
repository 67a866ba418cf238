"""The statements of the stores: each is used, each prepares against the migrated schema, and there are no others."""

import ast
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from service import store
from service.store.connections import connect
from service.store.queries import parse, statements

FOLDER = Path(store.__file__).parent
MODULES = {
    path.stem: FOLDER / "migrations" / "__init__.py" if path.stem == "migrations" else FOLDER / f"{path.stem}.py"
    for path in (FOLDER / "queries").glob("*.sql")
}
UTILITY = re.compile(r"(create|set|reset|grant|show)\b")
"""What PostgreSQL cannot prepare; only migrating needs it, and its tests execute it."""
PLACEHOLDER = re.compile(r"%(?:\((?P<name>\w+)\))?[sb]")
SQL_TEXT = re.compile(r"\s*(select|insert into|update \w+ set|delete from|with \w+ as|create|grant|set role)\b", re.I)


def numbered(query: str) -> str:
    """A statement with the placeholders of PostgreSQL instead of psycopg's."""
    numbers, names = count(1), dict[str, int]()

    def number(match: re.Match[str]) -> str:
        name = match["name"]
        return f"${next(numbers) if name is None else names.setdefault(name, len(names) + 1)}"

    return PLACEHOLDER.sub(number, query)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_each_named_statement_is_used_by_its_module(module: str) -> None:
    used = re.findall(r'_SQL\["(\w+)"\]', MODULES[module].read_text())
    assert set(used) == set(statements(module))


@pytest.mark.parametrize("module", sorted(MODULES))
async def test_each_statement_prepares_against_the_schema(module: str, database_url: str) -> None:
    prepared = 0
    connection = await connect(database_url)
    async with connection:
        for name, query in statements(module).items():
            text = "\n".join(line for line in query.splitlines() if not line.startswith("--"))
            if module == "migrations" and UTILITY.match(text):
                continue
            await connection.execute(f"prepare {name}_{prepared} as {numbered(text)}")
            prepared += 1
    assert prepared > 0


def test_a_statement_that_does_not_fit_the_schema_would_be_noticed(database_url: str) -> None:
    with psycopg.connect(database_url) as connection, pytest.raises(psycopg.errors.UndefinedColumn):
        connection.execute(f"prepare wrong as {numbered('select nothing from events where bucket = %s')}")


def test_there_is_no_sql_in_the_code() -> None:
    found = [
        (path.name, text) for path in FOLDER.rglob("*.py") for text in texts(path.read_text()) if SQL_TEXT.match(text)
    ]
    assert found == []
    assert [text for text in texts('"""Select."""\nquery = f"\\nselect {1}"') if SQL_TEXT.match(text)] == ["\nselect "]


def texts(source: str) -> Iterator[str]:
    """The strings of a module that are no docstrings."""
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = [node.value for node in nodes if isinstance(node, ast.Expr)]
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def test_statements_are_told_apart_by_their_names() -> None:
    text = "-- For readers.\n\n-- name: one\nselect 1;\n\n-- name: two\n-- Why.\nselect\n  2;\n"
    assert parse(text) == {"one": "select 1;", "two": "-- Why.\nselect\n  2;"}
    with pytest.raises(ValueError, match="twice"):
        parse("-- name: one\nselect 1;\n-- name: one\nselect 2;\n")
