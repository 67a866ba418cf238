-- Codes of tables: by one of them a player sits down, by another one an account may read a private table.
-- Of each table and kind the newest row holds. A row without a code withdraws: the codes before it are dead, and who
-- came by them may not read the table any more. Rows are never changed, so that what was given out stays known.
create table table_codes (
  number     bigint      primary key generated always as identity,
  id         uuid        not null unique,
  bucket     smallint    not null check (bucket between 0 and 255),
  stream     uuid        not null,
  kind       text        not null check (kind in ('join', 'watch')),
  code       text        unique,
  created_at timestamptz not null default now()
);

create index table_codes_newest on table_codes (stream, kind, number);

create table spectators (
  stream      uuid        not null,
  player      uuid        not null references players (id),
  code        bigint      not null references table_codes (number),
  admitted_at timestamptz not null default now(),
  primary key (stream, player)
);

create index spectators_player on spectators (player);

comment on table spectators is 'Accounts that may read a private table without a seat, each with the code it came by';

grant select, insert on table_codes to blattwerk_service;
grant select, insert, update, delete on spectators to blattwerk_service;
