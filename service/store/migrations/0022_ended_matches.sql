-- Matches that are over, by player: what `GET /v1/me/tables` lists last, however long ago they were. A projection of the
-- log in the order of the transparency log, which has a leaf for each of them; `blattwerk projections rebuild` makes it
-- again.
create table ended_matches (
  position bigint   primary key,
  bucket   smallint not null,
  stream   uuid     not null,
  created  bigint   not null,
  entry    text
);

comment on column ended_matches.position is 'That of its leaf';
comment on column ended_matches.created is 'When the table was created, in milliseconds since 1970 UTC';
comment on column ended_matches.entry is 'What a list says of it, as JSON, without names of people; null: no program could read it yet';

create table ended_seats (
  player   uuid     not null,
  created  bigint   not null,
  stream   uuid     not null,
  position bigint   not null references ended_matches (position),
  seat     smallint not null,
  primary key (position, seat)
);

create index ended_seats_newest on ended_seats (player, (-created), stream);

grant select, insert, update, delete on ended_matches, ended_seats to blattwerk_service;
