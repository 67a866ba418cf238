-- Players and their tokens. Times are in milliseconds since 1970 UTC. A token is valid until it is revoked or expires.

-- name: tokens_by_digest
select sha256, id, player, role, label,
  (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from last_used_at) * 1000)::bigint,
  (extract(epoch from expires_at) * 1000)::bigint
from tokens
where sha256 = any (%s::bytea[]) and revoked_at is null and (expires_at is null or expires_at > now());

-- name: touch
update tokens set last_used_at = now()
where id = any (%s::uuid[]) and (last_used_at is null or last_used_at < now() - interval '10 seconds');

-- name: create_token
insert into tokens (id, player, role, sha256, label, expires_at)
select %(id)s, id, %(role)s, %(digest)s, %(label)s, now() + make_interval(days => %(days)s)
from players where id = %(player)s and erased_at is null and (
  select count(*) from tokens
  where player = %(player)s and revoked_at is null and (expires_at is null or expires_at > now())
) < %(most)s
for share
on conflict (id) do nothing
returning id, player, role, label,
  (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from last_used_at) * 1000)::bigint,
  (extract(epoch from expires_at) * 1000)::bigint;

-- name: token_by_id
select id, player, role, label,
  (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from last_used_at) * 1000)::bigint,
  (extract(epoch from expires_at) * 1000)::bigint
from tokens where id = %s and player = %s;

-- name: tokens_of_player
select id, player, role, label,
  (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from last_used_at) * 1000)::bigint,
  (extract(epoch from expires_at) * 1000)::bigint
from tokens
where player = %(player)s and revoked_at is null and (expires_at is null or expires_at > now()) and (
  %(after)s::uuid is null
  or (created_at, id) < (select created_at, id from tokens where player = %(player)s and id = %(after)s)
)
order by created_at desc, id desc limit %(limit)s;

-- name: revoke
update tokens set revoked_at = coalesce(revoked_at, now()) where player = %s and id = %s returning sha256;

-- name: create_player
with player as (
  insert into players (id, name) values (%(id)s, %(name)s) on conflict do nothing returning id
), token as (
  insert into tokens (id, player, role, sha256, label)
  select %(token_id)s, id, %(role)s, %(digest)s, %(label)s from player
)
select 1 from player;

-- name: player
select id, name, (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from now() - created_at) * 1000)::bigint
from players where id = %s;

-- name: names
select id, name from players where id = any (%s::uuid[]) and name is not null;

-- name: rename
update players set name = %s where id = %s and erased_at is null;

-- name: erase
with erased as (
  update players set name = null, erased_at = coalesce(erased_at, now()) where id = %s returning id
), codes as (
  delete from account_codes using erased where account_codes.player = erased.id
), watching as (
  delete from spectators using erased where spectators.player = erased.id
)
delete from tokens using erased where tokens.player = erased.id returning tokens.sha256;

-- name: name_changes
select position, player, erased from name_changes where position > %s order by position limit %s;

-- name: name_changed_at
select (extract(epoch from changed_at) * 1000)::bigint from name_changes
where position > %s order by position limit 1;

-- name: last_name_change
select position from name_changes_head;
