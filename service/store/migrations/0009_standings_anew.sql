-- Standings are counted anew: a move of Von Herzen called `leave` was taken for leaving the table. They go into a
-- generation of their own, from the start of the feed; a copy in Redis follows the generation.

insert into standings_generations (generation, ready)
select max(generation) + 1, true from standings_generations having exists (select from standings);

delete from standings where generation < (select max(generation) from standings_generations);
delete from checkpoints
where projection = 'standings' and generation < (select max(generation) from standings_generations);
delete from standings_generations where generation < (select max(generation) from standings_generations);

-- Workers of an older program may still run beside this schema: what they count is left out.
alter function apply_standings(integer, smallint[], bigint[], bigint[], jsonb) rename to count_standings;

create function apply_standings(
  p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb
)
returns boolean
language sql
set search_path = public, pg_temp
as $$ select false $$;

revoke execute on function apply_standings from public;
grant execute on function apply_standings to blattwerk_service;
