"""Checking a dispute: its chain, its evidence, its texts, and what tables and lists say of it."""

from uuid import UUID

from msgspec import Struct

from domain import fairness
from domain.disputes import codec
from domain.disputes.model import RULES_ID
from domain.table.model import Adjudicated
from service.disputes.evidence import EvidenceRoom
from service.disputes.streams import Dispute, folded
from service.errors import DamagedStreamError, UnreadableError
from service.store.disputes import DisputeStore
from service.store.log import Log, StoredEvent
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.snapshots import Snapshots


class DisputeDamage(Struct, frozen=True):
    """The first thing found wrong about a dispute."""

    table: UUID
    reason: str


class DisputeAudit:
    """Checks disputes against the log."""

    def __init__(self, log: Log, store: DisputeStore, cache: TableCache, snapshots: Snapshots) -> None:
        self._log = log
        self._store = store
        self._cache = cache
        self._room = EvidenceRoom(log, snapshots)

    async def check(self, dispute: UUID, bucket: int) -> DisputeDamage | None:
        """Check one dispute whose events are in a bucket; None if nothing is wrong."""
        rows = await self._log.read(dispute, bucket=bucket)
        try:
            loaded = folded(dispute, bucket, rows)
        except DamagedStreamError as error:
            return DisputeDamage(dispute, str(error))
        try:
            table = await self._cache.get(loaded.table)
            if table is None:
                return DisputeDamage(loaded.table, "the disputed table is not in the log")
            async with table.lock:
                await self._cache.catch_up(table)
        except UnreadableError as error:
            return DisputeDamage(loaded.table, str(error))
        reason = (
            _broken_link(dispute, rows)
            or _other_verdicts(loaded, rows, table)
            or await self._other_texts(loaded)
            or await self._other_row(loaded)
        )
        if reason is None:
            reason = await self._other_evidence(loaded, table)
        return None if reason is None else DisputeDamage(loaded.table, reason)

    async def _other_texts(self, loaded: Dispute) -> str | None:
        state = loaded.state
        hashes = {1: state.opened.text} | {one.version: one.fact.text for one in state.resolutions}
        if state.appeal is not None:
            hashes[state.appeal.version] = state.appeal.fact.text
        for version, (salt, text) in (await self._store.texts(loaded.id)).items():
            if codec.text_hash(salt, text) != hashes.get(version):
                return f"version {version}: the text is not the one that was recorded"
        return None

    async def _other_evidence(self, loaded: Dispute, table: LiveTable) -> str | None:
        try:
            shown = await self._room.show(loaded, table, "all")
        except DamagedStreamError as error:
            return str(error)
        return None if shown.sound is not False else "the evidence is not what follows from the log"

    async def _other_row(self, loaded: Dispute) -> str | None:
        row, state = await self._store.row(loaded.id), loaded.state
        if row is None:
            return "it is not in the list of disputes"
        listed = (str(row.stream), row.version, str(row.player), row.opened, row.claim, row.status, row.bucket)
        opened = state.opened
        recorded = (
            opened.table,
            opened.version,
            opened.player,
            state.opened_at,
            opened.claim,
            state.status,
            loaded.bucket,
        )
        same_people = tuple(map(str, row.people)) == opened.players
        return None if listed == recorded and same_people else "the list of disputes says something else of it"


def _broken_link(dispute: UUID, rows: list[StoredEvent]) -> str | None:
    previous = fairness.genesis(dispute.bytes, RULES_ID)
    for row in rows:
        if row.previous_hash != previous or row.hash != fairness.link(previous, row.envelope.encode()):
            return f"version {row.version}: the hash does not follow from the event and its predecessor"
        previous = row.hash
    return None


def _other_verdicts(loaded: Dispute, rows: list[StoredEvent], table: LiveTable) -> str | None:
    state = loaded.state
    expected = [
        Adjudicated(
            state.id,
            state.opened.version,
            one.fact.arbiter,
            one.fact.decision,
            one.fact.annulled,
            one.version,
            rows[one.version - 1].hash.hex(),
        )
        for one in state.resolutions
    ]
    recorded = [one for one in table.state.adjudications if one.dispute == state.id]
    return None if recorded == expected else "the table's events do not have its decisions"
