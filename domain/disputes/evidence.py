"""The evidence of a dispute, frozen when it is opened: what everybody saw and was allowed around one version.

Hashes stand for contents that follow from the log at any later time. Names, drafts, orders of hands and
join codes are left out of views: names can be erased, the rest is nobody else's.
"""

import hashlib
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct, field, structs

from domain.codec import Event
from domain.decider import Seat
from domain.disputes.model import PublicEvidence, ReceivedCommand
from domain.explain import explain, moves_to_explain
from domain.form import form_digest
from domain.registry import GAMES
from domain.structs import Value
from domain.table.model import Occupant, Status, TableState
from domain.table.views import NOBODY, TablePublic, You, public_view, seat_part, splice
from domain.verify.report import Check

PUBLIC_CHECKS: Final = ("chain", "clock")
"""Checks whose outcome follows from what everybody may see."""
_encode: Final = msgspec.json.Encoder().encode
_NOTHING: Final = Raw(b"[]")


class SeatEvidence(Value, frozen=True):
    """What one seat knew and was allowed; for the seat that acted also its command and how the rules judge it."""

    before: str | None
    """SHA-256 of the seat's view before the disputed version, in hex; None for the first version."""
    after: str
    legal: Raw
    """What the seat might do before it, as in its view."""
    move: Raw
    """The move of this seat in full; null if another one acted, or a command of the table is disputed."""
    judged: Raw
    """The judgement of that move, of every card that the seat held and of moves that it might have made, with rule
    numbers."""
    digest: str | None
    """SHA-256 of the move as it was asked for, by which a retry is known, in hex."""


class ServerEvidence(Value, frozen=True):
    """What only the server knows until the match is over."""

    state_before: str | None
    """SHA-256 of the whole state before the disputed version, in hex; None for the first version."""
    state_after: str
    digest: str | None
    checks: tuple[Check, ...]
    """Every check up to the disputed version."""


class Evidence(Value, frozen=True):
    """All that is frozen."""

    public: PublicEvidence
    parts: tuple[bytes, ...]
    """Exact bytes of what is sealed: one part for each seat, the server's last."""


_FORM: Final = 3
"""To be raised when evidence is put together in another way: other moves judged beside the one that was made."""


class _Digested(Value, frozen=True):
    """A table's state in a form that can be hashed: canonical JSON of these fields in this order."""

    rules: str
    version: int
    status: Status
    seats: tuple[Occupant, ...]
    host: Seat | None
    ready: tuple[bool, ...]
    decisions: tuple[int | None, ...]
    game_state: Struct = field(name="play")
    """Hashed under the name that it had first."""


def freeze(
    before: TableState | None,
    event: Event,
    after: TableState,
    *,
    chain: tuple[bytes, bytes],
    digest: bytes,
    checks: tuple[Check, ...],
) -> Evidence:
    """Return the evidence about `event`, which led from one state to the next.

    `chain` has the table's chain hashes before and after it, `digest` is that of the command as it was asked
    for (empty if it has none), `checks` are all of the match up to it. The same arguments give the same bytes.
    """
    public = PublicEvidence(
        shape=shape_of(after.setup.game.rules_id),
        command=ReceivedCommand(event.type, event.actor, event.decision, event.time),
        chain_before=chain[0].hex(),
        chain_after=chain[1].hex(),
        spectator_before=_hash_of_view(before, None),
        spectator_after=_hash_of_view(after, None) or "",
        checks=tuple(check for check in checks if check.name in PUBLIC_CHECKS),
    )
    asked = digest.hex() or None
    seats = [_encode(_of_seat(before, event, after, seat, asked)) for seat in range(after.setup.seats)]
    server = ServerEvidence(_digest_of(before), _digest_of(after) or "", asked, checks)
    return Evidence(public, (*seats, _encode(server)))


@lru_cache(maxsize=64)
def shape_of(rules_id: str) -> str:
    """Return the digest of the form that views and states of these rules have in this program, in hex.

    Later programs may show more; their hashes are no longer those that were frozen, and this tells why.
    """
    game = GAMES[rules_id]
    parts: tuple[Any, ...] = (
        TablePublic,
        You,
        game.options.type,
        game.types.board,
        game.types.private_part,
        game.types.legal,
    )
    return form_digest(*parts, game.types.state, Occupant, evidence=_FORM)


def view_bytes(state: TableState, seat: Seat | None) -> bytes:
    """Return a view as it is hashed: as served to the seat (None: a spectator), without what is left out."""
    part = None if seat is None else _encode(seat_part(state, seat))
    return splice(_encode(public_view(state, NOBODY)), part)


def _of_seat(
    before: TableState | None, event: Event, after: TableState, seat: Seat, digest: str | None
) -> SeatEvidence:
    legal, move, judged = _NOTHING, Raw(b"null"), _NOTHING
    acted = event.actor == seat and event.move is not None
    if before is not None:
        part = seat_part(before, seat)
        legal = Raw(_encode(part.legal))
        if acted:
            moves = (event.move, *(one for one in moves_to_explain(before, seat, part.hand) if one != event.move))
            judgements = [structs.replace(one, text=None, detail=None) for one in explain(before, seat, moves)]
            move, judged = Raw(_encode(event.move)), Raw(_encode(judgements))  # sentences may be worded anew
    return SeatEvidence(
        before=_hash_of_view(before, seat),
        after=_hash_of_view(after, seat) or "",
        legal=legal,
        move=move,
        judged=judged,
        digest=digest if acted else None,
    )


def _hash_of_view(state: TableState | None, seat: Seat | None) -> str | None:
    return None if state is None else hashlib.sha256(view_bytes(state, seat)).hexdigest()


def _digest_of(state: TableState | None) -> str | None:
    if state is None:
        return None
    return hashlib.sha256(
        _encode(
            _Digested(
                state.setup.game.rules_id,
                state.version,
                state.status,
                state.seats,
                state.host,
                state.ready,
                state.decisions,
                state.game_state,
            )
        )
    ).hexdigest()
