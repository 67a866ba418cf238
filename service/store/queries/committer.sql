-- Appending to the log, for all callers of one process at a time.

-- name: types
-- The numbers that the types of the parameters of `append` have in this database.
select 'new_event'::regtype::oid, 'stream_guard'::regtype::oid;

-- name: append
select status, position from append_events(%b, %b);
