-- The feed of names: which player's name changed or was erased, for whoever keeps a copy of names. Append-only, and
-- in the order of its positions, which have no gaps: a reader that knows a position has seen everything before it.

create table name_changes (
  position bigint  primary key,
  player   uuid    not null references players (id),
  erased   boolean not null
);

create table name_changes_head (
  one      boolean primary key default true check (one),
  position bigint  not null
);

insert into name_changes_head (position) values (0);

-- A trigger, so that no way of changing a name goes past the feed.
create function record_name_change()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  with next as (update name_changes_head set position = position + 1 returning position)
  insert into name_changes (position, player, erased)
  select next.position, new.id, new.erased_at is not null from next;
  return null;
end $$;

create trigger name_changed after update on players
for each row when (old.name is distinct from new.name) execute function record_name_change();

create trigger never_changed before update or delete or truncate on name_changes
for each statement execute function refuse_change();
alter table name_changes enable always trigger never_changed;

revoke execute on function record_name_change from public;
grant select on name_changes, name_changes_head to blattwerk_service;
