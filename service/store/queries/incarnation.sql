-- Which log this is, how far it goes, and which losses of it were accepted.

-- name: identity
-- The timeline of a server in recovery is not known yet: 0.
select system_identifier::text,
  case when pg_is_in_recovery() then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end
from pg_control_system();

-- name: heads
select b.bucket, head.position, left(encode(head.hash, 'hex'), 16)
from unnest(%s::smallint[]) as b (bucket)
cross join lateral (
  select position, hash from events e where e.bucket = b.bucket order by e.position desc limit 1
) head
order by b.bucket;

-- name: lost
select asked.bucket
from unnest(%s::smallint[], %s::bigint[], %s::text[]) as asked (bucket, position, hash)
where not exists (
  select from events e
  where e.bucket = asked.bucket and e.position = asked.position and left(encode(e.hash, 'hex'), 16) = asked.hash
);

-- name: accept_loss
insert into log_losses (size, root, remaining) values (%s, %s, %s) on conflict do nothing;

-- name: accepted
select exists (select from log_losses where size = %s and root = %s);
