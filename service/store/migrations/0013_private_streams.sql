-- Whose private streams are: the id of such a stream is a digest, which does not tell its table. For readers of the
-- feed, who find events of private streams there. A row is there before the first event of its stream.
create table private_streams (
  bucket       smallint not null,
  stream       uuid     not null,
  table_stream uuid     not null,
  seat         smallint not null check (seat >= 0),
  primary key (bucket, stream)
);

comment on table private_streams is 'Table and seat of each private stream, never changed';

create trigger never_changed before update or delete or truncate on private_streams
  for each statement execute function refuse_change();
alter table private_streams enable always trigger never_changed;

grant select, insert on private_streams to blattwerk_service;
