"""Public names, as one process remembers them while it follows the feed of names.

What is remembered holds for `VALID_SECONDS` after the feed was last read to its end. A process that cannot read the
feed remembers nothing: it reads names from the database where it needs them.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

from service.store.accounts import NameChange
from service.store.errors import StoreUnavailableError

VALID_SECONDS: Final = 1.0
"""How long after a change a process may still tell the name before it."""
_POLL_SECONDS: Final = 0.4
_CHANGES_MAX: Final = 1000
_REMEMBERED_MAX: Final = 50_000
_READS_MAX: Final = 3
"""How often names are read anew because they changed while they were read."""


class NameStore(Protocol):
    """Where names are kept."""

    async def names(self, ids: list[UUID]) -> dict[UUID, str]: ...
    async def name_changes(self, after: int, limit: int) -> list[NameChange]: ...
    async def last_name_change(self) -> int: ...


class PublicNames:
    """Names by account. One per process; `listen` before use, `close` at the end."""

    def __init__(self, store: NameStore) -> None:
        self._store = store
        self._names: dict[str, str | None] = {}
        self._changed: dict[str, int] = {}
        """The epoch that the last change of each player's name began."""
        self._forgotten = 0
        """The epoch before which it is not known any more who changed a name."""
        self._valid_until = 0.0
        self._follower: asyncio.Task[None] | None = None
        self.epoch = 0
        """Counts the changes of names that this process has heard of."""

    def listen(self) -> None:
        """Follow the feed of names."""
        self._follower = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop following the feed."""
        if self._follower is not None:
            self._follower.cancel()
            await asyncio.wait([self._follower])

    async def names_of(self, players: Iterable[str]) -> Mapping[str, str]:
        """Return public names by account; erased accounts are missing."""
        wanted = list(players)
        valid = time.monotonic() < self._valid_until
        found = {player: self._names[player] for player in wanted if player in self._names} if valid else {}
        missing = [player for player in wanted if player not in found]
        if missing:
            found |= await self._read(missing)
        return {player: name for player in wanted if (name := found[player]) is not None}

    def are_current(self, players: Iterable[str], epoch: int) -> bool:
        """Whether these players' names are known to be the same as in an epoch."""
        return time.monotonic() < self._valid_until and not self.have_changed(players, epoch)

    def have_changed(self, players: Iterable[str], epoch: int) -> bool:
        """Whether this process has heard since an epoch that one of these players changed a name."""
        if epoch == self.epoch:
            return False
        return epoch < self._forgotten or any(self._changed.get(player, 0) > epoch for player in players)

    def forget(self, player: str) -> None:
        """Read a player's name again before it is told: it has changed."""
        self.epoch += 1
        if len(self._changed) >= _REMEMBERED_MAX:
            self._changed.clear()
            self._forgotten = self.epoch
        self._changed[player] = self.epoch
        self._names.pop(player, None)

    def _forget_all(self) -> None:
        """Remember nothing, not even what is being read now: changes before this are not heard of."""
        self.epoch += 1
        self._forgotten = self.epoch
        self._names.clear()

    async def _read(self, players: list[str]) -> dict[str, str | None]:
        """Read names, and remember them; once more where one was erased meanwhile, to be neither told nor kept."""
        for _ in range(_READS_MAX):
            epoch = self.epoch
            by_id = await self._store.names([UUID(player) for player in players])
            found = {player: by_id.get(UUID(player)) for player in players}
            if not self.have_changed(players, epoch):
                if len(self._names) >= _REMEMBERED_MAX:
                    self._names.clear()
                self._names |= found
                break
        return found

    async def _follow(self) -> None:
        """Hear of every change of a name, until cancelled."""
        position: int | None = None
        while True:
            begun = time.monotonic()
            with suppress(StoreUnavailableError):
                if position is None:
                    self._forget_all()
                    position = await self._store.last_name_change()
                changes = await self._store.name_changes(position, _CHANGES_MAX)
                for change in changes:
                    self.forget(str(change.player))
                    position = change.position
                if len(changes) == _CHANGES_MAX:
                    continue
                self._valid_until = begun + VALID_SECONDS
            await asyncio.sleep(_POLL_SECONDS)
