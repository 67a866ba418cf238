"""The use cases of tables: every command is judged on the fold, recorded once, shown to all."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain import fairness
from domain.codec import Event, codec_for
from domain.decider import OptionProblem, Rejection, Seat
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import begin
from domain.table.model import BotPace, Facts, TableRefusal, Visibility
from domain.table.rules import seat_of
from domain.table.views import EventSeen, event_seen, seat_part
from service.errors import FieldError, KeyReusedError, LimitError, NotFoundError, OptionError
from service.store.log import Log
from service.tables.access import Access, is_over, no_table
from service.tables.attempts import BotMoveAttempt, MoveAttempt, TableAttempt, TableRefused, carry_out, digest_of
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable, events_of
from service.tables.recorder import Command, Recorder, new_event, now, once
from service.tables.refusals import raise_refusal
from service.tables.table_limits import TableLimits
from service.tables.views import Views, ViewSeen, seat_in, view_of


class TableAnswer(Struct, frozen=True):
    """What a command on a table gives back: the view after it."""

    table: UUID
    view: ViewSeen


EVENTS_SINCE_MAX: Final = 200
"""A view brings so many missed events at most; who missed more reads pages."""


class Missed(Struct, frozen=True):
    """The events between a version that the caller knows and a view."""

    since: int
    events: tuple[EventSeen, ...] | None
    """None if there are more than `EVENTS_SINCE_MAX`."""


class MoveAnswer(Struct, frozen=True):
    """What an accepted move gives back."""

    game: str
    version: int
    """The version that the move made; on a retry that of the first time."""
    replayed: bool
    """Whether the move was recorded before, by an earlier attempt."""
    event: EventSeen
    view: ViewSeen
    """The table as it is now, which on a retry may be further on than the move."""
    missed: Missed | None


class EventPage(Struct, frozen=True):
    """A page of a table's events for one viewer."""

    game: str
    version: int
    events: tuple[EventSeen, ...]
    more: bool
    over: bool
    """Whether the match is over, so that everything is open."""


class Tables:
    """All commands and reads of tables. One per process.

    A request looks its table up once, with `find`, and hands it to what it asks for.
    """

    def __init__(
        self, log: Log, cache: TableCache, access: Access, recorder: Recorder, views: Views, limits: TableLimits
    ) -> None:
        self._log = log
        self._cache = cache
        self._access = access
        self._recorder = recorder
        self._views = views
        self._limits = limits
        self.find = access.find

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
        bot_pace: BotPace = "normal",
    ) -> TableAnswer:
        """Create a table; its creator is host on seat 0. The same key again gives the same table.

        LimitError if the account has too many open ones.
        """
        definition = CURRENT.get(game)
        if definition is None:
            raise NotFoundError("There is no such game.")
        stream = self._recorder.derived(b"table", account, key)
        secret = secrets.token_bytes(32)
        facts = rules.create(
            definition,
            options,
            seats,
            bots,
            player=account,
            visibility=visibility,
            bot_pace=bot_pace,
            commitment=fairness.commitment(stream.bytes, secret).hex(),
        )
        if isinstance(facts, OptionProblem) and facts.code == "option_value" and facts.option not in options:
            others = definition.options.parse(options, definition.seats[0])  # what is malformed comes first
            if isinstance(others, OptionProblem) and others.code == "option_value" and others.option in options:
                raise_refusal(others, definition)
            field = FieldError("/seats", "is missing")
            raise OptionError(
                "Say how many seats the table has: `seats`, or the option.", code="option_missing", errors=(field,)
            )
        if not isinstance(facts, Facts):
            raise_refusal(facts, definition)
        try:
            await self._limits.require_seat(account)
            if bots:
                await self._limits.require_bots(account)
        except LimitError:
            if await self._cache.get(stream) is None:
                raise
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
                raise KeyReusedError
        async with table.lock:
            return await self._answer(table, account)

    async def sit(
        self,
        table: LiveTable,
        account: str,
        key: str,
        *,
        seat: Seat | None,
        client_seed: str | None,
        bot: bool,
        digest: bytes,
    ) -> TableAnswer:
        """Sit down at a public table, add a client seed, or (host) let a bot sit down.

        LimitError if the account has too many tables.
        """
        if bot and all(one.kind != "bot" for one in table.state.seats):
            await self._limits.require_bots(account)
        if not bot and seat_of(table.state, account) is None:
            await self._limits.require_seat(account)
        id_ = self._recorder.derived(table.stream.bytes, account, key)
        command = Command("seat_bot" if bot else "sit", id_, digest, keyed=True)

        def judge(own: Seat | None) -> Facts | TableRefused:
            if not bot:
                judged = rules.sit(table.state, account, seat, client_seed)
                barred = own is None and table.state.setup.visibility == "private" and isinstance(judged, Facts)
                return TableRefusal("code_required") if barred else judged
            return TableRefusal("seat_unknown") if seat is None else rules.seat_bot(table.state, own, seat)

        return await self._command(table, account, command, judge)

    async def join(self, table: LiveTable, account: str, command: Command, client_seed: str | None) -> TableAnswer:
        """Sit down on the first open seat, by the table's join code. LimitError if the account has too many tables."""
        if seat_of(table.state, account) is None:
            await self._limits.require_seat(account)
        return await self._command(
            table, account, command, lambda _: rules.sit(table.state, account, None, client_seed)
        )

    async def unseat_bot(self, table: LiveTable, account: str, seat: Seat) -> TableAnswer:
        """Free a bot's seat before the match (host)."""
        return await self._command(
            table, account, once("unseat_bot"), lambda own: rules.unseat_bot(table.state, own, seat)
        )

    async def has_left(self, stream: UUID, account: str) -> bool:
        """Whether an account that does not see the table once sat there."""
        return await self._access.relation(stream, account) == "named"

    async def leave(self, table: LiveTable, account: str) -> None:
        """Leave the table; a bot takes the seat if the match has started. Who has no seat has left already."""

        def judge(own: Seat | None) -> Facts | TableRefused:
            return Facts() if own is None else rules.leave(table.state, own, table.secret.hex())

        await self._command(table, account, once("leave_table"), judge)

    async def start(self, table: LiveTable, account: str, round_number: int) -> TableAnswer:
        """Start the match, or the next round where the host does that. Starting a started round is not an error."""

        def judge(own: Seat | None) -> Facts | TableRefused:
            state = table.state
            if own is None:
                return TableRefusal("not_seated")
            following = state.setup.game.views.round_number(state.game_state) + 1
            if round_number != following:
                return Facts() if round_number < following else TableRefusal("round_not_next")
            return rules.start(state, own, table.chance, table.secret.hex())

        return await self._command(table, account, once("start"), judge)

    async def change_options(self, table: LiveTable, account: str, values: Mapping[str, object]) -> TableAnswer:
        """Change options in the lobby (host), where the game allows it."""
        return await self._command(
            table, account, once("options"), lambda own: rules.change_options(table.state, own, values)
        )

    async def mark_ready(self, table: LiveTable, account: str, ready: bool) -> TableAnswer:
        """Set or clear the caller's ready mark."""
        return await self._command(table, account, once("ready"), lambda own: rules.mark_ready(table.state, own, ready))

    async def end_match(self, table: LiveTable, account: str) -> TableAnswer:
        """End an open match between rounds (host)."""
        return await self._command(
            table, account, once("end"), lambda own: rules.end_match(table.state, own, table.secret.hex())
        )

    async def move(
        self, table: LiveTable, account: str, decision: int, move: Any, since: int | None = None
    ) -> MoveAnswer:
        """Answer a decision. A retry gets the same event, even days later; nothing is appended twice.

        `since` is a version of the table: the answer brings the events after it, up to the view.
        LimitError if the account makes too many, retries included.
        """
        self._limits.count_move(account)
        async with table.lock:
            attempt = MoveAttempt(self._recorder, table, account, decision, move)
            outcome = await carry_out(attempt)
            if attempt.seat is None:
                await self._views.require_latest(table)
                raise_refusal(TableRefusal("not_seated"), table.codec.game)
            event = outcome.recorded
            if event is None:
                event = await self._first_answer(table, attempt.seat, decision, move, outcome.refusal)
                projection = await self._views.projection(table)
            else:
                projection = await self._views.publish(table)
            view, over = view_of(projection, attempt.seat), is_over(table)
        seen, replayed = event_seen(event, attempt.seat, over=over), outcome.recorded is None
        if since is None:
            missed = None
        elif since == event.version - 1 and view.version == event.version:
            missed = Missed(since, (seen,))  # the usual case: nothing to read
        else:
            missed = await self._missed(table, view, since)
        return MoveAnswer(table.codec.game.key, event.version, replayed, seen, view, missed)

    async def bot_move(self, table: LiveTable, seat: Seat, decision: int, move: Any) -> bool:
        """Answer a decision for a bot's seat; False if the decision is gone meanwhile."""
        async with table.lock:
            outcome = await carry_out(BotMoveAttempt(self._recorder, table, seat, decision, move))
            if outcome.recorded is not None:
                await self._views.publish(table)
            elif isinstance(outcome.refusal, Rejection):
                raise RuntimeError(f"a bot's move was refused: {outcome.refusal}")
        return outcome.recorded is not None

    # reads

    async def view(self, stream: UUID, account: str, etags: Sequence[str]) -> ViewSeen:
        """Return the caller's view of a table. NotFoundError if there is none for this caller."""
        seen = await self._views.see(stream, account, etags)
        if seen is None:
            raise no_table()
        return seen

    async def view_since(
        self, stream: UUID, account: str, etags: Sequence[str], since: int
    ) -> tuple[ViewSeen, Missed | None]:
        """Return the caller's view, and the events after a version up to it; None for them if the caller has it."""
        seen = await self.view(stream, account, etags)
        if seen.body is None:
            return seen, None
        return seen, await self._missed(await self._access.existing(stream), seen, since)

    async def _missed(self, table: LiveTable, seen: ViewSeen, since: int) -> Missed:
        """Return the events after a version, up to a view and for its viewer."""
        if since >= seen.version:
            return Missed(since, ())
        if seen.version - since > EVENTS_SINCE_MAX:
            return Missed(since, None)
        if table.state.version < seen.version:
            await self._catch_up(table)
        rows = await self._log.read(table.stream, since, seen.version - since)
        over = is_over(table)
        return Missed(since, tuple([event_seen(event, seen.seat, over=over) for event in events_of(table, rows)]))

    async def events(self, table: LiveTable, account: str, after: int, limit: int) -> EventPage:
        """Return the events that follow a version, as the caller may see them now, however few the page holds."""
        await self._catch_up(table)
        rows = await self._log.read(table.stream, after, limit)
        if rows and rows[-1].version > table.state.version:
            await self._catch_up(table)  # recorded meanwhile
        seat, over = seat_of(table.state, account), is_over(table)
        seen = [event_seen(event, seat, over=over) for event in events_of(table, rows)]
        more = bool(rows) and rows[-1].version < table.state.version
        return EventPage(table.codec.game.key, table.state.version, tuple(seen), more, over)

    async def head(self, table: LiveTable) -> tuple[int, bytes, int]:
        """Return version, chain hash and time (ms) of the last event."""
        row = await self._log.find_last(table.stream)
        if row is None:
            raise no_table()
        return row.version, row.hash, row.time

    async def _catch_up(self, table: LiveTable) -> None:
        async with table.lock:
            await self._cache.catch_up(table)

    # what commands share

    async def _command(
        self, table: LiveTable, account: str, command: Command, judge: Callable[[Seat | None], Facts | TableRefused]
    ) -> TableAnswer:
        async with table.lock:
            outcome = await carry_out(TableAttempt(self._recorder, table, account, command, judge))
            if outcome.refusal is not None:
                await self._views.require_latest(table)
                raise_refusal(outcome.refusal, table.codec.game, version=table.state.version)
            return await self._answer(table, account)

    async def _answer(self, table: LiveTable, account: str) -> TableAnswer:
        projection = await self._views.publish(table)
        return TableAnswer(table.stream, view_of(projection, seat_in(projection.header.players, account)))

    async def _first_answer(
        self, table: LiveTable, seat: Seat, decision: int, move: Any, refusal: TableRefusal | Rejection | None
    ) -> Event:
        """Return the event of the same answer to the same decision before; else say why this one is refused.

        LogOutdatedError if that cannot be known, since the log is older than what was acknowledged.
        """
        version = table.state.version
        row = await self._log.find_answer(table.stream, seat, decision)
        if row is None:
            await self._views.require_latest(table)
            legal = _legal(table, seat)
            raise_refusal(refusal or TableRefusal("stale_decision"), table.codec.game, version=version, legal=legal)
        if row.digest != digest_of(decision, move):
            raise_refusal(TableRefusal("decision_taken"), table.codec.game, version=version)
        (event,) = events_of(table, [row])
        return event


def _legal(table: LiveTable, seat: Seat) -> tuple[Any, ...]:
    """What the seat may do now, in the light of what it keeps to itself."""
    private = None if table.private is None else table.private.seats[seat].private_state
    return seat_part(table.state, seat, private_state=private).legal
