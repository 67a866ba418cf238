-- Matches that are over, by player, in the order of the transparency log.

-- name: reached
select coalesce(max(position) + 1, 0) from ended_matches;

-- name: unread
select position from ended_matches where entry is null and position > %s order by position limit %s;

-- name: write
with written as (
  insert into ended_matches (position, bucket, stream, created, entry)
  values (%(position)s, %(bucket)s, %(stream)s, %(created)s, %(entry)s)
  on conflict (position) do update set created = excluded.created, entry = excluded.entry
  returning position, stream, created
), gone as (
  delete from ended_seats s using written w
  where s.position = w.position and s.seat <> all (%(seats)s::smallint[])
)
insert into ended_seats (player, created, stream, position, seat)
select sitting.player, w.created, w.stream, w.position, sitting.seat
from written w, unnest(%(players)s::uuid[], %(seats)s::smallint[]) as sitting (player, seat)
on conflict (position, seat) do update set player = excluded.player, created = excluded.created;

-- name: of_player
select s.seat, m.entry, coalesce(
  (select e.version from events e where e.bucket = m.bucket and e.stream = m.stream order by e.version desc limit 1), 0)
from ended_seats s
join ended_matches m on m.position = s.position
where s.player = %(player)s and (-s.created, s.stream) > (-%(created)s::bigint, %(stream)s::uuid)
order by -s.created, s.stream
limit %(limit)s;
