-- Standings: how often a player took which place in matches that count. A projection of the log, made again
-- from it by `blattwerk projections rebuild`; never truth.

-- A rebuild fills a generation of its own. The newest one that is ready is read and kept up to date.
create table standings_generations (
  generation integer primary key,
  ready      boolean not null default false,
  changes    bigint  not null default 0
);

comment on column standings_generations.changes is 'How many changes of standings there were; numbers them';

insert into standings_generations (generation, ready) values (1, true);

create table standings (
  generation integer not null,
  game       text    not null,
  player     uuid    not null,
  place_1    integer not null,
  place_2    integer not null,
  place_3    integer not null,
  place_4    integer not null,
  place_5    integer not null,
  place_6    integer not null,
  left_early integer not null,
  change     bigint  not null,
  matches    integer not null generated always as (place_1 + place_2 + place_3 + place_4 + place_5 + place_6) stored,
  average    integer not null generated always as (
    1000 * (place_1 + 2::bigint * place_2 + 3 * place_3 + 4 * place_4 + 5 * place_5 + 6 * place_6)
      / greatest(place_1 + place_2 + place_3 + place_4 + place_5 + place_6, 1)
  ) stored,
  primary key (generation, game, player)
);

comment on column standings.left_early is 'Matches of these that the player left to a bot';
comment on column standings.change is 'Number of the last change, for copies that follow';
comment on column standings.average is 'Average place in thousandths';

create index standings_order on standings (generation, game, (-place_1), average, player) where matches > 0;
create index standings_player on standings (generation, player);
create index standings_change on standings (generation, change);

-- Applies what a part of the feed changes, and moves the checkpoint over it, both or neither: so every event
-- counts once, however often and by however many workers it is read. Returns false, and does nothing, if
-- another worker was faster or the generation is gone.
create function apply_standings(
  p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb
)
returns boolean
language plpgsql
set search_path = public, pg_temp
as $$
declare
  v_changes bigint;
begin
  select g.changes into v_changes from standings_generations g where g.generation = p_generation for update;
  if not found then
    return false;
  end if;
  -- a statement of its own: it has to see what was committed while the lock was waited for
  if exists (
    select from unnest(p_buckets, p_before) as asked (bucket, position)
    left join checkpoints c on c.projection = 'standings' and c.generation = p_generation and c.bucket = asked.bucket
    where coalesce(c.position, 0) <> asked.position
  ) then
    return false;
  end if;
  insert into checkpoints (projection, generation, bucket, position)
  select 'standings', p_generation, reached.bucket, reached.position
  from unnest(p_buckets, p_after) as reached (bucket, position)
  on conflict (projection, generation, bucket) do update set position = excluded.position;
  insert into standings as s (
    generation, game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early, change)
  select p_generation, c.game, c.player,
         c.place_1, c.place_2, c.place_3, c.place_4, c.place_5, c.place_6, c.left_early, v_changes + c.number
  from rows from (
    jsonb_to_recordset(p_changes) as (
      game text, player uuid, place_1 integer, place_2 integer, place_3 integer, place_4 integer, place_5 integer,
      place_6 integer, left_early integer)
  ) with ordinality as c (game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early, number)
  on conflict (generation, game, player) do update set
    place_1 = s.place_1 + excluded.place_1,
    place_2 = s.place_2 + excluded.place_2,
    place_3 = s.place_3 + excluded.place_3,
    place_4 = s.place_4 + excluded.place_4,
    place_5 = s.place_5 + excluded.place_5,
    place_6 = s.place_6 + excluded.place_6,
    left_early = s.left_early + excluded.left_early,
    change = excluded.change;
  update standings_generations set changes = changes + jsonb_array_length(p_changes) where generation = p_generation;
  return true;
end $$;

revoke execute on function apply_standings from public;
grant execute on function apply_standings to blattwerk_service;
grant select, insert, update, delete on standings, standings_generations to blattwerk_service;
