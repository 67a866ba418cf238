"""The use cases of disputes: opened by players, decided by arbiters, recorded in streams of their own."""

import asyncio
import hashlib
import secrets
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID
from weakref import WeakValueDictionary

from msgspec import Struct

from domain.disputes import codec, rules
from domain.disputes.fold import apply
from domain.disputes.model import (
    PER_DAY,
    Claim,
    DisputeFact,
    DisputeOpened,
    DisputeRefusal,
    DisputeResolved,
    DisputeStatus,
)
from domain.disputes.people import SeatedPeople
from domain.disputes.views import DisputeSeen, dispute_seen
from domain.table.model import Adjudicated, Facts, TableRefusal, Verdict
from domain.table.rules import adjudicate, seat_of
from service.accounts.accounts import Account
from service.cursors import open_cursor, seal_cursor
from service.disputes.evidence import EvidenceRoom, EvidenceSeen, Opened
from service.disputes.streams import Dispute, load, next_event, opening_event
from service.errors import ConflictError, KeyReusedError, NotFoundError, UnavailableError
from service.store.buckets import bucket_of
from service.store.disputes import DisputeRow, DisputeStore, NewText, Opening, Outcome
from service.store.log import Log
from service.tables.access import Access, is_over, may_see, no_table
from service.tables.attempts import Attempt, Judgement, carry_out
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable, events_of
from service.tables.pages import pages
from service.tables.recorder import now, once, table_event
from service.tables.refusals import raise_dispute_refusal, raise_refusal
from service.tables.snapshots import Snapshots
from service.tables.views import Views

_SALT_BYTES: Final = 32


class Asked(Struct, frozen=True):
    """What a player disputes."""

    table: UUID
    version: int
    claim: Claim
    text: str


class Disputes:
    """All commands and reads of disputes. One per process."""

    def __init__(
        self,
        log: Log,
        store: DisputeStore,
        cache: TableCache,
        access: Access,
        views: Views,
        snapshots: Snapshots,
        *,
        key: bytes,
    ) -> None:
        self._log = log
        self._store = store
        self._cache = cache
        self._access = access
        self._views = views
        self._snapshots = snapshots
        self._room = EvidenceRoom(log, snapshots)
        self._key = key
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        """By account what is held while it opens a dispute."""

    # opening

    async def open(self, account: Account, key: str, asked: Asked) -> DisputeSeen:
        """Dispute a version of a table. The same key again gives the same dispute."""
        dispute = self._id_for(account.id, key)
        row = await self._store.row(dispute)
        if row is None:
            await self._open(account, dispute, asked)
            row = await self._store.row(dispute)
        if row is None:
            raise UnavailableError("The dispute is not ready yet; try again.", headers={"Retry-After": "1"})
        loaded = await load(self._log, row)
        opened = loaded.state.opened
        same = (opened.table, opened.version, opened.claim) == (str(asked.table), asked.version, asked.claim)
        if not same or not await self._same_text(loaded, 1, opened.text, asked.text, erased=True):
            raise KeyReusedError
        return await self._seen(loaded, account)

    async def _open(self, account: Account, dispute: UUID, asked: Asked) -> None:
        relation = await self._access.relation(asked.table, account.id)
        if relation == "stranger":
            raise no_table()
        table = await self._access.current(asked.table)
        players, barred = await self._people(table)
        if account.id not in players and not may_see(table.state, account.id, relation):
            raise no_table()
        ended = await self._ended(table)
        refusal = rules.may_open(table.state, players, account.id, asked.version, ended=ended, now=now())
        if refusal is not None:
            raise_dispute_refusal(refusal)
        async with self._opening.setdefault(account.id, asyncio.Lock()):
            await self._freeze(account, dispute, asked, table, players, barred)

    async def _freeze(
        self,
        account: Account,
        dispute: UUID,
        asked: Asked,
        table: LiveTable,
        players: tuple[str, ...],
        barred: tuple[str, ...],
    ) -> None:
        """Freeze the evidence and record the dispute; of one player one after the other, so that only as much
        evidence is frozen as he may open disputes. Recording asks for their number again."""
        if await self._store.row(dispute) is not None:
            return  # a copy of this request was faster
        refusal = await self._refused_by_others(dispute, account.id, asked)
        if refusal is not None:
            raise_dispute_refusal(refusal)
        evidence = await self._room.freeze(table, asked.version)
        text = NewText(UUID(account.id), secrets.token_bytes(_SALT_BYTES), asked.text)
        fact = DisputeOpened(
            table=table.id,
            rules=table.codec.game.rules_id,
            version=asked.version,
            player=account.id,
            claim=asked.claim,
            text=codec.text_hash(text.salt, text.text),
            players=players,
            barred=barred,
            evidence=evidence.public,
        )
        seals = codec.seals_of(codec.salts_of(table.secret, dispute.bytes), evidence.parts)
        event = opening_event(dispute, bucket_of(asked.table), fact, evidence.parts, seals, now())
        opening = Opening(asked.table, asked.version, asked.claim, players, PER_DAY)
        outcome = await self._store.record(event, "open", text=text, opening=opening)
        if outcome is Outcome.EXISTS:
            raise_dispute_refusal(DisputeRefusal("dispute_exists"))
        if outcome is Outcome.TOO_MANY:
            raise_dispute_refusal(DisputeRefusal("disputes_per_day"))
        # APPENDED, PRESENT, or a copy of this request was faster: the dispute is there

    # what arbiters and players do

    async def review(self, account: Account, dispute: UUID) -> DisputeSeen:
        """Take a dispute up as its arbiter."""
        reviewed = await self._command(
            account, dispute, lambda loaded: rules.review(loaded.state, account.id, now=now())
        )
        return await self._seen(reviewed, account)

    async def withdraw(self, account: Account, dispute: UUID) -> DisputeSeen:
        """Take a dispute back (reporter)."""
        withdrawn = await self._command(account, dispute, lambda loaded: rules.withdraw(loaded.state, account.id))
        return await self._seen(withdrawn, account)

    async def appeal(self, account: Account, dispute: UUID, text: str) -> DisputeSeen:
        """Ask another arbiter to decide again (any player of the match)."""
        loaded, _ = await self.visible(account, dispute)
        appeal = loaded.state.appeal
        same = appeal is not None and await self._same_text(loaded, appeal.version, appeal.fact.text, text)
        kept = NewText(UUID(account.id), secrets.token_bytes(_SALT_BYTES), text)
        hash_ = codec.text_hash(kept.salt, text)
        appealed = await self._command(
            account,
            dispute,
            lambda loaded: rules.appeal(loaded.state, account.id, text=hash_, now=now(), same_text=same),
            text=kept,
        )
        return await self._seen(appealed, account)

    async def resolve(
        self, account: Account, dispute: UUID, decision: Verdict, *, annulled: bool, reasons: str
    ) -> DisputeSeen:
        """Decide a dispute (its arbiter), after the end of the match, whose stream gets the decision as well."""
        loaded, _ = await self.visible(account, dispute)
        last = loaded.state.resolutions[-1] if loaded.state.resolutions else None
        same = last is not None and await self._same_text(loaded, last.version, last.fact.text, reasons)
        text = NewText(UUID(account.id), secrets.token_bytes(_SALT_BYTES), reasons)
        hash_ = codec.text_hash(text.salt, reasons)
        table = await self._access.current(loaded.table)

        def judge(loaded: Dispute) -> tuple[DisputeFact, ...] | DisputeRefusal:
            return rules.resolve(
                loaded.state,
                account.id,
                decision,
                annulled=annulled,
                text=hash_,
                match_over=is_over(table),
                same_text=same,
            )

        async with table.lock:
            await self._cache.catch_up(table)
            resolved = await self._command(account, dispute, judge, text=text, table=table)
        return await self._seen(resolved, account)

    # reads

    async def get(self, account: Account, dispute: UUID) -> DisputeSeen:
        """Return a dispute. NotFoundError if there is none for this account."""
        loaded, _ = await self.visible(account, dispute)
        return await self._seen(loaded, account)

    async def page(
        self, account: Account, status: DisputeStatus | None, cursor: str | None, limit: int
    ) -> tuple[list[DisputeRow], str | None]:
        """Return disputes newest first, all for arbiters, else those of one's matches, and the next page's cursor."""
        player = None if account.role == "arbiter" else UUID(account.id)
        scope = f"disputes:{player}:{status}"
        before: tuple[int, UUID] | None = None
        if cursor is not None:
            time, _, id_ = open_cursor(self._key, scope, cursor).partition(":")
            before = int(time), UUID(id_)
        rows = await self._store.page(player=player, status=status, before=before, limit=limit + 1)
        page, more = rows[:limit], len(rows) > limit
        last = f"{page[-1].opened}:{page[-1].dispute}" if more else ""
        return page, seal_cursor(self._key, scope, last) if more else None

    async def evidence(self, account: Account, dispute: UUID, viewer: Opened) -> EvidenceSeen:
        """Return the evidence; what is sealed for those who may see it. A look of an arbiter is recorded first."""
        loaded, arbiter = await self.visible(account, dispute)
        table = await self._access.current(loaded.table)
        if isinstance(viewer, int) and viewer >= table.state.setup.seats:
            raise_refusal(TableRefusal("seat_unknown"), table.codec.game)
        if viewer is not None and arbiter:
            seat, over = None if viewer == "all" else viewer, is_over(table)
            await self._command(account, dispute, lambda one: rules.look(one.state, account.id, seat, match_over=over))
        elif viewer not in (None, seat_of(table.state, account.id)) and not is_over(table):
            raise ConflictError(
                "The match is not over; other seats can be seen only after its end.", code="match_running"
            )
        return await self._room.show(loaded, table, viewer)

    async def erase_texts(self, account: str) -> None:
        """Erase every text that an account wrote; the disputes stay as they are."""
        await self._store.erase_texts(UUID(account))

    async def relist(self) -> int:
        """Rebuild the list of disputes from the log; return how many there are."""
        return await self._store.relist()

    # the path of every command

    async def _command(
        self,
        account: Account,
        dispute: UUID,
        judge: Callable[[Dispute], tuple[DisputeFact, ...] | DisputeRefusal],
        *,
        text: NewText | None = None,
        table: LiveTable | None = None,
    ) -> Dispute:
        """Judge a command, record what follows, and return the dispute as it is then.

        A resolution has its `table`, which is locked by the caller.
        """
        outcome = await carry_out(_DisputeAttempt(self, self._cache, account, dispute, judge, text, table))
        if outcome.refusal is not None:
            raise_dispute_refusal(outcome.refusal)
        return (await self.visible(account, dispute))[0]

    async def record(self, loaded: Dispute, fact: DisputeFact, text: NewText | None, table: LiveTable | None) -> bool:
        """Append one fact; False if another event was faster."""
        event = next_event(loaded, fact)
        status = apply(loaded.state, (fact,), event.time).status
        if table is None or not isinstance(fact, DisputeResolved):
            outcome = await self._store.record(event, status, text=text)
        else:
            outcome = await self._record_verdict(loaded, fact, event, status, text, table)
        if outcome is Outcome.BROKEN:
            self._cache.drop(loaded.table)
            raise UnavailableError("The dispute is being reloaded; try again.", headers={"Retry-After": "1"})
        return outcome in (Outcome.APPENDED, Outcome.PRESENT)

    async def _record_verdict(
        self, loaded: Dispute, fact: DisputeResolved, event: Any, status: str, text: NewText | None, table: LiveTable
    ) -> Outcome:
        """Append a resolution and with it the decision to the match's stream, both or none."""
        verdict = Adjudicated(
            dispute=str(loaded.id),
            version=loaded.state.opened.version,
            arbiter=fact.arbiter,
            decision=fact.decision,
            annulled=fact.annulled,
            resolution=event.expected + 1,
            hash=event.hash.hex(),
        )
        judged = adjudicate(table.state, verdict)
        if not isinstance(judged, Facts):
            raise_refusal(judged, table.codec.game, version=table.state.version)
        also, recorded = table_event(table, None, once("adjudicate"), judged)
        outcome = await self._store.record(event, status, text=text, also=also)
        if outcome in (Outcome.APPENDED, Outcome.PRESENT):
            table.advance(recorded, also.hash)
            await self._snapshots.keep_if_due(table)
            await self._views.publish(table)
        return outcome

    # what they all need

    async def visible(self, account: Account, dispute: UUID) -> tuple[Dispute, bool]:
        """Return a dispute if it exists for this account, and whether as one of its arbiters."""
        row = await self._store.row_for(dispute, None if account.role == "arbiter" else UUID(account.id))
        if row is None:
            raise NotFoundError("There is no such dispute, or it is not available to you.")
        loaded = await load(self._log, row)
        return loaded, account.role == "arbiter" and account.id not in loaded.state.opened.barred

    async def _seen(self, loaded: Dispute, account: Account) -> DisputeSeen:
        arbiter = account.role == "arbiter" and account.id not in loaded.state.opened.barred
        texts = {version: (salt.hex(), text) for version, (salt, text) in (await self._store.texts(loaded.id)).items()}
        over = is_over(await self._access.current(loaded.table))
        return dispute_seen(loaded.state, account.id, texts, arbiter=arbiter, match_over=over)

    async def _same_text(self, loaded: Dispute, version: int, hash_: str, text: str, *, erased: bool = False) -> bool:
        """Whether a text is the one that an event has the hash of; `erased` if that was erased."""
        kept = (await self._store.texts(loaded.id)).get(version)
        return erased if kept is None else codec.text_hash(kept[0], text) == hash_

    async def _refused_by_others(self, dispute: UUID, player: str, asked: Asked) -> DisputeRefusal | None:
        """Why the player's other disputes do not allow this one."""
        same, today = await self._store.others(dispute, UUID(player), asked.table, asked.version)
        if same:
            return DisputeRefusal("dispute_exists")
        return DisputeRefusal("disputes_per_day") if today >= PER_DAY else None

    async def _people(self, table: LiveTable) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what `people_of` does, of the events up to the start of a table's match."""
        people = SeatedPeople()
        async for rows in pages(self._log, table.stream, table.state.version):
            people.take(events_of(table, rows))
            if people.started:
                break
        return people.players, people.everybody

    async def _ended(self, table: LiveTable) -> int | None:
        final = table.state.final_version
        if final is None:
            return None
        (row,) = await self._log.read(table.stream, final - 1, 1)
        return row.time

    def _id_for(self, account: str, key: str) -> UUID:
        """An id that follows from an idempotency key and that nobody outside can predict."""
        message = b"blattwerk/dispute\0" + account.encode() + b"\0" + key.encode()
        return UUID(bytes=hashlib.blake2b(message, key=self._key, digest_size=16).digest(), version=4)


class _DisputeAttempt(Attempt[DisputeFact, bool, DisputeRefusal]):
    """A command on a dispute, which is read from the log each time it is judged."""

    def __init__(
        self,
        disputes: Disputes,
        cache: TableCache,
        account: Account,
        dispute: UUID,
        judge: Callable[[Dispute], tuple[DisputeFact, ...] | DisputeRefusal],
        text: NewText | None,
        table: LiveTable | None,
    ) -> None:
        self._disputes = disputes
        self._cache = cache
        self._account = account
        self._id = dispute
        self._judge = judge
        self._text = text
        self._table = table
        self._dispute: Dispute | None = None

    async def judge(self) -> Judgement[DisputeFact, DisputeRefusal]:
        self._dispute, _ = await self._disputes.visible(self._account, self._id)
        judged = self._judge(self._dispute)
        if isinstance(judged, DisputeRefusal):
            return Judgement(refusal=judged)
        return Judgement(judged[0] if judged else None)

    async def record(self, facts: DisputeFact) -> bool | None:
        if self._dispute is None:
            raise TypeError("a dispute is judged before anything of it is recorded")
        return await self._disputes.record(self._dispute, facts, self._text, self._table) or None

    async def catch_up(self) -> bool:
        """The table of a resolution; the dispute itself is as new as its last judgement."""
        return self._table is not None and await self._cache.catch_up(self._table)
