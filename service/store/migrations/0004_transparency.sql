-- The transparency log: a Merkle tree (RFC 6962) whose leaves are the heads of matches that are over.

-- The order of the leaves is the order in which they came, without gaps.
create table transparency_leaves (
  position bigint  primary key check (position >= 0),
  stream   uuid    not null unique,
  version  integer not null,
  leaf     bytea   not null check (octet_length(leaf) = 64)
);

comment on table transparency_leaves is 'Leaves of the transparency log, in their order, never changed';
comment on column transparency_leaves.leaf is 'What the tree is made of and everybody may read; stream and version stay here';

-- Hashes of complete subtrees: the 2^level leaves from number * 2^level on. They never change either.
create table transparency_nodes (
  level  smallint not null check (level between 0 and 62),
  number bigint   not null check (number >= 0),
  hash   bytea    not null check (octet_length(hash) = 32),
  primary key (level, number)
);

create trigger never_changed before update or delete or truncate on transparency_leaves
  for each statement execute function refuse_change();
alter table transparency_leaves enable always trigger never_changed;

create trigger never_changed before update or delete or truncate on transparency_nodes
  for each statement execute function refuse_change();
alter table transparency_nodes enable always trigger never_changed;

-- Appends the leaves of those events of the log that end a match (they reveal its secret), in the order
-- given; what has a leaf already is passed over. Returns how many leaves are new. The only way in: leaves
-- are made here, from the events, and callers come one after the other.
create function append_leaves(p_buckets smallint[], p_streams uuid[], p_versions integer[])
returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_end record;
  v_size bigint;
  v_hash bytea;
  v_sibling bytea;
  v_level smallint;
  v_number bigint;
  v_added integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('transparency_leaves', 0));
  -- a statement of its own: it has to see what was committed while the lock was waited for
  select coalesce(max(l.position) + 1, 0) into v_size from transparency_leaves l;
  for v_end in
    select e.stream, e.version,
           sha256('bw1/log-table\000'::bytea || uuid_send(e.stream))
             || sha256('bw1/log-head\000'::bytea || uuid_send(e.stream) || int4send(e.version) || e.hash) as leaf
    from unnest(p_buckets, p_streams, p_versions) with ordinality as asked (bucket, stream, version, place)
    join events e on e.bucket = asked.bucket and e.stream = asked.stream and e.version = asked.version
    where strpos(e.envelope, '"type":"secret_revealed"') > 0
    order by asked.place
  loop
    insert into transparency_leaves (position, stream, version, leaf)
    values (v_size, v_end.stream, v_end.version, v_end.leaf)
    on conflict (stream) do nothing;
    continue when not found;
    v_level := 0;
    v_number := v_size;
    v_hash := sha256('\x00'::bytea || v_end.leaf);
    insert into transparency_nodes values (v_level, v_number, v_hash);
    while v_number % 2 = 1 loop
      select n.hash into strict v_sibling from transparency_nodes n where n.level = v_level and n.number = v_number - 1;
      v_hash := sha256('\x01'::bytea || v_sibling || v_hash);
      v_level := v_level + 1;
      v_number := v_number / 2;
      insert into transparency_nodes values (v_level, v_number, v_hash);
    end loop;
    v_size := v_size + 1;
    v_added := v_added + 1;
  end loop;
  return v_added;
end $$;

revoke execute on function append_leaves from public;
grant execute on function append_leaves to blattwerk_service;
grant select on transparency_leaves, transparency_nodes to blattwerk_service;
