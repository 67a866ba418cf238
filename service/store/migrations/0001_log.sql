-- The log: one row for each accepted command, inserted once and never changed.

-- The fixed parts of the log. An append locks the rows of its buckets, in ascending order, until it has
-- committed: so positions are visible in their order. The rows themselves never change; the last position
-- is read from the index of the events, because a counter that is updated with every append grows a
-- trail of dead versions for as long as anybody (a backup, say) keeps a snapshot open.
create table buckets (
  bucket smallint primary key check (bucket between 0 and 255)
);

insert into buckets select generate_series(0, 255);

create table events (
  bucket        smallint    not null check (bucket between 0 and 255),
  stream        uuid        not null,
  version       integer     not null check (version >= 1),
  position      bigint      not null check (position >= 1),
  received_at   timestamptz not null,
  command       uuid        not null,
  actor         smallint,
  decision      integer,
  type          text        not null,
  rules         text        not null,
  digest        bytea       not null,
  previous_hash bytea       not null check (octet_length(previous_hash) = 32),
  hash          bytea       not null check (octet_length(hash) = 32),
  envelope      text        not null,
  sealed        text        not null,
  constraint events_place unique (bucket, position),
  constraint events_version primary key (bucket, stream, version)
);

comment on table events is 'The log: one row for each accepted command, never changed';
comment on column events.position is 'Place in the bucket, without gaps, in the order of commits';
comment on column events.received_at is 'Wall clock of the service when the command arrived';
comment on column events.command is 'Id of the command, the same for every try to record it';
comment on column events.digest is 'Hash of what was asked, tells a retry from another command; empty if that is never asked';
comment on column events.envelope is 'Exact canonical bytes of the public part, chained by hash';
comment on column events.sealed is 'JSON array of the sealed parts in viewer order, the server''s last';

create index events_created on events (received_at desc, stream desc) where type = 'create';

-- What may not leave the server before a match has ended; kept apart from the events.
create table table_secret (
  bucket smallint not null,
  stream uuid     not null,
  secret bytea    not null check (octet_length(secret) = 32),
  primary key (bucket, stream)
);

create function refuse_change() returns trigger
language plpgsql as $$
begin
  raise insufficient_privilege using message = format('%s of %s is refused: the log is never changed', lower(tg_op), tg_table_name);
end $$;

-- For everybody, the owner and superusers included, and in replication mode too.
create trigger never_changed before update or delete or truncate on events
  for each statement execute function refuse_change();
alter table events enable always trigger never_changed;

create trigger never_changed before update or delete or truncate on table_secret
  for each statement execute function refuse_change();
alter table table_secret enable always trigger never_changed;

-- How far projections have read. A rebuild reads under a new generation.
create table checkpoints (
  projection text     not null,
  generation integer  not null default 0,
  bucket     smallint not null,
  position   bigint   not null,
  primary key (projection, generation, bucket)
);

create view bucket_head as
select b.bucket,
       coalesce((select e.position from events e where e.bucket = b.bucket order by e.position desc limit 1), 0) as position
from buckets b;

-- For auditors: the envelope as a document, one row for each public fact, and breaks of the chain.

create view event_envelopes as
select bucket, stream, version, position, received_at, type, actor, decision, rules, envelope::jsonb as envelope
from events;

create view event_facts as
select e.bucket, e.stream, e.version, e.received_at, e.type, e.actor, e.decision, e.rules,
       part.name as part, fact.number, fact.value ->> 'type' as fact_type, fact.value as fact
from event_envelopes e
cross join (values ('table'), ('game')) as part (name)
cross join lateral jsonb_array_elements(coalesce(e.envelope -> 'public' -> part.name, '[]')) with ordinality as fact (value, number);

create view chain_breaks as
select bucket, stream, version, linked, hashed
from (
  select bucket, stream, version,
         version = 1 + coalesce(lag(version) over chain, 0)
           and previous_hash = coalesce(lag(hash) over chain, previous_hash) as linked,
         hash = sha256('bw1/event\000'::bytea || previous_hash || convert_to(envelope, 'UTF8')) as hashed
  from events
  window chain as (partition by bucket, stream order by version)
) checked
where not (linked and hashed);

comment on view chain_breaks is 'Events that do not follow their predecessor (linked) or do not have the hash of their bytes (hashed); empty if the log was not tampered with';

grant select on buckets, events, table_secret, bucket_head to blattwerk_service;
grant select, insert, update, delete on checkpoints to blattwerk_service;
