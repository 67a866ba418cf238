"""Snapshots of a table at some version as bytes: a shortcut for replays, never truth.

A snapshot carries everything the fold needs to go on, the chain hash of its version, and a digest under
the service's key. Bytes that were not made by this service for this table, or by code whose states had
another shape, are not opened.
"""

import hashlib
import hmac
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from domain.decider import AnyGame, Seat
from domain.form import form_digest
from domain.registry import GAMES
from domain.table.model import Adjudicated, BotPace, Occupant, Setup, Status, TableState, Visibility

EVERY: Final = 100
"""Versions between two snapshots of a table."""
_DIGEST_BYTES: Final = 32
_encode: Final = msgspec.json.Encoder().encode


class Fold(Struct, frozen=True, gc=False):
    """A table's state and the chain hash of the version it is at."""

    state: TableState
    hash: bytes


class _Snapshot(Struct, frozen=True, gc=False):
    rules: str
    shape: str
    """Digest of the form of the game's state, so that other code does not read it as its own."""
    table: str
    version: int
    hash: str
    options: Raw
    count: int
    visibility: Visibility
    bot_pace: BotPace
    commitment: str
    created: int
    status: Status
    seats: tuple[Occupant, ...]
    host: Seat | None
    ready: tuple[bool, ...]
    decisions: tuple[int | None, ...]
    game_state: Raw
    adjudications: tuple[Adjudicated, ...]


_decode: Final = msgspec.json.Decoder(_Snapshot).decode


def snapshot(fold: Fold, key: bytes) -> bytes:
    """Return a fold as bytes that `opened` accepts under the same key."""
    state = fold.state
    setup = state.setup
    content = _encode(
        _Snapshot(
            rules=setup.game.rules_id,
            shape=_shape(setup.game.rules_id),
            table=setup.table,
            version=state.version,
            hash=fold.hash.hex(),
            options=Raw(_encode(setup.options)),
            count=setup.seats,
            visibility=setup.visibility,
            bot_pace=setup.bot_pace,
            commitment=setup.commitment,
            created=setup.created,
            status=state.status,
            seats=state.seats,
            host=state.host,
            ready=state.ready,
            decisions=state.decisions,
            game_state=Raw(_encode(state.game_state)),
            adjudications=state.adjudications,
        )
    )
    return _digest(content, key) + content


def opened(stored: bytes, table: str, version: int, key: bytes) -> Fold | None:
    """Return the fold of stored bytes, None if they are not what `snapshot` made of this table and version."""
    digest, content = stored[:_DIGEST_BYTES], stored[_DIGEST_BYTES:]
    if not hmac.compare_digest(digest, _digest(content, key)):
        return None
    try:
        found = _decode(content)
    except msgspec.ValidationError:  # made by a version of this service that kept other fields
        return None
    if (found.table, found.version) != (table, version):
        return None
    if found.rules not in GAMES or found.shape != _shape(found.rules):
        return None
    return Fold(_state(found, GAMES[found.rules]), bytes.fromhex(found.hash))


def _state(found: _Snapshot, game: AnyGame) -> TableState:
    options = msgspec.json.decode(found.options, type=game.options.type)
    game_state: Any = msgspec.json.decode(found.game_state, type=game.types.state)
    setup = Setup(
        table=found.table,
        game=game,
        options=options,
        seats=found.count,
        visibility=found.visibility,
        commitment=found.commitment,
        created=found.created,
        bot_pace=found.bot_pace,
    )
    return TableState(
        setup,
        found.version,
        found.status,
        found.seats,
        found.host,
        found.ready,
        found.decisions,
        game_state,
        found.adjudications,
    )


def _digest(content: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(content, key=key, digest_size=_DIGEST_BYTES, person=b"snapshot").digest()


@lru_cache(maxsize=64)
def _shape(rules_id: str) -> str:
    return form_digest(GAMES[rules_id].types.state)[:32]
