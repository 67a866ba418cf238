"""Walking the whole log: every chain, everything about matches that are over, and the transparency log."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from msgspec import MsgspecError, Struct

from domain import fairness
from domain.codec import split_parts
from service.disputes.audit import DisputeAudit
from service.errors import RulesUnknownError, UnreadableError
from service.records.records import Records
from service.records.transparency import Transparency
from service.store.buckets import bucket_of
from service.store.errors import StoreDamagedError, StoreError, StoreUnavailableError
from service.store.log import Log
from service.tables.access import is_over
from service.tables.live_table import LiveTable, events_of
from service.tables.pages import fold_pages, pages

_PAGE: Final = 200


class Damage(Struct, frozen=True):
    """The first thing found wrong at a table."""

    table: UUID | None
    """None where no single table is damaged."""
    version: int | None
    kind: str
    reason: str


class LogAudit:
    """Checks everything that the log holds."""

    def __init__(self, log: Log, records: Records, transparency: Transparency, disputes: DisputeAudit) -> None:
        self._log = log
        self._records = records
        self._transparency = transparency
        self._disputes = disputes

    async def check_all(self, progress: Callable[[int], None], found: Callable[[Damage], None]) -> None:
        """Check every table, newest first, then the transparency log and every dispute.

        `progress` is told how many tables were checked after every page, `found` at once of the first thing wrong
        at each: the others are checked all the same.
        """
        before: tuple[int, UUID] | None = None
        checked = 0
        while page := await self._log.created(before, _PAGE):
            for _, stream in page:
                damage = await self.check_table(stream)
                if damage is not None:
                    found(damage)
                checked += 1
            progress(checked)
            before = page[-1]
        fault = await self._transparency.check()
        if fault is not None:
            found(Damage(fault.table, fault.version, "transparency log", fault.reason))
        await self._check_disputes(found)

    async def _check_disputes(self, found: Callable[[Damage], None]) -> None:
        """Check every dispute, newest first."""
        before: tuple[int, UUID] | None = None
        while page := await self._log.disputed(before, _PAGE):
            for _, dispute, bucket in page:
                damage = await self._disputes.check(dispute, bucket)
                if damage is not None:
                    found(Damage(damage.table, None, "dispute", f"{dispute}: {damage.reason}"))
            before = page[-1][:2]

    async def check_table(self, stream: UUID) -> Damage | None:
        """Check one table: its chain, that it folds, its seals, and after its end everything a record proves."""
        try:
            last = await self._log.last_version(stream)
            damage = await self._chain_damage(stream, last)
        except StoreDamagedError as error:
            return Damage(stream, None, "storage", str(error))
        if damage is not None:
            return damage
        try:
            table = await fold_pages(self._log, stream, last)
        except RulesUnknownError as error:
            return Damage(stream, None, "rules", str(error))
        except StoreUnavailableError:
            raise
        except (UnreadableError, StoreError, LookupError) as error:
            return Damage(stream, None, "fold", str(error))
        damage = await self._verdict_damage(table)
        if damage is not None:
            return damage
        if not is_over(table) or table.codec.game.views.round_number(table.state.game_state) == 0:
            return await self._seal_damage(table)
        for check in (await self._records.verified(table)).checks:
            if check.status == "fail":
                return Damage(stream, check.version, check.name, check.reason)
        return None

    async def _chain_damage(self, stream: UUID, last: int) -> Damage | None:
        previous, version = b"", 0
        async for rows in pages(self._log, stream, last):
            for row in rows:
                version += 1
                if row.version != version:
                    return Damage(stream, version, "chain", "the version is missing")
                if version == 1:
                    previous = fairness.genesis(stream.bytes, row.rules)
                if row.previous_hash != previous or row.hash != fairness.link(previous, row.envelope.encode()):
                    reason = "the hash does not follow from the event and its predecessor"
                    return Damage(stream, version, "chain", reason)
                previous = row.hash
        return None

    async def _seal_damage(self, table: LiveTable) -> Damage | None:
        """Every event has to be one in all its parts, and every part has to be the one that was sealed."""
        async for rows in pages(self._log, table.stream, table.state.version):
            for row in rows:
                try:
                    (event,) = events_of(table, [row])
                    seals = table.salts.seals(row.version, split_parts(row.sealed.encode()))
                except (UnreadableError, MsgspecError) as error:
                    return Damage(table.stream, row.version, "event", str(error))
                if event.seals != seals:
                    return Damage(table.stream, row.version, "seals", "a seal does not open to its part")
        return None

    async def _verdict_damage(self, table: LiveTable) -> Damage | None:
        """Every decision about the match has to be the one of a dispute."""
        for verdict in table.state.adjudications:
            bucket = bucket_of(table.stream)
            rows = await self._log.read(UUID(verdict.dispute), verdict.resolution - 1, 1, bucket=bucket)
            if not rows or rows[0].hash.hex() != verdict.hash:
                return Damage(table.stream, None, "dispute", f"{verdict.dispute}: it has no such decision")
        return None
