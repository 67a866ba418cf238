"""Views of tables in Redis: compare-and-set of a projection by version, and its read for one account.

    bw:<g>:{<table>}    hash of one table, with these fields:
        version, visibility, public, summary    see `table_view`
        names                                   changes with the public names in the view
        lists, listed                           what the lists say of the table: written with the view, and once the
                                                lists are acknowledged; they differ where something was lost between
        seat:<n>                                the part of each seat
        private:<n>                             version of the seat's private stream, where the game has such
        player:<account>                        the seat of an account

A view expires a week after it was last written.
"""

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from projections.generations import Generations
from projections.redis_connection import RedisConnection, script
from projections.table_lists import list_commands
from projections.table_view import Projection, TableHeader

VIEW_TTL_SECONDS: Final = 7 * 24 * 3600

_APPLY: Final = script("""
-- KEYS: the table's hash. ARGV: from, to, ttl in seconds, number of seats with private streams (0 or all), for each
-- its private version, and the one that it had at `from`, then field, value, ... ; an empty value deletes the field.
-- `from` = 0: all fields are given; `from` = `to`: rewrite of the same version (names, private streams), all too.
-- Answers `old` and `private` if something newer is here, `gap` if this is not what the fields are changes of.
local key, from, to = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local current = tonumber(redis.call('HGET', key, 'version') or '0')
if current > to then return 'old' end
if current == to and from ~= to and from ~= 0 then return 'old' end
if from ~= 0 and current ~= from then return 'gap' end
local seats = tonumber(ARGV[4])
local first = 5 + 2 * seats
for seat = 0, seats - 1 do
  local stored = tonumber(redis.call('HGET', key, 'private:' .. seat) or '0')
  if stored > tonumber(ARGV[5 + seat]) then return 'private' end
  if from ~= 0 and from ~= to and stored ~= tonumber(ARGV[5 + seats + seat]) then return 'gap' end
end
local changed = {'version', to}
for i = first, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', key, ARGV[i])
  else changed[#changed + 1] = ARGV[i]; changed[#changed + 1] = ARGV[i + 1] end
end
for seat = 0, seats - 1 do
  if ARGV[5 + seat] ~= '0' then
    changed[#changed + 1] = 'private:' .. seat; changed[#changed + 1] = ARGV[5 + seat]
  end
end
redis.call('HSET', key, unpack(changed))
redis.call('EXPIRE', key, ARGV[3])
return 'ok'
""")
_READ: Final = script("""
-- KEYS: the table's hash. ARGV: account or '', then version, private version and names the caller already has.
-- Returns version, visibility, seat or -1, private version, names, and unless the caller has them: public, part.
local key = KEYS[1]
local head = redis.call('HMGET', key, 'version', 'visibility', 'names', 'player:' .. ARGV[1])
if not head[1] then return false end
local seat, private, names = -1, '0', head[3] or ''
if head[4] then
  seat = tonumber(head[4])
  private = redis.call('HGET', key, 'private:' .. seat) or '0'
end
local known = head[1] == ARGV[2] and private == ARGV[3] and names == ARGV[4]
if known then return {head[1], head[2], seat, private, names} end
local public = redis.call('HGET', key, 'public')
if seat < 0 then return {head[1], head[2], seat, private, names, public} end
return {head[1], head[2], seat, private, names, public, redis.call('HGET', key, 'seat:' .. seat)}
""")

Written: TypeAlias = Literal["ok", "old", "private", "gap"]
"""What became of a write; see `ViewStore.write`."""


class TableSeen(Struct, frozen=True):
    """A table's view as Redis holds it for one account."""

    version: int
    visibility: str
    seat: int | None
    private_version: int
    """Version of the seat's private stream that its part was made from; 0 without seat or stream."""
    names: str
    """Changes with the public names in the view."""
    public: bytes | None
    """None if the caller already has this version."""
    part: bytes | None


class WriteRequest(Struct, frozen=True):
    """A projection to write; `before` is the one this process wrote last, None if unknown."""

    projection: Projection
    before: Projection | None
    rewrite: bool = False
    """Same version again with new names or private versions."""


class ViewStore:
    """Writes and reads views. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def write(self, request: WriteRequest) -> Written:
        """Write a table's projection and what follows in the lists; an older one never overwrites a newer one (`old`).

        `private`: Redis has a seat's part made from a newer private version; load the private streams and write again.
        `gap`: Redis has lost what the projection is a change of; load all private streams, of which it may have had
        newer versions, and write the whole. While a rebuild runs the projection is written to its generation too.
        """
        written = await self._write_to(self._generations.current, request)
        if self._generations.next is not None and await self._write_to(self._generations.next, request) == "gap":
            return "gap"
        return written

    async def read(self, table: str, account: str, version: int, private_version: int, names: str) -> TableSeen | None:
        """Return the view of a table for an account (`''` for none), None if Redis does not have it.

        With the versions and `names` the caller has (-1 and '' for none) its bytes are left out.
        """
        key = self._generations.key(f"{{{table}}}")
        (found,) = await self._connection.round_trip((_READ, 1, key, account, version, private_version, names))
        return None if found is None else _seen(*found)

    async def versions(self, tables: Sequence[str]) -> list[int]:
        """Return the version that is shown of each table, in view and lists; 0 where there is none."""
        keys = [self._generations.key(f"{{{table}}}") for table in tables]
        shown = await self._connection.round_trip(*[("HMGET", key, "version", "lists", "listed") for key in keys])
        return [int(version or 0) if lists == listed else 0 for version, lists, listed in shown]

    async def _write_to(self, generation: int, request: WriteRequest) -> Written:
        key = self._generations.key(f"{{{request.projection.header.table}}}", generation)
        (answer,) = await self._connection.round_trip((_APPLY, 1, key, *_arguments(request)))
        written: Written = answer.decode()
        # Lists follow only where the view was really taken: a late, older view must not undo them.
        if written == "ok":
            new, old = request.projection, request.before
            commands = list_commands(self._generations.key("", generation), new, old)
            if commands:
                await self._connection.round_trip(*commands)
            if old is None or old.lists != new.lists:
                await self._connection.round_trip(("HSET", key, "listed", new.lists))
        return written


def _arguments(request: WriteRequest) -> list[Any]:
    """Return the arguments of the compare-and-set of a projection: the fields that changed, or all."""
    new = request.projection
    # A rewrite may follow one that another process made of the same version: nothing is taken as known.
    old = None if request.rewrite else request.before
    fields: list[Any] = []
    if old is None or old.public != new.public:
        fields += ("public", new.public)
    for seat, part in enumerate(new.seats):
        if old is None or (old.seats[seat] is not part and old.seats[seat] != part):
            fields += (f"seat:{seat}", part)
    if old is None or old.header is not new.header:
        fields += _header_fields(new.header, () if old is None else old.header.players)
    if old is None or old.lists != new.lists:
        fields += ("lists", new.lists)
    since = new.version if request.rewrite else 0 if old is None else old.version
    before = new.private_versions if old is None else old.private_versions
    versions = new.private_versions
    return [since, new.version, VIEW_TTL_SECONDS, len(versions), *versions, *before, *fields]


def _header_fields(header: TableHeader, before: Sequence[str | None]) -> list[Any]:
    """The fields of a header; `before` are the players whom Redis may know."""
    fields: list[Any] = ["summary", header.summary, "visibility", header.visibility, "names", header.names_tag]
    for player in before:
        if player is not None and player not in header.players:
            fields += (f"player:{player}", "")
    for seat, player in enumerate(header.players):
        if player is not None:
            fields += (f"player:{player}", seat)
    return fields


def _seen(
    version: bytes,
    visibility: bytes,
    seat: int,
    private_version: bytes,
    names: bytes,
    public: bytes | None = None,
    part: bytes | None = None,
) -> TableSeen:
    holder = None if seat < 0 else seat
    return TableSeen(int(version), visibility.decode(), holder, int(private_version), names.decode(), public, part)
