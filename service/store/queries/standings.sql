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
select count_standings(%s, %s::smallint[], %s::bigint[], %s::bigint[], %s::jsonb);

-- name: begin
insert into standings_generations (generation) select max(generation) + 1 from standings_generations
returning generation;

-- name: switch
update standings_generations set ready = true where generation = %s;

-- name: drop_before
with gone as (delete from standings_generations where generation < %(kept)s returning generation),
     places as (delete from checkpoints where projection = 'standings' and generation < %(kept)s)
delete from standings where generation < %(kept)s;
