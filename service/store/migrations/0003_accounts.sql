-- People and their tokens: all that is known of them, apart from the log, which has random ids alone.

create table players (
  id         uuid primary key,
  name       text,
  created_at timestamptz not null default now(),
  erased_at  timestamptz,
  check (erased_at is null or name is null)
);

create table tokens (
  id           uuid primary key,
  player       uuid not null references players (id),
  role         text not null check (role in ('player', 'arbiter', 'operator')),
  sha256       bytea not null unique check (octet_length(sha256) = 32),
  label        text not null,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz
);

create index tokens_player on tokens (player);

grant select, insert, update on players to blattwerk_service;
grant select, insert, update, delete on tokens to blattwerk_service;
