-- Reading the log. Conditions and order name the index that has to serve them, whatever the statistics say.
-- Events come with the columns of `StoredEvent`, in its order.

-- name: ping
select 1;

-- name: identity
select system_identifier::text, current_database()::text from pg_control_system();

-- name: create_stream
select status from create_stream(%b, %s);

-- name: read
select bucket, position, stream, version, type, envelope, sealed, actor, decision, digest, command, rules, received_at,
  previous_hash, hash
from events
where bucket = %s and stream = %s and version > %s order by version limit %s;

-- name: read_ends
select asked.ordinality, end_.*
from unnest(%s::smallint[], %s::uuid[], %s::integer[]) with ordinality as asked (bucket, stream, after)
cross join lateral (
  select bucket, position, stream, version, type, envelope, sealed, actor, decision, digest, command, rules,
    received_at, previous_hash, hash
  from events e
  where e.bucket = asked.bucket and e.stream = asked.stream and e.version > asked.after order by e.version
) end_;

-- name: find_last
select bucket, position, stream, version, type, envelope, sealed, actor, decision, digest, command, rules, received_at,
  previous_hash, hash
from events
where bucket = %s and stream = %s order by version desc limit 1;

-- name: last_version
select version from events where bucket = %s and stream = %s order by version desc limit 1;

-- name: last_versions
select asked.stream, last_.version
from unnest(%s::smallint[], %s::uuid[]) as asked (bucket, stream)
cross join lateral (
  select version from events e where e.bucket = asked.bucket and e.stream = asked.stream order by e.version desc limit 1
) last_;

-- name: closed
-- Inside JSON text a quotation mark is escaped, so this is found in the fact itself and nowhere else.
select asked.stream
from unnest(%s::smallint[], %s::uuid[]) as asked (bucket, stream)
cross join lateral (
  select envelope from events e where e.bucket = asked.bucket and e.stream = asked.stream order by e.version desc limit 1
) last_
where strpos(last_.envelope, '"type":"table_closed"') > 0;

-- name: find_answer
select bucket, position, stream, version, type, envelope, sealed, actor, decision, digest, command, rules, received_at,
  previous_hash, hash
from events
where bucket = %s and stream = %s and version > %s and actor = %s and decision is not null
order by version limit 1;

-- name: find_command
select bucket, position, stream, version, type, envelope, sealed, actor, decision, digest, command, rules, received_at,
  previous_hash, hash
from events
where bucket = %s and stream = %s and version > 0 and command = %s order by version limit 1;

-- name: keep_private_stream
insert into private_streams (bucket, stream, table_stream, seat) values (%s, %s, %s, %s) on conflict do nothing;

-- name: private_streams
select asked.stream, p.table_stream, p.seat
from unnest(%s::smallint[], %s::uuid[]) as asked (bucket, stream)
join private_streams p on p.bucket = asked.bucket and p.stream = asked.stream;

-- name: secret
select secret from table_secret where bucket = %s and stream = %s;

-- name: created
select (extract(epoch from received_at) * 1000)::bigint, stream
from events
where type = 'create' and (received_at, stream) < (to_timestamp(%s::bigint / 1000.0), %s)
order by received_at desc, stream desc limit %s;

-- name: is_public_and_over
-- Whatever stream is asked for, the same is done.
select exists (select from transparency_leaves where stream = %(stream)s) and exists (
  select from events where bucket = %(bucket)s and stream = %(stream)s and version = 1
    and strpos(envelope, '"visibility":"private"') = 0
);

-- name: tables
select stream from table_secret;

-- name: created_of
select (extract(epoch from e.received_at) * 1000)::bigint, e.stream
from unnest(%s::smallint[], %s::uuid[]) as asked (bucket, stream)
join events e on e.bucket = asked.bucket and e.stream = asked.stream and e.version = 1;

-- name: disputed
select (extract(epoch from received_at) * 1000)::bigint, stream, bucket
from events
where type = 'dispute' and (received_at, stream) < (to_timestamp(%s::bigint / 1000.0), %s)
order by received_at desc, stream desc limit %s;

-- name: feed_heads
select e.bucket, e.position, e.stream, e.version, (extract(epoch from e.received_at) * 1000)::bigint
from unnest(%(buckets)s::smallint[], %(positions)s::bigint[]) as asked (part, after)
cross join lateral (
  select bucket, position, stream, version, received_at from events e
  where e.bucket = asked.part and e.position > asked.after order by e.position limit %(limit)s
) e
order by e.bucket, e.position limit %(limit)s;

-- name: feed_ends
-- Inside JSON text a quotation mark is escaped, so this is found in the fact itself and nowhere else.
select e.bucket, e.position, e.stream, e.version, e.type, strpos(e.envelope, '"type":"secret_revealed"') > 0, e.rules
from unnest(%(buckets)s::smallint[], %(positions)s::bigint[]) as asked (part, after)
cross join lateral (
  select bucket, position, stream, version, type, envelope, rules from events e
  where e.bucket = asked.part and e.position > asked.after order by e.position limit %(limit)s
) e
order by e.bucket, e.position limit %(limit)s;

-- name: bucket_heads
select bucket, position from bucket_head where bucket = any (%s::smallint[]);

-- name: checkpoint
select bucket, position from checkpoints where projection = %s and generation = %s;

-- name: save_checkpoint
insert into checkpoints (projection, generation, bucket, position)
select %s, %s, bucket, position from unnest(%s::smallint[], %s::bigint[]) as reached (bucket, position)
on conflict (projection, generation, bucket)
do update set position = greatest(checkpoints.position, excluded.position);
