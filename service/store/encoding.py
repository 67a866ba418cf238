"""New events in PostgreSQL's binary form.

A row is encoded when its caller hands it over, while the previous commit is under way; what is left to
do between two commits is to join the rows of a batch into an array of the type `new_event`.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from struct import Struct, error
from typing import Final

from psycopg.adapt import Dumper
from psycopg.pq import Format

from service.store.events import Guard, NewEvent, bucket_for

_INT2, _INT4, _TEXT, _BYTEA, _TIMESTAMPTZ, _UUID = 21, 23, 25, 17, 1184, 2950
_FIELDS: Final = 14
_HASH_BYTES: Final = 32
_LENGTH: Final = Struct(">i")
_EPOCH_MILLISECONDS: Final = 946_684_800_000
"""2000-01-01 UTC, where PostgreSQL's time begins, in milliseconds since 1970."""

_FIELD: Final = Struct(">Ii")
"""Before each field of a row: its type and its length, -1 for null."""
_SMALL: Final = Struct(">Iih")
_INTEGER: Final = Struct(">Iii")
_NO_SMALL: Final = _FIELD.pack(_INT2, -1)
_NO_INTEGER: Final = _FIELD.pack(_INT4, -1)
_UUID_FIELD: Final = _FIELD.pack(_UUID, 16)
_INTEGER_FIELD: Final = _FIELD.pack(_INT4, 4)
_TIME_FIELD: Final = _FIELD.pack(_TIMESTAMPTZ, 8)
_HASH_FIELD: Final = _FIELD.pack(_BYTEA, _HASH_BYTES)
_ROW_BEGIN: Final = _LENGTH.pack(_FIELDS) + _FIELD.pack(_INT2, 2)
_FIXED: Final = Struct(">12sh 8s16s 8si 8sq 8s16s 8s32s 8s32s".replace(" ", ""))
"""The fields that are always there: bucket, stream, version, time, command, previous hash, hash."""
_ARRAY: Final = Struct(">iiIii")
"""Before the rows of an array: dimensions, whether there are nulls, type, number, first index."""
_NO_ROWS: Final = Struct(">iiI")
"""An array without rows: no dimensions, no nulls, type."""
_GUARD_BEGIN: Final = _LENGTH.pack(3) + _INTEGER_FIELD
_GUARD: Final = Struct(">12si 8s16s 8si".replace(" ", ""))
"""Place, stream and version of a guard."""


class Encoded(bytes):
    """A parameter in binary form, whose type the server knows from the function that takes it."""

    __slots__ = ()


class EncodedDumper(Dumper):
    """Hands such a parameter to psycopg as it is."""

    format = Format.BINARY

    def dump(self, obj: Encoded) -> bytes:
        """Return the parameter."""
        return obj


def encode_row(event: NewEvent) -> Encoded:
    """Return one event as a value of the type `new_event`. ValueError if a field is out of range."""
    digest, envelope, sealed = event.digest, event.envelope, event.sealed
    if len(event.hash) != _HASH_BYTES or len(event.previous_hash) != _HASH_BYTES:
        raise ValueError("a hash has 32 bytes")
    try:
        fixed = _FIXED.pack(
            *(_ROW_BEGIN, bucket_for(event)),
            *(_UUID_FIELD, event.stream.bytes),
            *(_INTEGER_FIELD, event.expected + 1),
            *(_TIME_FIELD, (event.time - _EPOCH_MILLISECONDS) * 1000),
            *(_UUID_FIELD, event.command.bytes),
            *(_HASH_FIELD, event.previous_hash),
            *(_HASH_FIELD, event.hash),
        )
        actor = _NO_SMALL if event.actor is None else _SMALL.pack(_INT2, 2, event.actor)
        decision = _NO_INTEGER if event.decision is None else _INTEGER.pack(_INT4, 4, event.decision)
    except error as fault:
        raise ValueError(f"a number of the event is out of range: {fault}") from fault
    return Encoded(
        b"".join(
            (
                *(fixed, actor, decision, _label(event.type), _label(event.rules)),
                *(_FIELD.pack(_BYTEA, len(digest)), digest),
                *(_FIELD.pack(_TEXT, len(envelope)), envelope),
                *(_FIELD.pack(_TEXT, len(sealed)), sealed),
            )
        )
    )


def encode_rows(rows: Sequence[bytes], type_oid: int) -> Encoded:
    """Return rows as one array; `type_oid` is the number of `new_event` in this database."""
    parts = [_ARRAY.pack(1, 0, type_oid, len(rows), 1)]
    for row in rows:
        parts += (_LENGTH.pack(len(row)), row)
    return Encoded(b"".join(parts))


def encode_guards(guards: Iterable[tuple[int, Guard]], type_oid: int) -> Encoded:
    """Return guards, each with the place of its event among the rows (from 1), as one array.

    `type_oid` is the number of `stream_guard` in this database.
    """
    rows = [
        _GUARD.pack(*(_GUARD_BEGIN, place), *(_UUID_FIELD, guard.stream.bytes), *(_INTEGER_FIELD, guard.version))
        for place, guard in guards
    ]
    return encode_rows(rows, type_oid) if rows else Encoded(_NO_ROWS.pack(0, 0, type_oid))


@lru_cache(maxsize=1024)
def _label(text: str) -> bytes:
    """Return a field of one of the few names that occur again and again."""
    name = text.encode()
    return _FIELD.pack(_TEXT, len(name)) + name
