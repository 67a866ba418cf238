"""Views of tables in Redis: compare-and-set of a projection by version, and its read for one account.

    bw:<identity>:<g>:{<table>}    hash of one table, with these fields:
        version, visibility, public, summary    see `table_view`
        names                                   changes with the public names in the view
        lists, listed                           what the lists say of the table: written with the view, and once the
                                                lists are acknowledged; they differ where something was lost between
        seat:<n>                                the part of each seat
        private:<n>                             version of the seat's private stream, where the game has such
        player:<account>                        the seat of an account
    bw:<identity>:<g>:{<table>}:listed    set of the accounts in whose lists the table may stand

The view of an open table expires a week after it was last written, and is made again when somebody asks for it or for
a list; the set stays, by which is known who has left meanwhile. What is kept of a table that has ended, a bounded
number, is forgotten with its place in the lists.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from domain.table.model import OPEN_STATUSES
from projections.generations import Generations
from projections.redis_connection import RedisConnection, decoding, reading_script, script
from projections.table_lists import list_commands, listing_key, owed_command, wake_commands
from projections.table_view import Projection

VIEW_TTL_SECONDS: Final = 7 * 24 * 3600

_APPLY: Final = script(f"""
-- KEYS: the table's hash, the accounts that list it. ARGV: what is changed (see `_Change`) as MessagePack.
-- Answers `old` and `private` if something newer is here, `gap` if this is not what the fields are changes of;
-- `ok` and the accounts that have left.
local key, change = KEYS[1], cmsgpack.unpack(ARGV[1])
local since, to, fields = change.since, change.version, change.fields
local current = tonumber(redis.call('HGET', key, 'version') or '0')
if current > to then return {{'old'}} end
if current == to and since ~= to and since ~= 0 then return {{'old'}} end
if since ~= 0 and current ~= since then return {{'gap'}} end
for place, version in ipairs(change.private_versions) do
  local stored = tonumber(redis.call('HGET', key, 'private:' .. place - 1) or '0')
  if stored > version then return {{'private'}} end
  if since ~= 0 and since ~= to and stored ~= change.private_versions_since[place] then return {{'gap'}} end
end
local answer, given, gone = {{'ok'}}, {{version = true, lists = true, listed = true}}, change.gone
for i = 1, #fields, 2 do
  given[fields[i]] = true
  if string.sub(fields[i], 1, 7) == 'player:' then redis.call('SADD', KEYS[2], string.sub(fields[i], 8)) end
end
if change.whole then
  gone = redis.call('HKEYS', key)
  for _, field in ipairs(gone) do
    if string.sub(field, 1, 7) == 'player:' then redis.call('SADD', KEYS[2], string.sub(field, 8)) end
  end
  for _, account in ipairs(redis.call('SMEMBERS', KEYS[2])) do
    if not given['player:' .. account] then answer[#answer + 1] = account end
  end
end
for _, field in ipairs(gone) do
  if not given[field] then redis.call('HDEL', key, field) end
  if not change.whole then answer[#answer + 1] = string.sub(field, 8) end
end
redis.call('HSET', key, 'version', to, unpack(fields))
if change.over then redis.call('PERSIST', key) else redis.call('EXPIRE', key, {VIEW_TTL_SECONDS}) end
return answer
""")
_LISTED: Final = script("""
-- KEYS: the table's hash, the accounts that list it. ARGV: version, what the lists say, accounts that have left.
-- 0 if the table was written again meanwhile: it is not known in which order its lists were.
local key = KEYS[1]
local now = redis.call('HMGET', key, 'version', 'lists')
if now[1] ~= ARGV[1] or now[2] ~= ARGV[2] then return 0 end
redis.call('HSET', key, 'listed', ARGV[2])
for i = 3, #ARGV do
  if redis.call('HEXISTS', key, 'player:' .. ARGV[i]) == 0 then redis.call('SREM', KEYS[2], ARGV[i]) end
end
return 1
""")
_READ: Final = reading_script("""
-- KEYS: the table's hash. ARGV: account or '', then version, private version and names that the caller has, by dots;
-- 1 if the account may read a private table without a seat: otherwise it is answered as if there were none.
-- Returns version, seat or -1, private version, names, and unless the caller has them: public, part.
local key = KEYS[1]
local version, visibility, names, holder =
  unpack(redis.call('HMGET', key, 'version', 'visibility', 'names', 'player:' .. ARGV[1]))
if not version or (visibility == 'private' and not holder and ARGV[3] ~= '1') then return false end
local seat, private = tonumber(holder or '-1'), '0'
if holder then private = redis.call('HGET', key, 'private:' .. holder) or '0' end
local found = {version, seat, private, names or ''}
if ARGV[2] == version .. '.' .. private .. '.' .. found[4] then return found end
found[5] = redis.call('HGET', key, 'public')
if holder then found[6] = redis.call('HGET', key, 'seat:' .. holder) end
return found
""")

Written: TypeAlias = Literal["ok", "old", "private", "gap"]
"""What became of a write; see `ViewStore.write`."""


class TableSeen(Struct, frozen=True):
    """A table's view as Redis holds it for one account."""

    version: int
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
        newer versions, and write everything. While a rebuild runs the projection is written to its generation too.
        """
        written = await self._write_to(self._generations.current, request)
        if self._generations.next is not None and await self._write_to(self._generations.next, request) == "gap":
            return "gap"
        return written

    @decoding
    async def read(
        self, table: str, account: str, version: int, private_version: int, names: str, *, invited: bool = False
    ) -> TableSeen | None:
        """Return the view of a table for an account (`''` for none), None if Redis does not have it.

        A private one is not there either for who has no seat, unless he is `invited`.
        With the versions and `names` the caller has (-1 and '' for none) its bytes are left out.
        """
        key = self._generations.key(f"{{{table}}}").encode()  # of text the library thinks longer than of bytes
        known = f"{version}.{private_version}.{names}".encode()
        (found,) = await self._connection.round_trip((_READ, b"1", key, account.encode(), known, b"%d" % invited))
        return None if found is None else _seen(*found)

    @decoding
    async def version(self, table: str) -> int:
        """Return the version of a table's view, whatever the lists say; 0 if there is none."""
        (version,) = await self._connection.round_trip(("HGET", self._generations.key(f"{{{table}}}"), "version"))
        return int(version or 0)

    @decoding
    async def versions(self, tables: Sequence[str]) -> list[int]:
        """Return the version that is shown of each table, in view and lists; 0 where there is none."""
        keys = [self._generations.key(f"{{{table}}}") for table in tables]
        shown = await self._connection.round_trip(*[("HMGET", key, "version", "lists", "listed") for key in keys])
        return [int(version or 0) if lists == listed else 0 for version, lists, listed in shown]

    @decoding
    async def private_versions(self, seats: Sequence[tuple[str, int]]) -> list[int]:
        """Return the version of the private stream in the part of each seat of a table; 0 where there is none."""
        commands = [("HGET", self._generations.key(f"{{{table}}}"), f"private:{seat}") for table, seat in seats]
        return [int(version or 0) for version in await self._connection.round_trip(*commands)] if commands else []

    async def _write_to(self, generation: int, request: WriteRequest) -> Written:
        new, old = request.projection, request.before
        table = new.header.table
        key = self._generations.key(f"{{{table}}}", generation)
        listing = listing_key(key)
        ((answer, *accounts),) = await self._connection.round_trip((_APPLY, 2, key, listing, _change(request)))
        written: Written = answer.decode()
        if written != "ok":  # lists follow only where the view was really taken: a late, older view must not undo them
            return written
        left = [account.decode() for account in accounts]
        if old is not None and old.header is new.header and not (left or old.bots_to_act or new.bots_to_act):
            return written  # nothing changes in the lists
        prefix = self._generations.key("", generation)
        commands = list_commands(prefix, new, old, left)
        if commands:
            await self._connection.round_trip(*commands)
        if old is None or left or old.lists != new.lists:
            listed = (_LISTED, 2, key, listing, new.version, new.lists, *left)
            done, *_ = await self._connection.round_trip(listed, *wake_commands(prefix, new, old))
            if not done:
                await self._connection.round_trip(owed_command(prefix, table))
        return written


class _Change(Struct, frozen=True):
    """What a write changes in a table's hash."""

    whole: bool
    """Whether all fields are given; else those that changed since a version."""
    since: int
    """The version that the fields are changes of, 0 for any."""
    version: int
    private_versions: tuple[int, ...]
    private_versions_since: tuple[int, ...]
    """Those at `since`."""
    gone: list[str]
    """Names of the fields of players who have left; not where all fields are given."""
    over: bool
    """Whether the table has ended."""
    fields: list[str | int]
    """Name, value, ...; JSON as text, since Redis reads no MessagePack with bytes in it."""


_encode: Final = msgspec.msgpack.Encoder().encode


def _change(request: WriteRequest) -> bytes:
    """Return the argument of the compare-and-set. It is one: each costs the library more than its encoding costs us."""
    new = request.projection
    # A rewrite may follow one that another process made of the same version: nothing is taken as known.
    old = None if request.rewrite else request.before
    gone: list[str] = []
    fields: list[str | int] = []
    if old is None or old.public != new.public:
        fields += ("public", new.public.decode())
    for seat, part in enumerate(new.seats):
        if old is None or (old.seats[seat] is not part and old.seats[seat] != part):
            fields += (f"seat:{seat}", part.decode())
    for seat, version in enumerate(new.private_versions):
        if version:
            fields += (f"private:{seat}", version)
    header = new.header
    if old is None or old.header is not header:
        fields += ("summary", header.summary.decode(), "visibility", header.visibility, "names", header.names_tag)
        for seat, player in enumerate(header.players):
            if player is not None:
                fields += (f"player:{player}", seat)
    if old is not None and old.header is not header:
        gone += [f"player:{player}" for player in old.header.players if player not in (None, *header.players)]
    if old is None or old.lists != new.lists:
        fields += ("lists", new.lists)
    since = 0 if request.before is None else new.version if request.rewrite else request.before.version
    over = header.status not in OPEN_STATUSES
    before = new.private_versions if old is None else old.private_versions
    return _encode(_Change(old is None, since, new.version, new.private_versions, before, gone, over, fields))


def _seen(
    version: bytes,
    seat: int,
    private_version: bytes,
    names: bytes,
    public: bytes | None = None,
    part: bytes | None = None,
) -> TableSeen:
    holder = None if seat < 0 else seat
    return TableSeen(int(version), holder, int(private_version), names.decode(), public, part)
