-- Appending to the log, for all callers of one process at a time.

-- name: types
-- The numbers that the types of the parameters of `append` have in this database.
select 'new_event'::regtype::oid, 'stream_guard'::regtype::oid;

-- name: limit_locks
-- Longer than another process holds a bucket to commit; a batch waits so long for a bucket that somebody has forgotten.
select set_config('lock_timeout', '500ms', false);

-- name: unlocked
-- Those of these buckets that nobody holds; they are free again with the end of this statement.
select bucket from unlocked_buckets(%s::smallint[]) as bucket;

-- name: append
select status, position from append_events(%b, %b);
