-- Whether the database takes writes.

-- name: probe
with gone as (delete from probes where probed_at < now() - interval '1 day' and process <> %(process)s)
insert into probes (process, probed_at) values (%(process)s, now())
on conflict (process) do update set probed_at = excluded.probed_at;
