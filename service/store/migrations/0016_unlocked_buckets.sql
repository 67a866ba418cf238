-- Which buckets nobody holds, so that one forgotten transaction does not stop the appends to all others.
create function unlocked_buckets(p_buckets smallint[]) returns setof smallint
language sql security definer set search_path = public, pg_temp as $$
  select b.bucket from buckets b where b.bucket = any (p_buckets) for no key update skip locked
$$;

revoke all on function unlocked_buckets from public;
grant execute on function unlocked_buckets to blattwerk_service;
