"""The scripts that run inside Redis: compare-and-set of a table's view by version, and its read.

A table is one hash (one hash tag, so one slot of a cluster): `version`, `visibility`, `public`,
`summary`, `lists` and `listed` (what the lists say of it: written with the view, and after the lists; they
differ where the connection was lost in between); for each seat `seat:<n>` and, where the game keeps notes,
`notes:<n>`; `player:<id>` gives the seat of an account.
"""

from typing import Final

APPLY: Final = """
-- KEYS: the table's hash. ARGV: from, to, ttl in seconds, number of seats with notes (0 or all), for each the version
-- of its notes, and the one that it had at `from`, then field, value, ... ; an empty value deletes the field.
-- `from` = 0: all fields are given; `from` = `to`: rewrite of the same version (new names, new notes), all too.
-- Answers `old` and `notes` if something newer is here, `gap` if this is not what the fields are changes of.
local key, from, to = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local current = tonumber(redis.call('HGET', key, 'version') or '0')
if current > to then return 'old' end
if current == to and from ~= to and from ~= 0 then return 'old' end
if from ~= 0 and current ~= from then return 'gap' end
local seats = tonumber(ARGV[4])
local first = 5 + 2 * seats
for seat = 0, seats - 1 do
  local stored = tonumber(redis.call('HGET', key, 'notes:' .. seat) or '0')
  if stored > tonumber(ARGV[5 + seat]) then return 'notes' end
  if from ~= 0 and from ~= to and stored ~= tonumber(ARGV[5 + seats + seat]) then return 'gap' end
end
local changed = {'version', to}
for i = first, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', key, ARGV[i])
  else changed[#changed + 1] = ARGV[i]; changed[#changed + 1] = ARGV[i + 1] end
end
for seat = 0, seats - 1 do
  if ARGV[5 + seat] ~= '0' then
    changed[#changed + 1] = 'notes:' .. seat; changed[#changed + 1] = ARGV[5 + seat]
  end
end
redis.call('HSET', key, unpack(changed))
redis.call('EXPIRE', key, ARGV[3])
return 'ok'
"""

READ: Final = """
-- KEYS: the table's hash. ARGV: account or '', then version, notes version and names the caller already has.
-- Returns version, visibility, seat or -1, notes version, names, and unless the caller has them: public, part.
local key = KEYS[1]
local head = redis.call('HMGET', key, 'version', 'visibility', 'names', 'player:' .. ARGV[1])
if not head[1] then return false end
local seat, notes, names = -1, '0', head[3] or ''
if head[4] then
  seat = tonumber(head[4])
  notes = redis.call('HGET', key, 'notes:' .. seat) or '0'
end
if head[1] == ARGV[2] and notes == ARGV[3] and names == ARGV[4] then return {head[1], head[2], seat, notes, names} end
local public = redis.call('HGET', key, 'public')
if seat < 0 then return {head[1], head[2], seat, notes, names, public} end
return {head[1], head[2], seat, notes, names, public, redis.call('HGET', key, 'seat:' .. seat)}
"""
