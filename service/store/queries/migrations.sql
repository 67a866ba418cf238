-- Applying migrations. Run as the owner of the schema, not as the service's role.

-- name: search_path
set search_path = public;

-- name: server_encoding
show server_encoding;

-- name: lock
-- Any number, the same for everybody who migrates.
select pg_advisory_lock(422725121140);

-- name: create_table
create table if not exists schema_migrations (
  name       text primary key,
  checksum   text not null,
  applied_at timestamptz not null default now()
);

-- name: grant_table
grant select on schema_migrations to blattwerk_service;

-- name: table
select to_regclass('schema_migrations');

-- name: applied
select name, checksum from schema_migrations order by name;

-- name: record
insert into schema_migrations (name, checksum) values (%s, %s);

-- name: role
select from pg_roles where rolname = 'blattwerk_service';

-- name: create_role
create role blattwerk_service nologin;

-- name: become_role
set role blattwerk_service;

-- name: grant_role
grant blattwerk_service to current_user;

-- name: reset_role
reset role;
