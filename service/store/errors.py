"""What can go wrong with the database.

StoreError
+-- StoreUnavailableError    unavailable or too slow; nothing was done, and the caller may try again
|   +-- OutcomeUnknownError  nobody knows whether it was done; the caller has to try the same again
|   +-- LogWentBackError     the log lost what was signed: nothing is written until an operator has accepted that
|   +-- LogOutdatedError     connected to a server that is not the primary any more, or its log lacks what was shown
+-- StoreDamagedError        rows that PostgreSQL itself cannot read: a retry does not help
+-- StoreSetupError          not as this service needs it: an operator has to act
+-- EventRefusedError        one event that PostgreSQL cannot hold
+-- BrokenChainError         an event that does not follow what its stream ends with
"""

from uuid import UUID


class StoreError(Exception):
    """A fault of the database or of what was asked of it."""


class StoreUnavailableError(StoreError):
    """The database did not answer within the bound, and what was asked is not done."""


class OutcomeUnknownError(StoreUnavailableError):
    """A change was sent and not answered within the bound. It is done completely or not at all."""


class LogWentBackError(StoreUnavailableError):
    """The log ends before what was signed about it; nothing is appended until an operator has accepted the loss."""

    def __init__(self) -> None:
        super().__init__("the log went back behind a signed checkpoint")


class LogOutdatedError(StoreUnavailableError):
    """The log that can be reached is older than what was acknowledged; the newer one is on another server."""

    def __init__(self) -> None:
        super().__init__("the log is older than what was acknowledged")


class StoreDamagedError(StoreError):
    """PostgreSQL cannot read a page of a table or of an index (SQLSTATE XX001, XX002)."""

    def __init__(self, reason: str, stream: UUID | None = None) -> None:
        super().__init__(reason)
        self.stream = stream
        """The stream whose events cannot be read, None if it is not known."""


class StoreSetupError(StoreError):
    """The database cannot serve: a role, a right, the schema or a setting is missing. One line says what."""


class EventRefusedError(StoreError):
    """An event that PostgreSQL cannot hold, such as text with a NUL. Nothing of it is recorded."""


class BrokenChainError(StoreError):
    """An event whose predecessor the log does not have, or has with another hash.

    A lost race is no such thing (that is a conflict). The caller folded a history that is not in the log.
    """

    def __init__(self, stream: UUID, version: int) -> None:
        super().__init__(f"stream {stream}: version {version} does not follow what the log has before it")
        self.stream = stream
        self.version = version
