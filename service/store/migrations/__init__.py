"""The schema: plain SQL files, applied once each in the order of their names, and never edited afterwards."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import Final, NamedTuple

import psycopg

from service.store.connections import SERVICE_ROLE, conninfo
from service.store.errors import StoreSetupError, StoreUnavailableError
from service.store.queries import statements

_SQL: Final = statements("migrations")


class Migration(NamedTuple):
    """One step of the schema."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the file in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return all migrations of this program, in order."""
    found = [file for file in files(__name__).iterdir() if file.name.endswith(".sql")]
    return [
        Migration(file.name, file.read_text(encoding="utf-8")) for file in sorted(found, key=lambda file: file.name)
    ]


def migrate(database_url: str) -> list[str]:
    """Apply what is missing and return the names. Run as the owner of the schema.

    Only one caller at a time migrates; the others wait and find nothing left to do. Each migration is
    applied completely or not at all. Raises StoreSetupError if the database was migrated by a newer
    program, if a migration was edited after it was applied, or if a right is missing, and
    StoreUnavailableError if the database does not answer.
    """
    with _connected(database_url) as connection:
        connection.execute(_SQL["lock"])
        _ensure_role(connection)
        with _explained("the tables of the service cannot be made"):
            connection.execute(_SQL["create_table"])
            connection.execute(_SQL["grant_table"])
            missing = _missing(connection)
            for migration in missing:
                with connection.transaction():
                    connection.execute(migration.text.encode())
                    connection.execute(_SQL["record"], (migration.name, migration.checksum))
    return [migration.name for migration in missing]


def pending(database_url: str) -> list[str]:
    """Return the names of migrations that are not applied yet. Same errors as `migrate`."""
    with _connected(database_url) as connection:
        if connection.execute(_SQL["table"]).fetchone() == (None,):
            return [migration.name for migration in migrations()]
        return [migration.name for migration in _missing(connection)]


def _missing(connection: psycopg.Connection) -> list[Migration]:
    """Return what is not applied; StoreSetupError unless what is applied is the beginning of what we have."""
    known = migrations()
    applied = connection.execute(_SQL["applied"]).fetchall()
    for number, (name, checksum) in enumerate(applied):
        if number >= len(known) or name not in {migration.name for migration in known}:
            raise StoreSetupError(f"the database has the migration {name}, which this version does not know")
        if name != known[number].name:
            raise StoreSetupError(f"the migration {known[number].name} was never applied, though {name} was")
        if checksum != known[number].checksum:
            raise StoreSetupError(f"the migration {name} was edited after it had been applied")
    return known[len(applied) :]


@contextmanager
def _connected(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection as the user of the address, not as the service's role."""
    try:
        connection = psycopg.connect(conninfo(database_url), autocommit=True)
    except psycopg.OperationalError as error:
        raise StoreUnavailableError(f"the database does not answer: {str(error).splitlines()[-1].strip()}") from error
    with connection:
        connection.execute(_SQL["search_path"])
        if connection.execute(_SQL["server_encoding"]).fetchone() != ("UTF8",):
            raise StoreSetupError("the database has to be encoded in UTF8")
        yield connection


def _ensure_role(connection: psycopg.Connection) -> None:
    """Make sure that the service's role exists and that this user can become it.

    Roles belong to the server and not to a database, so another database may have made it before.
    """
    user = connection.info.user
    remedy = f"as an administrator: CREATE ROLE {SERVICE_ROLE} NOLOGIN; GRANT {SERVICE_ROLE} TO {user};"
    with _explained(f"the role {SERVICE_ROLE} is missing and may not be made by this user; {remedy}"):
        if connection.execute(_SQL["role"]).fetchone() is None:
            # another database of the server may be migrated at this moment and make it
            with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
                connection.execute(_SQL["create_role"])
    with _explained(f"this user may not act as {SERVICE_ROLE}; {remedy}"):
        try:
            connection.execute(_SQL["become_role"])
        except psycopg.errors.InsufficientPrivilege:
            connection.execute(_SQL["grant_role"])
    connection.execute(_SQL["reset_role"])


@contextmanager
def _explained(message: str) -> Iterator[None]:
    """Turn a missing right into one line for the operator."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreSetupError(f"{message} ({error.diag.message_primary})") from error
