-- Codes by which an account gets a token on another device: one to recover it, one to bring a device in.
-- Of each account and kind the newest code holds, until it is used or expires; those before it tell a late retry from a
-- new request, for a day.
create table account_codes (
  number     bigint      primary key generated always as identity,
  id         uuid        not null unique,
  player     uuid        not null references players (id),
  kind       text        not null check (kind in ('recovery', 'transfer')),
  role       text        not null check (role in ('player', 'arbiter', 'operator')),
  sha256     bytea       not null unique check (octet_length(sha256) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  used_at    timestamptz
);

comment on column account_codes.role is 'Role of the token that made the code, and of those it is redeemed for';
comment on column account_codes.used_at is 'When a transfer code was redeemed; a recovery code holds until it is replaced';

create index account_codes_newest on account_codes (player, kind, number);

grant select, insert, update, delete on account_codes to blattwerk_service;
