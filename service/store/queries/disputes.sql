-- Disputes: the list of them and their texts; their events are in the log.

-- name: record
select record_dispute(
  %(event)b, %(also)b::new_event, %(status)s, %(author)s, %(salt)s, %(text)s,
  %(stream)s, %(version)s, %(claim)s, %(people)s::uuid[], %(opened_max)s);

-- name: row
select dispute, bucket, stream, version, player, (extract(epoch from opened_at) * 1000)::bigint, claim, status, people
from disputes where dispute = %s;

-- name: row_for
select dispute, bucket, stream, version, player, (extract(epoch from opened_at) * 1000)::bigint, claim, status, people
from disputes where dispute = %(dispute)s and (%(player)s::uuid is null or %(player)s::uuid = any (people));

-- name: page
select dispute, bucket, stream, version, player, (extract(epoch from opened_at) * 1000)::bigint, claim, status, people
from disputes
where (%(player)s::uuid is null or people @> array[%(player)s::uuid])
  and (%(status)s::text is null or status = %(status)s)
  and (opened_at, dispute) < (to_timestamp(%(time)s::bigint / 1000.0), %(dispute)s)
order by opened_at desc, dispute desc limit %(limit)s;

-- name: others
select count(*) filter (where stream = %(stream)s and version = %(version)s and status <> 'withdrawn'),
  count(*) filter (where opened_at > now() - interval '24 hours')
from disputes where player = %(player)s and dispute <> %(dispute)s;

-- name: texts
select version, salt, text from dispute_texts where dispute = %s and text is not null;

-- name: erase_texts
select erase_dispute_texts(%s);

-- name: relist
select relist_disputes();
