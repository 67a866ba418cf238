-- Codes of tables, and who may read a private table by one. Of each table and kind the newest row holds.

-- name: make
insert into table_codes (id, bucket, stream, kind, code) values (%(id)s, %(bucket)s, %(stream)s, %(kind)s, %(code)s)
on conflict do nothing
returning code, true;

-- name: made
select code, not exists (
  select from table_codes n where n.stream = c.stream and n.kind = c.kind and n.number > c.number
)
from table_codes c where id = %s;

-- name: current
select code from table_codes where stream = %s and kind = %s order by number desc limit 1;

-- name: withdraw
insert into table_codes (id, bucket, stream, kind)
select gen_random_uuid(), newest.bucket, newest.stream, newest.kind
from (select * from table_codes where stream = %s and kind = 'watch' order by number desc limit 1) newest
where newest.code is not null;

-- name: to_join
-- Dead with the start, or with the last person who left, by the log itself: on all processes at once. Who joined by this
-- very command may ask again. Inside JSON text a quotation mark is escaped. Older events call leaving `leave`.
select c.stream, joined.by_command
from table_codes c
cross join lateral (
  select exists (
    select from events e
    where e.bucket = c.bucket and e.stream = c.stream and e.version > 0 and e.command = %(command)s
  ) as by_command
) joined
where c.code = %(code)s and c.kind = 'join' and (joined.by_command or not (
  exists (select from table_codes n where n.stream = c.stream and n.kind = c.kind and n.number > c.number)
  or exists (
    select from events e
    where e.bucket = c.bucket and e.stream = c.stream and e.version > 0 and e.decision is null
      and (e.type = 'start' or (e.type in ('leave', 'leave_table') and strpos(e.envelope, '"type":"table_closed"') > 0))
  )
));

-- name: watch
with code as (
  select c.number, c.stream from table_codes c
  where c.code = %(code)s and c.kind = 'watch' and not exists (
    select from table_codes n where n.stream = c.stream and n.kind = c.kind and n.number > c.number
  )
), admitted as (
  insert into spectators (stream, player, code) select stream, %(player)s, number from code
  on conflict (stream, player) do update set code = excluded.code, admitted_at = now()
  where spectators.code < excluded.code
)
select stream from code;

-- name: relation
-- Whatever stream is asked for, the same is done: where there is none of this id, with the next one of its bucket, or
-- with the first one, and all of it is computed before the ids are compared. So neither the answer nor the time tells
-- whether there is a table. It works under whatever rules events were recorded: inside JSON text a quotation mark is
-- escaped.
with near as materialized (
  select stream from (
    (select stream from events where bucket = %(bucket)s and stream >= %(stream)s order by stream, version limit 1)
    union all
    (select stream from events where bucket = %(bucket)s order by stream, version limit 1)
  ) candidates limit 1
), found as materialized (
  select near.stream,
    (
      select e.type = 'create' and strpos(e.envelope, '"visibility":"private"') = 0 from events e
      where e.bucket = %(bucket)s and e.stream = near.stream and e.version > 0 order by version limit 1
    ) as public,
    exists (
      select from spectators s
      where s.stream = near.stream and s.player = %(player)s and not exists (
        select from table_codes w
        where w.stream = s.stream and w.kind = 'watch' and w.code is null and w.number > s.code
      )
    ) as invited,
    (
      select true from events e
      where e.bucket = %(bucket)s and e.stream = near.stream and e.version > 0 and e.decision is null
        and strpos(e.envelope, %(account)s) > 0
      order by version limit 1
    ) as named
  from near
)
select coalesce(
  (
    select case when public then 'public' when invited then 'invited' when named then 'named' end
    from found where stream = %(stream)s
  ),
  'stranger'
);
