-- The transparency log: leaves in their order, and hashes of complete subtrees.

-- name: append
select append_leaves(%s::smallint[], %s::uuid[], %s::integer[]);

-- name: size
select coalesce(max(position) + 1, 0) from transparency_leaves;

-- name: leaf_of
select position, stream, version, leaf from transparency_leaves where stream = %s;

-- name: leaves
select position, stream, version, leaf from transparency_leaves where position >= %s order by position limit %s;

-- name: nodes
select n.level, n.number, n.hash
from unnest(%s::smallint[], %s::bigint[]) as asked (level, number)
join transparency_nodes n on n.level = asked.level and n.number = asked.number;

-- name: hashes
select e.stream, e.version, e.hash
from unnest(%s::smallint[], %s::uuid[], %s::integer[]) as asked (bucket, stream, version)
join events e on e.bucket = asked.bucket and e.stream = asked.stream and e.version = asked.version;

-- name: with_leaf
select stream from transparency_leaves where stream = any (%s::uuid[]);
