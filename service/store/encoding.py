"""New events in PostgreSQL's binary form.

A row is encoded when its caller hands it over, while the previous commit is under way; what is left to
do between two commits is to join the rows of a batch into an array of the type `new_event`.
"""

from collections.abc import Sequence
from struct import Struct, error
from typing import Final

from psycopg.adapt import Dumper
from psycopg.pq import Format

from service.store.events import NewEvent, bucket_for

_INT2, _INT4, _TEXT, _BYTEA, _TIMESTAMPTZ, _UUID = 21, 23, 25, 17, 1184, 2950
_FIELDS: Final = 14
_HASH_BYTES: Final = 32
_EPOCH_MILLISECONDS: Final = 946_684_800_000
"""2000-01-01 UTC, where PostgreSQL's time begins, in milliseconds since 1970."""

# each field: type (u32), length (i32, -1 for null), value
_FIXED: Final = Struct(">i Iih Ii16s Iii Iiq Ii16s Ii32s Ii32s".replace(" ", ""))
_SMALL: Final = Struct(">Iih")
_INTEGER: Final = Struct(">Iii")
_FIELD: Final = Struct(">Ii")
_LENGTH: Final = Struct(">i")
_NO_SMALL: Final = _FIELD.pack(_INT2, -1)
_NO_INTEGER: Final = _FIELD.pack(_INT4, -1)
# dimensions, whether there are nulls, type of the elements, number of elements, first index
_ARRAY: Final = Struct(">iiIii")


class EncodedRow(bytes):
    """One value of the type `new_event`."""

    __slots__ = ()


class EncodedRows(bytes):
    """A value of the type `new_event[]`."""

    __slots__ = ()


class EncodedDumper(Dumper):
    """Hands encoded values through; the server knows the type from the function that takes them."""

    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        """Return the value as it is."""
        return obj


def encode_row(event: NewEvent) -> EncodedRow:
    """Return one event as a value of the type `new_event`. ValueError if a field is out of range."""
    if len(event.hash) != _HASH_BYTES or len(event.previous_hash) != _HASH_BYTES:
        raise ValueError("a hash has 32 bytes")
    type_, rules = event.type.encode(), event.rules.encode()
    try:
        return EncodedRow(
            b"".join(
                (
                    _FIXED.pack(
                        *(_FIELDS, _INT2, 2, bucket_for(event), _UUID, 16, event.stream.bytes),
                        *(_INT4, 4, event.expected + 1, _TIMESTAMPTZ, 8, (event.time - _EPOCH_MILLISECONDS) * 1000),
                        *(_UUID, 16, event.command.bytes),
                        *(_BYTEA, _HASH_BYTES, event.previous_hash, _BYTEA, _HASH_BYTES, event.hash),
                    ),
                    _NO_SMALL if event.actor is None else _SMALL.pack(_INT2, 2, event.actor),
                    _NO_INTEGER if event.decision is None else _INTEGER.pack(_INT4, 4, event.decision),
                    *(_FIELD.pack(_TEXT, len(type_)), type_, _FIELD.pack(_TEXT, len(rules)), rules),
                    *(_FIELD.pack(_BYTEA, len(event.digest)), event.digest),
                    *(_FIELD.pack(_TEXT, len(event.envelope)), event.envelope),
                    *(_FIELD.pack(_TEXT, len(event.sealed)), event.sealed),
                )
            )
        )
    except error as fault:
        raise ValueError(f"a number of the event is out of range: {fault}") from fault


def encode_rows(rows: Sequence[EncodedRow], type_oid: int) -> EncodedRows:
    """Return rows as one array; `type_oid` is the number of `new_event` in this database."""
    parts: list[bytes] = [_ARRAY.pack(1, 0, type_oid, len(rows), 1)]
    for row in rows:
        parts += (_LENGTH.pack(len(row)), row)
    return EncodedRows(b"".join(parts))
