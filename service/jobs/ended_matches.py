"""Keeps the list of matches that are over, by player: it follows the leaves of the transparency log."""

import asyncio
from typing import Final

from domain.table.views import NOBODY, public_view
from projections.own_tables import ended_entry
from service.store.ended_matches import EndedMatchStore
from service.store.transparency import Leaf, TransparencyStore
from service.tables.access import DAMAGE
from service.tables.snapshots import Snapshots

_PAGE: Final = 100


class EndedMatches:
    """Writes it; any number of workers may do the same."""

    def __init__(self, store: EndedMatchStore, ends: TransparencyStore, snapshots: Snapshots) -> None:
        self._store = store
        self._ends = ends
        self._snapshots = snapshots

    async def follow(self, poll_seconds: float) -> None:
        """Follow the leaves until cancelled, after what earlier programs could not read."""
        await self._read_again()
        while True:
            if not await self.step(await self._store.reached()):
                await asyncio.sleep(poll_seconds)

    async def step(self, position: int) -> int:
        """Write the matches of some leaves from a position on; return how many there were."""
        leaves = await self._ends.leaves(position, _PAGE)
        for leaf in leaves:
            await self._write(leaf)
        return len(leaves)

    async def rebuild(self) -> None:
        """Write all of them again."""
        position = 0
        while found := await self.step(position):
            position += found

    async def _read_again(self) -> None:
        position = -1
        while unread := await self._store.unread(position, _PAGE):
            for position in unread:
                (leaf,) = await self._ends.leaves(position, 1)
                await self._write(leaf)

    async def _write(self, leaf: Leaf) -> None:
        try:
            state = (await self._snapshots.at(leaf.stream, leaf.version)).state
        except DAMAGE:  # reported where it is read
            await self._store.write(leaf.position, leaf.stream, 0, None, {})
            return
        entry = ended_entry(public_view(state, NOBODY)).decode()
        people = {seat: one.player for seat, one in enumerate(state.seats) if one.player is not None}
        await self._store.write(leaf.position, leaf.stream, state.setup.created, entry, people)
