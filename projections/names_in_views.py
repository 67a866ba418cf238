"""Public names in the views and lists that Redis holds: rewritten where they are, without a fold and without a lock.

A view is rewritten by compare-and-set, and names are read after the view that they go into. So of two who rewrite a
view at the same time, the one with older names gives way.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Raw, Struct

from projections.generations import Generations
from projections.redis_connection import RedisConnection, decoding, script
from projections.table_view import names_tag

_TOGETHER: Final = 100
"""Views read in one round trip."""
_TRIES_MAX: Final = 10
"""How often a view is rewritten that changes meanwhile."""
_FIELDS: Final = ("version", "names", "public", "summary")
_RENAME: Final = script("""
-- KEYS: the table's hash. ARGV: version and names as they were read, then the new names, public part and summary.
local known = redis.call('HMGET', KEYS[1], 'version', 'names')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] then return 'changed' end
redis.call('HSET', KEYS[1], 'names', ARGV[3], 'public', ARGV[4], 'summary', ARGV[5])
return 'ok'
""")
_encode: Final = msgspec.json.Encoder().encode
_object: Final = msgspec.json.Decoder(dict[str, Raw]).decode
_seats: Final = msgspec.json.Decoder(list[dict[str, Raw]]).decode
_text: Final = msgspec.json.Decoder(str | None).decode

NamesOf: TypeAlias = Callable[[Iterable[str]], Awaitable[Mapping[str, str]]]
"""Reads public names by account; erased accounts are missing."""


class _Stored(Struct, frozen=True):
    """What Redis holds of a table's names."""

    key: str
    version: bytes
    names: bytes
    public: bytes
    summary: bytes


class NamesInViews:
    """Rewrites names. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def rewrite(self, players: Sequence[str], names_of: NamesOf) -> bool:
        """Put today's names into all views and lists in which these players are; False if some changed all the time."""
        whole = True
        for generation in (self._generations.current, self._generations.next):
            if generation is not None:
                keys = await self._tables_of(players, generation)
                for first in range(0, len(keys), _TOGETHER):
                    whole &= await self._rewrite(keys[first : first + _TOGETHER], names_of)
        return whole

    @decoding
    async def _tables_of(self, players: Sequence[str], generation: int) -> list[str]:
        """Return the keys of the tables at which one of these players sits."""
        members = [("SMEMBERS", self._generations.key(f"player:{player}", generation)) for player in players]
        found = await self._connection.round_trip(*members)
        tables = sorted({table.decode() for each in found for table in each})
        return [self._generations.key(f"{{{table}}}", generation) for table in tables]

    @decoding
    async def _rewrite(self, keys: list[str], names_of: NamesOf) -> bool:
        for _ in range(_TRIES_MAX):
            read = await self._connection.round_trip(*[("HMGET", key, *_FIELDS) for key in keys])
            stored = [_Stored(key, *fields) for key, fields in zip(keys, read, strict=True) if None not in fields]
            names = await names_of({player for one in stored for player in _people(one.public)})
            writes = [write for one in stored if (write := _renamed(one, names)) is not None]
            if not writes:
                return True
            answers = await self._connection.round_trip(*writes)
            keys = [write[2] for write, answer in zip(writes, answers, strict=True) if answer != b"ok"]
            if not keys:
                return True
        return False


def _renamed(stored: _Stored, names: Mapping[str, str]) -> tuple[Any, ...] | None:
    """Return the command that gives a table these names, None if it has them."""
    people = _people(stored.public)
    tag = names_tag({player: names[player] for player in people if player in names}).encode()
    public, summary = _with_names(stored.public, names), _with_names(stored.summary, names)
    if (tag, public, summary) == (stored.names, stored.public, stored.summary):
        return None
    return (_RENAME, 1, stored.key, stored.version, stored.names, tag, public, summary)


def _people(public: bytes) -> list[str]:
    """The accounts at a table, from the public part of its view."""
    return [player for seat in _seats(_object(public)["seats"]) if (player := _text(seat["player"])) is not None]


def _with_names(content: bytes, names: Mapping[str, str]) -> bytes:
    """Return a JSON object with these names in its `seats`, and everything else as it is to the byte."""
    fields = _object(content)
    seats = _seats(fields["seats"])
    named = [seat | {"name": Raw(_encode(names.get(_text(seat["player"]) or "")))} for seat in seats]
    return _encode(fields | {"seats": Raw(_encode(named))})
