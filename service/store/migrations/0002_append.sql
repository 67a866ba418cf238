-- The only way into the log. The service may execute these functions and has no right to insert itself.

create type new_event as (
  bucket        smallint,
  stream        uuid,
  version       integer,
  received_at   timestamptz,
  command       uuid,
  previous_hash bytea,
  hash          bytea,
  actor         smallint,
  decision      integer,
  type          text,
  rules         text,
  digest        bytea,
  envelope      text,
  sealed        text
);

-- Appends one event to each of many streams and says in the same order what became of each:
--   1  appended
--   2  this very event is already there
--   0  another event has the version
--   3  its predecessor is not there, or has another hash
-- A stream may occur once in a batch. Reads of events are written as ranges in the order of the index they
-- have to use: with statistics of an empty table all indexes cost the same, and the plan is kept.
create function append_batch(p_events new_event[])
returns table (status smallint, "position" bigint)
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  -- one order for everybody, so nobody waits in a circle
  perform from buckets b
  where b.bucket = any (array(select e.bucket from unnest(p_events) e))
  order by b.bucket
  for no key update;

  -- a statement of its own: it has to see what was committed while the locks were waited for
  return query
  with judged as materialized (
    select e.*, e.ordinality as place, present.position as present_position,
      case
        when head.version >= e.version then
          case when present.command = e.command and present.hash = e.hash then 2 else 0 end
        when coalesce(head.version, 0) = e.version - 1 and coalesce(head.hash, e.previous_hash) = e.previous_hash then 1
        else 3
      end as verdict
    from unnest(p_events) with ordinality e
    left join lateral (
      select x.version, x.hash from events x
      where x.bucket = e.bucket and x.stream = e.stream
      order by x.version desc limit 1
    ) head on true
    left join lateral (
      select x.command, x.hash, x.position from events x
      where head.version >= e.version and x.bucket = e.bucket and x.stream = e.stream and x.version >= e.version
      order by x.version limit 1
    ) present on true
  ),
  appended as (
    insert into events (
      bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
      previous_hash, hash, envelope, sealed)
    select
      j.bucket, j.stream, j.version,
      coalesce((select x.position from events x where x.bucket = j.bucket order by x.position desc limit 1), 0)
        + row_number() over (partition by j.bucket order by j.place),
      j.received_at, j.command, j.actor, j.decision, j.type, j.rules, j.digest,
      j.previous_hash, j.hash, j.envelope, j.sealed
    from judged j
    where j.verdict = 1
    returning stream, position
  )
  select j.verdict::smallint, coalesce(a.position, j.present_position)
  from judged j
  left join appended a on a.stream = j.stream
  order by j.place;
end $$;

-- Appends the first event of a table's stream together with the table's secret.
create function create_stream(p_event new_event, p_secret bytea)
returns table (status smallint, "position" bigint)
language plpgsql security definer
set search_path = public, pg_temp
as $$
begin
  select a.status, a.position into strict status, "position" from append_batch(array[p_event]) a;
  if status = 1 then
    insert into table_secret values (p_event.bucket, p_event.stream, p_secret);
  end if;
  return next;
end $$;

revoke execute on function append_batch, create_stream from public;
grant execute on function append_batch, create_stream to blattwerk_service;
