-- Standings: read from the newest generation that is ready.

-- name: generation
select max(generation) from standings_generations where ready;

-- name: page
select game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early
from standings
where generation = (select max(generation) from standings_generations where ready) and game = %s and matches > 0
  and (-place_1, average, player) > (%s::integer, %s::integer, %s::uuid)
order by -place_1, average, player limit %s;

-- name: of_player
select game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early
from standings
where generation = (select max(generation) from standings_generations where ready) and player = %s and matches > 0
order by game;

-- name: changed
select change, game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early
from standings where generation = %s and change > %s order by change limit %s;

-- name: apply
with counted as materialized (
  select count_standings(%(generation)s, %(buckets)s::smallint[], %(before)s::bigint[], %(after)s::bigint[],
    %(changes)s::jsonb) as done
),
owed as (
  insert into standings_owed (generation, bucket, stream, version, rules)
  select %(generation)s, o.bucket, o.stream, o.version, o.rules
  from counted,
    unnest(%(owed_buckets)s::smallint[], %(owed_streams)s::uuid[], %(owed_versions)s::integer[],
      %(owed_rules)s::text[]) as o (bucket, stream, version, rules)
  where counted.done
  on conflict do nothing
)
select done from counted;

-- name: owed
select bucket, stream, version, rules from standings_owed where generation = %s and rules = any (%s::text[]) limit %s;

-- name: pay
select pay_standings(%s, %s::smallint, %s, %s, %s::jsonb);

-- name: begin
insert into standings_generations (generation) select max(generation) + 1 from standings_generations
returning generation;

-- name: switch
update standings_generations set ready = true where generation = %s;

-- name: drop_before
with gone as (delete from standings_generations where generation < %(kept)s returning generation),
     owed as (delete from standings_owed where generation < %(kept)s),
     places as (delete from checkpoints where projection = 'standings' and generation < %(kept)s)
delete from standings where generation < %(kept)s;
