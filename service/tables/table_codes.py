"""Codes of tables: by a join code one sits down in the lobby, by a spectator code an account may read a private table.

What is wrong with a code that is not valid nobody learns: it is answered with the same words, after the same commands
and statements.
"""

from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.table import rules
from domain.table.rules import seat_of
from service import codes
from service.errors import ConflictError, KeyReusedError, LimitError, NotFoundError, UnavailableError
from service.limits.addresses import limit_of_address
from service.limits.limits import Limits
from service.store.table_codes import TableCodeKind, TableCodeRow, TableCodeStore, ToJoin
from service.tables.access import Access
from service.tables.live_table import LiveTable
from service.tables.recorder import Command, Recorder
from service.tables.refusals import raise_refusal
from service.tables.tables import TableAnswer, Tables
from service.tables.views import ViewSeen

_EVERYBODY: Final = ""
_SHAPES: Final[dict[TableCodeKind, codes.Shape]] = {"join": codes.JOIN, "watch": codes.WATCH}
_ATTEMPTS_MAX: Final = 5
"""How often another random code is tried because there was this one already."""
_DEAD: Final = ("match_started", "match_over")
"""Refusals of who joins while the code dies."""


class TableCode(Struct, frozen=True):
    """A code as it is shown, and the link that has it in its fragment."""

    code: str
    link: str


class TableCodes:
    """Use cases of codes. One per process."""

    def __init__(
        self,
        store: TableCodeStore,
        tables: Tables,
        access: Access,
        recorder: Recorder,
        limits: Limits,
        *,
        base_url: str,
    ) -> None:
        self._store = store
        self._tables = tables
        self._access = access
        self._recorder = recorder
        self._limits = limits
        self._base_url = base_url

    # the host

    async def make(self, stream: UUID, account: str, kind: TableCodeKind, key: str) -> TableCode:
        """Make a code that replaces the table's other one of its kind (host). The same key again gives the same code.

        LimitError if the account makes too many.
        """
        table = await self._current(stream, account)
        _require_host(table, account, kind)
        id_ = self._recorder.derived(f"{kind} code".encode() + stream.bytes, account, key)
        row = await self._make(id_, stream, account, kind)
        if not row.newest:
            raise KeyReusedError("The code made under this Idempotency-Key was replaced.")
        return self._shown(kind, row.code)

    async def _make(self, id_: UUID, stream: UUID, account: str, kind: TableCodeKind) -> TableCodeRow:
        try:
            await self._limits.take("table_codes", account)
        except LimitError:
            row = await self._store.made(id_)
            if row is None:
                raise
            return row
        for _ in range(_ATTEMPTS_MAX):
            row = await self._store.make(id_, stream, kind, _SHAPES[kind].random()) or await self._store.made(id_)
            if row is not None:
                return row
        raise UnavailableError("No new code was found; send the same again.", headers={"Retry-After": "1"})

    async def current(self, stream: UUID, account: str, kind: TableCodeKind) -> TableCode:
        """Return the table's code: the join code for every seat in the lobby, the spectator code for the host.

        NotFoundError if there is none.
        """
        table = await self._current(stream, account)
        if kind == "watch":
            _require_host(table, account, kind)
        elif (refusal := rules.may_know_join_code(table.state, seat_of(table.state, account))) is not None:
            raise_refusal(refusal, table.codec.game)
        code = await self._store.current(stream, kind)
        if code is None:
            raise NotFoundError("There is no such code; the host can create one.")
        return self._shown(kind, code)

    async def withdraw(self, stream: UUID, account: str) -> None:
        """Withdraw the invitation of spectators (host): its code, and what those may read who came by it."""
        _require_host(await self._current(stream, account), account, "watch")
        await self._store.withdraw(stream)

    # the others

    async def join(
        self, given: str, account: str, key: str, *, host: str, client_seed: str | None, digest: bytes
    ) -> TableAnswer:
        """Sit down on the first open seat in the lobby of the table whose join code this is.

        The same key again gives the same answer, also once the code is dead. NotFoundError if the code is not valid,
        LimitError if too many are tried, or the account sits at too many tables.
        """
        command = Command("sit", self._recorder.derived(b"join", account, key), digest, keyed=True)
        found = await self._to_join(codes.read(given), account, host, command)
        if found is None:
            raise _unknown()
        table = await self._access.existing(found.stream)
        try:
            return await self._tables.join(table, account, command, client_seed)
        except ConflictError as error:
            if error.code in _DEAD:
                raise _unknown() from error
            raise

    async def _to_join(self, code: str, account: str, host: str, command: Command) -> ToJoin | None:
        try:
            await self._count_attempt(account, host)
        except LimitError:
            found = await self._store.to_join(code, command.id)
            if found is None or not found.joined:
                raise
            return found
        return await self._store.to_join(code, command.id)

    async def watch(self, given: str, account: str, *, host: str) -> ViewSeen:
        """Let the account read the table whose spectator code this is, and return its view.

        NotFoundError if the code is not valid, LimitError if too many are tried.
        """
        await self._count_attempt(account, host)
        stream = await self._store.watch(codes.read(given), UUID(account))
        if stream is None:
            raise _unknown()
        return await self._tables.view(stream, account, ())

    async def _count_attempt(self, account: str, host: str) -> None:
        await self._limits.take("joins", account)
        await self._limits.take(*limit_of_address("joins", host))
        await self._limits.take("joins_total", _EVERYBODY)

    async def _current(self, stream: UUID, account: str) -> LiveTable:
        """Return the table as the log has it now. NotFoundError if it does not exist for the account."""
        await self._access.find(stream, account)
        return await self._access.current(stream)

    def _shown(self, kind: TableCodeKind, code: str) -> TableCode:
        shown = _SHAPES[kind].shown(code)
        return TableCode(shown, f"{self._base_url}/{kind}#{shown}")


def _require_host(table: LiveTable, account: str, kind: TableCodeKind) -> None:
    """Raise the refusal of a host's command: of the join code before the match, of the spectators' at any time."""
    state, seat = table.state, seat_of(table.state, account)
    refusal = rules.may_give_join_code(state, seat) if kind == "join" else rules.may_invite_spectators(state, seat)
    if refusal is not None:
        raise_refusal(refusal, table.codec.game)


def _unknown() -> NotFoundError:
    return NotFoundError("This code is not valid: it is wrong or replaced, or its time is over.", code="code_unknown")
