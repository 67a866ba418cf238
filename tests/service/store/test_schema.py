"""The schema file shows what the migrations make."""

from service.store.migrations import pending
from tests.service.store.schema import FILE, schema_of


def test_the_schema_file_equals_what_the_migrations_make(database_url: str) -> None:
    assert pending(database_url) == []
    assert schema_of(database_url) == FILE.read_text(), "write it again: python -m tests.service.store.schema"
