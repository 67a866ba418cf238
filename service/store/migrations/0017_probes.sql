-- A row for each process, which writes it to find out by itself whether the database takes writes.
create table probes (
  process   uuid        primary key,
  probed_at timestamptz not null
);

comment on table probes is 'When each process last wrote; rows of processes that have ended go after a day';

grant select, insert, update, delete on probes to blattwerk_service;
