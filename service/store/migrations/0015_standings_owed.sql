-- Matches that a worker could not count, because it does not know their rules: they are left to a newer program, and
-- nothing waits for them. A row is written with the checkpoint that passes its event, and deleted with its counting.
create table standings_owed (
  generation integer  not null,
  bucket     smallint not null,
  stream     uuid     not null,
  version    integer  not null,
  rules      text     not null,
  primary key (generation, bucket, stream, version)
);

comment on table standings_owed is 'Events that standings do not count yet, because no worker knew their rules';

create function pay_standings(
  p_generation integer, p_bucket smallint, p_stream uuid, p_version integer, p_changes jsonb
)
returns boolean
language plpgsql
set search_path = public, pg_temp
as $$
begin
  delete from standings_owed o
  where o.generation = p_generation and o.bucket = p_bucket and o.stream = p_stream and o.version = p_version;
  if not found then
    return false;
  end if;
  return count_standings(p_generation, '{}', '{}', '{}', p_changes);
end $$;

revoke execute on function pay_standings from public;
grant execute on function pay_standings to blattwerk_service;
grant select, insert, delete on standings_owed to blattwerk_service;
