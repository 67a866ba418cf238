-- An event may depend on another stream of its bucket without writing to it: a move at a table on what its seat has
-- noted. A guard names that stream and the version that was known when the move was judged. Looking at it inside
-- the append, under the lock of the bucket, saves reading it before each move.

create type stream_guard as (
  place   integer,
  stream  uuid,
  version integer
);

-- Appends one event to each of many streams and says in the same order what became of each:
--   1  appended
--   2  this very event is already there
--   0  another event has the version
--   3  its predecessor is not there, or has another hash
--   4  the stream that its guard names has gone on, in the log or before it in the batch
-- A stream may occur once in a batch. `place` of a guard is that of its event among `p_events`, from 1. Reads of
-- events are written as ranges in the order of the index they have to use: with statistics of an empty table
-- all indexes cost the same, and the plan is kept.
--
-- One event alone, which is the usual case where not many play at once, is judged and appended by two small
-- statements: the same checks with a third less processor time. What is not simply appended goes the way of
-- the batches, which says why.
create function append_events(p_events new_event[], p_guards stream_guard[])
returns table (status smallint, "position" bigint)
language plpgsql security definer
set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  single new_event;
  head_version integer;
  head_hash bytea;
  outdated integer[];
begin
  if cardinality(p_events) = 1 then
    single := p_events[1];
    perform from buckets b where b.bucket = single.bucket for no key update;
  else
    -- one order for everybody, so nobody waits in a circle
    perform from buckets b
    where b.bucket = any (array(select e.bucket from unnest(p_events) e))
    order by b.bucket
    for no key update;
  end if;

  -- from here on statements of their own: they have to see what was committed while the locks were waited for
  if cardinality(p_guards) > 0 then
    outdated := array(
      select g.place from unnest(p_guards) g
      where exists (
        select from events x
        where x.bucket = p_events[g.place].bucket and x.stream = g.stream and x.version > g.version)
      or exists (
        select from unnest(p_events) with ordinality e
        where e.stream = g.stream and e.version > g.version and e.ordinality < g.place));
  end if;

  if cardinality(p_events) = 1 and coalesce(cardinality(outdated), 0) = 0 then
    select x.version, x.hash into head_version, head_hash from events x
    where x.bucket = single.bucket and x.stream = single.stream order by x.version desc limit 1;
    if coalesce(head_version, 0) = single.version - 1 and coalesce(head_hash, single.previous_hash) = single.previous_hash then
      return query
      insert into events (
        bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
        previous_hash, hash, envelope, sealed)
      values (
        single.bucket, single.stream, single.version,
        coalesce((select x.position from events x where x.bucket = single.bucket order by x.position desc limit 1), 0) + 1,
        single.received_at, single.command, single.actor, single.decision, single.type, single.rules, single.digest,
        single.previous_hash, single.hash, single.envelope, single.sealed)
      returning 1::smallint, position;
      return;
    end if;
  end if;

  return query
  with judged as materialized (
    select e.*, e.ordinality as place, present.position as present_position,
      case
        when head.version >= e.version then
          case when present.command = e.command and present.hash = e.hash then 2 else 0 end
        when coalesce(head.version, 0) = e.version - 1 and coalesce(head.hash, e.previous_hash) = e.previous_hash then
          case when e.ordinality = any (outdated) then 4 else 1 end
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

-- Events without guards, from other functions of the schema.
create or replace function append_batch(p_events new_event[])
returns table (status smallint, "position" bigint)
language sql security definer
set search_path = public, pg_temp
as $$ select * from append_events(p_events, '{}') $$;

revoke execute on function append_events from public;
grant execute on function append_events to blattwerk_service;
