"""The use cases of tables: every command is judged on the fold, recorded once, shown to all."""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Struct

from domain import fairness
from domain.codec import Event, codec_for
from domain.decider import OptionProblem, Rejection, Seat
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import begin
from domain.table.model import Accepted, Facts, TableRefusal, Visibility
from domain.table.rules import seat_of
from domain.table.views import EventSeen, event_seen, seat_part
from projections.redis_connection import RedisUnavailableError
from projections.table_lists import TableLists
from service.errors import ConflictError, KeyReusedError, NotFoundError, OptionConflictError, UnavailableError
from service.store.log import Log, StoredEvent
from service.tables.access import Access, is_over, no_table
from service.tables.live_table import LiveTable, TableCache, events_of
from service.tables.private_streams import PrivateStreams, private_streams_of
from service.tables.recorder import Command, Recorder, new_event, now, once
from service.tables.refusals import raise_refusal
from service.tables.views import Views, ViewSeen, seat_in, view_of

_encode: Final = msgspec.json.Encoder().encode
_SCAN: Final = 200
"""Tables looked at per query when the log has to answer."""
_TRIES: Final = 50
"""How often a command is judged again because others were faster, before the caller is asked to wait."""

Judged: TypeAlias = Facts | TableRefusal | OptionProblem | Rejection
Judge: TypeAlias = Callable[[LiveTable, Seat | None], Judged]


class TableAnswer(Struct, frozen=True):
    """What a command on a table gives back: the view after it."""

    table: UUID
    view: ViewSeen


class MoveAnswer(Struct, frozen=True):
    """What an accepted move gives back."""

    game: str
    version: int
    """The version that the move made; on a retry that of the first time."""
    event: EventSeen
    view: ViewSeen


class EventPage(Struct, frozen=True):
    """A page of a table's events for one viewer."""

    game: str
    version: int
    events: tuple[EventSeen, ...]
    more: bool


class Tables:
    """All commands and reads of tables. One per process."""

    def __init__(
        self, log: Log, cache: TableCache, access: Access, recorder: Recorder, views: Views, lists: TableLists
    ) -> None:
        self._log = log
        self._cache = cache
        self._access = access
        self._recorder = recorder
        self._views = views
        self._lists = lists

    # commands

    async def create(
        self,
        account: str,
        key: str,
        *,
        game: str,
        options: Mapping[str, object],
        seats: int | None,
        bots: tuple[Seat, ...],
        visibility: Visibility,
        digest: bytes,
    ) -> TableAnswer:
        """Create a table; its creator is host on seat 0. The same key again gives the same table."""
        definition = CURRENT.get(game)
        if definition is None:
            raise NotFoundError("There is no game of this name.")
        stream = self._recorder.derived(b"table", account, key)
        secret = secrets.token_bytes(32)
        facts = rules.create(
            definition,
            options,
            seats,
            bots,
            player=account,
            visibility=visibility,
            commitment=fairness.commitment(stream.bytes, secret).hex(),
        )
        if isinstance(facts, OptionProblem) and facts.code == "option_value" and facts.option not in options:
            others = definition.options.parse(options, definition.seats[0])  # what is malformed is told first
            if isinstance(others, OptionProblem) and others.code == "option_value" and others.option in options:
                raise_refusal(others, definition)
            raise OptionConflictError(
                "Say how many seats the table has: `seats`, or the option.", code="option_missing"
            )
        if not isinstance(facts, Facts):
            raise_refusal(facts, definition)
        codec = codec_for(definition.rules_id)
        time_ = now()
        state = begin(definition, str(stream), facts, time_)
        sealed = codec.seal(
            facts, seats=state.setup.seats, salts=fairness.Salts(secret), version=1, time=time_, type_="create"
        )
        previous = fairness.genesis(stream.bytes, definition.rules_id)
        hash_ = fairness.link(previous, sealed.envelope)
        table = LiveTable(stream, codec, secret, state, hash_, time_)
        command = Command("create", self._recorder.derived(b"command", account, key), digest)
        new = new_event(table, command, None, sealed.envelope, sealed.parts_text, 0, time_, previous, hash_)
        if await self._log.create_stream(new, secret):
            self._cache.put(table)
        else:
            table = await self._access.existing(stream)
            if (await self._log.read(stream, 0, 1))[0].digest != digest:
                raise KeyReusedError("This Idempotency-Key was used with another body.")
        async with table.lock:
            projection = await self._views.publish(table)
        return TableAnswer(stream, view_of(projection, seat_in(projection.header.players, account)))

    async def sit(
        self,
        stream: UUID,
        account: str,
        key: str,
        *,
        seat: Seat | None,
        client_seed: str | None,
        code: str | None,
        bot: bool,
        digest: bytes,
    ) -> TableAnswer:
        """Sit down, add a client seed, or (host) let a bot sit down."""
        id_ = self._recorder.derived(stream.bytes, account, key)
        command = Command("seat_bot" if bot else "sit", id_, digest, keyed=True)

        def judge(table: LiveTable, own: Seat | None) -> Judged:
            if not bot:
                return rules.sit(table.state, account, seat, client_seed)
            return TableRefusal("seat_unknown") if seat is None else rules.seat_bot(table.state, own, seat)

        return await self._command(stream, account, command, judge, code=code)

    async def unseat_bot(self, stream: UUID, account: str, seat: Seat) -> TableAnswer:
        """Free a bot's seat before the match (host)."""
        return await self._command(
            stream, account, once("unseat_bot"), lambda table, own: rules.unseat_bot(table.state, own, seat)
        )

    async def leave(self, stream: UUID, account: str) -> None:
        """Leave the table; a bot takes the seat if the match has started."""
        await self._command(
            stream, account, once("leave"), lambda table, own: rules.leave(table.state, own, table.secret.hex())
        )

    async def start(self, stream: UUID, account: str, round_number: int) -> TableAnswer:
        """Start the match, or the next round where the host does that. A started round is no error."""

        def judge(table: LiveTable, own: Seat | None) -> Judged:
            state = table.state
            if own is None:
                return TableRefusal("not_seated")
            following = state.setup.game.views.round_number(state.game_state) + 1
            if round_number != following:
                return Facts() if round_number < following else TableRefusal("round_not_next")
            return rules.start(state, own, table.chance, table.secret.hex())

        return await self._command(stream, account, once("start"), judge)

    async def change_options(self, stream: UUID, account: str, values: Mapping[str, object]) -> TableAnswer:
        """Change options in the lobby (host), where the game allows it."""
        return await self._command(
            stream, account, once("options"), lambda table, own: rules.change_options(table.state, own, values)
        )

    async def mark_ready(self, stream: UUID, account: str, ready: bool) -> TableAnswer:
        """Set or clear the caller's ready mark."""
        return await self._command(
            stream, account, once("ready"), lambda table, own: rules.mark_ready(table.state, own, ready)
        )

    async def end_match(self, stream: UUID, account: str) -> TableAnswer:
        """End an open match between rounds (host)."""
        return await self._command(
            stream, account, once("end"), lambda table, own: rules.end_match(table.state, own, table.secret.hex())
        )

    async def move(self, stream: UUID, account: str, decision: int, move: Any) -> MoveAnswer:
        """Answer a decision. A retry gets the same answer, days later too; nothing is appended twice."""
        table = self._access.shown(stream, account) or await self._access.visible(stream, account)
        async with table.lock:
            for _ in range(_TRIES):
                seat = seat_of(table.state, account)
                notes = await self._notes_for(table, seat, decision)
                full = move if notes is None or seat is None else notes.in_full(table.state.game_state, seat, move)
                judged = full if isinstance(full, Rejection) else _judge_move(table, seat, decision, full)
                if isinstance(judged, Accepted) and seat is not None:
                    event = await self._record_move(table, seat, decision, move, full, judged, notes)
                    if event is None:
                        continue
                    projection = await self._views.publish(table)
                    return _move_answer(table, seat, event, view_of(projection, seat))
                if await self._cache.catch_up(table) or await self._caught_up(notes, seat):
                    continue
                if seat is None or isinstance(judged, Accepted):
                    raise_refusal(TableRefusal("not_seated"), table.codec.game)
                return await self._answered(table, seat, decision, move, judged)
        raise UnavailableError("The table is too busy; send the same move again.", headers={"Retry-After": "1"})

    async def bot_move(self, stream: UUID, seat: Seat, decision: int, move: Any) -> bool:
        """Answer a decision for a bot's seat; False if the decision is gone meanwhile."""
        table = await self._access.existing(stream)
        async with table.lock:
            for _ in range(_TRIES):
                if table.state.seats[seat].kind != "bot" or table.state.decisions[seat] != decision:
                    if await self._cache.catch_up(table):
                        continue
                    return False
                judged = _judge_move(table, seat, decision, move)
                if not isinstance(judged, Accepted):
                    raise RuntimeError(f"a bot's move was refused: {judged}")
                if await self._record_move(table, seat, decision, move, move, judged) is not None:
                    await self._views.publish(table)
                    return True
        return False

    # reads

    async def view(self, stream: UUID, account: str, etag: str | None, code: str | None) -> ViewSeen:
        """Return the caller's view of a table. NotFoundError if there is none for this caller."""
        seen = await self._views.see(stream, account, etag, code)
        if seen is None:
            raise no_table()
        return seen

    async def events(self, stream: UUID, account: str, after: int, limit: int, code: str | None) -> EventPage:
        """Return the events that follow a version, as the caller may see them."""
        table = await self._access.visible(stream, account, code)
        rows = await self._log.read(stream, after, limit + 1)
        await self._catch_up_to(table, rows)
        seat, over = seat_of(table.state, account), is_over(table)
        seen = [event_seen(event, seat, over=over) for event in events_of(table, rows[:limit])]
        return EventPage(table.codec.game.key, table.state.version, tuple(seen), len(rows) > limit)

    async def head(self, stream: UUID, account: str, code: str | None) -> tuple[int, bytes, int]:
        """Return version, chain hash and time (ms) of the last event."""
        table = await self._access.visible(stream, account, code)
        row = await self._log.find_last(table.stream)
        if row is None:
            raise no_table()
        return row.version, row.hash, row.time

    async def current(self, stream: UUID, account: str, code: str | None = None) -> LiveTable:
        """Return the table as the log has it now, if it exists for this account."""
        table = await self._access.visible(stream, account, code)
        async with table.lock:
            await self._cache.catch_up(table)
        return table

    async def game_of(self, stream: UUID, account: str) -> str:
        """Return which game the table plays."""
        table = self._access.shown(stream, account) or await self._access.visible(stream, account)
        return table.codec.game.key

    # when an account changes

    async def show_names_of(self, account: str) -> None:
        """Write the views of the account's tables again, with its present name."""
        for stream in await self._tables_of(account):
            table = await self._access.existing(stream)
            async with table.lock:
                await self._cache.catch_up(table)
                await self._views.publish(table, rewrite=True)

    async def leave_all(self, account: str) -> None:
        """Leave every table at which the account still sits."""
        for stream in await self._tables_of(account):
            with suppress(ConflictError, NotFoundError):  # over, or left meanwhile
                await self.leave(stream, account)

    async def _tables_of(self, account: str) -> list[UUID]:
        """The tables in which the account holds a seat; from the log while Redis cannot say so."""
        with suppress(RedisUnavailableError):
            names = await self._lists.tables_of(account)
            if names is not None:
                return [UUID(name) for name in names]
        found: list[UUID] = []
        before: tuple[int, UUID] | None = None
        while page := await self._log.created(before, _SCAN):
            for _, stream in page:
                table = await self._access.existing(stream)
                async with table.lock:
                    await self._cache.catch_up(table)
                if seat_of(table.state, account) is not None:
                    found.append(stream)
            before = page[-1]
        return found

    # the path every command takes

    async def _command(
        self, stream: UUID, account: str, command: Command, judge: Judge, *, code: str | None = None
    ) -> TableAnswer:
        table = await self._access.visible(stream, account, code)
        async with table.lock:
            for _ in range(_TRIES):
                if command.keyed and await self._recorder.was_recorded(table, command):
                    await self._cache.catch_up(table)
                    return await self._answer(table, account)
                seat = seat_of(table.state, account)
                judged = judge(table, seat)
                if isinstance(judged, Facts) and (judged.table or judged.game):
                    if await self._recorder.record(table, seat, command, judged) is not None:
                        return await self._answer(table, account)
                    continue
                if await self._cache.catch_up(table):  # nothing to do, or refused, as far as was known here
                    continue
                if isinstance(judged, Facts):
                    return await self._answer(table, account)
                raise_refusal(judged, table.codec.game, version=table.state.version)
        raise UnavailableError("The table is too busy; try again.", headers={"Retry-After": "1"})

    async def _answer(self, table: LiveTable, account: str) -> TableAnswer:
        projection = await self._views.publish(table)
        return TableAnswer(table.stream, view_of(projection, seat_in(projection.header.players, account)))

    async def _record_move(
        self,
        table: LiveTable,
        seat: Seat,
        decision: int,
        asked: Any,
        full: Any,
        accepted: Accepted,
        notes: PrivateStreams | None = None,
    ) -> Event | None:
        """Record a move that was accepted on the notes given; None if the table or they have gone on meanwhile."""
        command = _move_command(table, seat, decision, asked, full)
        guard = None if notes is None else notes.guard(seat)
        event = await self._recorder.record(table, seat, command, accepted.facts, accepted.game_state, guard=guard)
        if event is None:
            await self._caught_up(notes, seat)
        return event

    async def _answered(
        self, table: LiveTable, seat: Seat, decision: int, move: Any, refused: TableRefusal | Rejection
    ) -> MoveAnswer:
        """The answer to a decision that is not open: the first one again, or why it is refused."""
        row = await self._log.find_answer(table.stream, seat, decision)
        if row is None:
            raise_refusal(refused, table.codec.game, version=table.state.version, legal=_legal(table, seat))
        if row.digest != _digest(decision, move):
            raise_refusal(TableRefusal("decision_taken"), table.codec.game, version=table.state.version)
        (event,) = events_of(table, [row])
        projection = await self._views.projection(table)
        return _move_answer(table, seat, event, view_of(projection, seat))

    async def _notes_for(self, table: LiveTable, seat: Seat | None, decision: int) -> PrivateStreams | None:
        """Return the table's notes as they are known here, if the seat's have a say in its move.

        They have none in a decision that is not open. Whether another process has newer ones shows when
        the move is recorded.
        """
        game = table.codec.game.private_stream
        if game is None or seat is None or table.state.decisions[seat] != decision:
            return None
        if not game.consulted(table.state.game_state, seat):
            return None
        notes = private_streams_of(table)
        if notes is not None:
            await notes.load(self._log)
        return notes

    async def _caught_up(self, notes: PrivateStreams | None, seat: Seat | None) -> bool:
        """Fold what the seat noted elsewhere meanwhile; return whether there was anything."""
        return notes is not None and seat is not None and await notes.catch_up(self._log, [seat])

    async def _catch_up_to(self, table: LiveTable, rows: list[StoredEvent]) -> None:
        if rows and rows[-1].version > table.state.version:
            async with table.lock:
                await self._cache.catch_up(table)


def _judge_move(table: LiveTable, seat: Seat | None, decision: int, move: Any) -> Accepted | TableRefusal | Rejection:
    return rules.move(table.state, seat, decision, move, table.chance, table.secret.hex())


def _legal(table: LiveTable, seat: Seat) -> tuple[Any, ...]:
    """What the seat may do now, in the light of its notes where the game keeps some."""
    notes = private_streams_of(table)
    return seat_part(table.state, seat, notes=None if notes is None else notes.seats[seat].value).legal


def _move_answer(table: LiveTable, seat: Seat, event: Event, view: ViewSeen) -> MoveAnswer:
    return MoveAnswer(table.codec.game.key, event.version, event_seen(event, seat, over=is_over(table)), view)


def _digest(decision: int, move: Any) -> bytes:
    return hashlib.sha256(b"%d " % decision + _encode(move)).digest()


def _move_command(table: LiveTable, seat: Seat, decision: int, asked: Any, full: Any) -> Command:
    """A retry is known by what was asked; what is recorded is the move in full."""
    digest = _digest(decision, asked)
    identity = hashlib.sha256(table.stream.bytes + bytes([seat]) + digest).digest()[:16]
    return Command(full.__struct_config__.tag, UUID(bytes=identity), digest, decision, full)
