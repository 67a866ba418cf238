-- Of each new connection.

-- name: act_as_the_service
-- For `synchronous_commit`, `on` is the least that an acknowledged move needs; a stronger setting of the operator stays.
select
  set_config('role', 'blattwerk_service', false),
  set_config('search_path', 'public', false),
  set_config('timezone', 'UTC', false),
  set_config('jit', 'off', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('statement_timeout', '30s', false),
  set_config('lock_timeout', '2s', false),
  set_config('idle_in_transaction_session_timeout', '10s', false),
  set_config(
    'synchronous_commit',
    case when current_setting('synchronous_commit') in ('off', 'local', 'remote_write') then 'on'
      else current_setting('synchronous_commit') end,
    false);

-- name: server
-- The timeline of a server in recovery is not known yet: 0.
select system_identifier::text, current_database()::text,
  case when pg_is_in_recovery() then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end
from pg_control_system();
