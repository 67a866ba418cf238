-- Codes of accounts. Times are in milliseconds since 1970 UTC. A code is valid while it is the newest of its account and
-- kind, unused and not expired.

-- name: make
with outdated as (
  delete from account_codes c
  where c.player = %(player)s and c.kind = %(kind)s and c.created_at < now() - interval '1 day'
    and c.number < (select max(number) from account_codes n where n.player = c.player and n.kind = c.kind)
)
insert into account_codes (id, player, kind, role, sha256, expires_at)
select %(id)s, id, %(kind)s, %(role)s, %(digest)s, now() + make_interval(secs => %(seconds)s::integer)
from players where id = %(player)s and erased_at is null
for share
on conflict do nothing
returning (extract(epoch from created_at) * 1000)::bigint, (extract(epoch from expires_at) * 1000)::bigint, true;

-- name: made
select (extract(epoch from created_at) * 1000)::bigint, (extract(epoch from expires_at) * 1000)::bigint,
  used_at is null and (expires_at is null or expires_at > now()) and not exists (
    select from account_codes n where n.player = c.player and n.kind = c.kind and n.number > c.number
  )
from account_codes c where id = %(id)s and player = %(player)s;

-- name: recovery_code_since
select (extract(epoch from created_at) * 1000)::bigint from account_codes
where player = %s and kind = 'recovery' order by number desc limit 1;

-- name: redeem
-- Locks account and code: of two who redeem a transfer code one gets a token, and an erased account gets none.
with code as materialized (
  select c.number, c.player, c.kind, c.role
  from account_codes c join players p on p.id = c.player
  where c.sha256 = %(code)s and c.used_at is null and (c.expires_at is null or c.expires_at > now())
    and p.erased_at is null and not exists (
      select from account_codes n where n.player = c.player and n.kind = c.kind and n.number > c.number
    )
  for update of c for share of p
), token as (
  insert into tokens (id, player, role, sha256, label, expires_at)
  select %(id)s, code.player, code.role, %(digest)s, %(label)s, now() + make_interval(days => %(days)s)
  from code where %(revoke_others)s or (
    select count(*) from tokens t
    where t.player = code.player and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
  ) < %(most)s
  on conflict do nothing
  returning id, player, role, label, created_at, expires_at
), used as (
  update account_codes c set used_at = now() from code, token where c.number = code.number and code.kind = 'transfer'
), revoked as (
  update tokens t set revoked_at = now() from token
  where %(revoke_others)s and t.player = token.player and t.id <> token.id and t.revoked_at is null
)
select code.player, token.id, token.player, token.role, token.label,
  (extract(epoch from token.created_at) * 1000)::bigint, null::bigint,
  (extract(epoch from token.expires_at) * 1000)::bigint
from code left join token on true;

-- name: redeemed
select id, player, role, label,
  (extract(epoch from created_at) * 1000)::bigint,
  (extract(epoch from last_used_at) * 1000)::bigint,
  (extract(epoch from expires_at) * 1000)::bigint,
  sha256 = %(digest)s and revoked_at is null and created_at > now() - make_interval(secs => %(seconds)s)
from tokens where id = %(id)s;
