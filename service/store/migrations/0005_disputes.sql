-- Disputes: what has to be known of them at once, and texts that can be erased. The log has the rest.

-- One row for each dispute, written in the transaction of its events; `blattwerk audit` holds it against the log.
create table disputes (
  dispute   uuid        primary key,
  bucket    smallint    not null,
  stream    uuid        not null,
  version   integer     not null,
  player    uuid        not null,
  opened_at timestamptz not null,
  claim     text        not null,
  status    text        not null check (status in ('open', 'under_review', 'resolved', 'appealed', 'withdrawn')),
  people    uuid[]      not null
);

comment on table disputes is 'What has to be known of disputes at once; follows from the log';
comment on column disputes.bucket is 'Where the events of the dispute are: the bucket of its table';
comment on column disputes.stream is 'The disputed table';
comment on column disputes.people is 'The players of the match, who may see the dispute';

create unique index disputes_once on disputes (stream, version, player) where status <> 'withdrawn';
create index disputes_of_player on disputes (player, opened_at);
create index disputes_newest on disputes (opened_at desc, dispute desc);
create index disputes_by_status on disputes (status, opened_at desc, dispute desc);
create index disputes_people on disputes using gin (people);

-- Texts of players and arbiters. Events have a hash of salt and text; without the salt it says nothing.
create table dispute_texts (
  dispute uuid    not null,
  version integer not null,
  author  uuid    not null,
  salt    bytea   check (octet_length(salt) = 32),
  text    text,
  primary key (dispute, version),
  check ((salt is null) = (text is null))
);

comment on table dispute_texts is 'Texts of disputes, by the event that has their hash; erased ones have neither text nor salt';

create index dispute_texts_author on dispute_texts (author) where text is not null;
create index events_disputes on events (received_at desc, stream desc) where type = 'dispute';

-- Appends an event to a dispute, and with it (p_also) the decision to its table: both or none.
--   1  appended
--   2  this very event is already there
--   0  another event has the version, in the dispute or at the table
--   3  its predecessor is not there, or has another hash
--   4  the player disputes this version already
--   5  the player has opened p_most disputes within a day
create function record_dispute(
  p_event new_event, p_also new_event, p_status text, p_author uuid, p_salt bytea, p_text text,
  p_stream uuid, p_version integer, p_claim text, p_people uuid[], p_most integer
) returns smallint
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_statuses smallint[];
begin
  if p_event.version = 1 then
    -- one after the other for each player, whatever process they come from
    perform pg_advisory_xact_lock(hashtextextended('blattwerk dispute ' || p_author, 0));
    if not exists (select from disputes d where d.dispute = p_event.stream) then
      if exists (
        select from disputes d
        where d.stream = p_stream and d.version = p_version and d.player = p_author and d.status <> 'withdrawn'
      ) then
        return 4;
      end if;
      if p_most <= (
        select count(*) from disputes d
        where d.player = p_author and d.opened_at > p_event.received_at - interval '24 hours'
      ) then
        return 5;
      end if;
    end if;
  end if;

  begin
    select array_agg(a.status order by a.ordinality) into strict v_statuses
    from append_batch(case when p_also.stream is null then array[p_event] else array[p_event, p_also] end)
      with ordinality a;
    if not v_statuses <@ array[1, 2]::smallint[] then
      raise exception using errcode = 'BW001';
    end if;
  exception when sqlstate 'BW001' then
    return case when 3 = any (v_statuses) then 3 else 0 end;
  end;
  if v_statuses[1] = 2 then
    return 2;
  end if;

  if p_event.version = 1 then
    insert into disputes values (
      p_event.stream, p_event.bucket, p_stream, p_version, p_author, p_event.received_at, p_claim, p_status, p_people);
  else
    update disputes d set status = p_status where d.dispute = p_event.stream;
  end if;
  if p_text is not null then
    insert into dispute_texts values (p_event.stream, p_event.version, p_author, p_salt, p_text);
  end if;
  return 1;
end $$;

-- Erases every text that an account wrote in disputes, and says how many there were.
create function erase_dispute_texts(p_author uuid) returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_count integer;
begin
  update dispute_texts t set salt = null, text = null where t.author = p_author and t.text is not null;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- The list of disputes as it follows from the log.
create view dispute_list as
select e.stream as dispute, e.bucket, (fact ->> 'table')::uuid as stream, (fact ->> 'version')::integer as version,
       (fact ->> 'player')::uuid as player, e.received_at as opened_at, fact ->> 'claim' as claim,
       (
         select case x.type
           when 'dispute' then 'open'
           when 'review' then 'under_review'
           when 'resolve' then 'resolved'
           when 'appeal' then 'appealed'
           when 'withdraw' then 'withdrawn'
         end
         from events x
         where x.bucket = e.bucket and x.stream = e.stream and x.type <> 'look'
         order by x.version desc limit 1
       ) as status,
       array(select jsonb_array_elements_text(fact -> 'players')::uuid) as people
from events e
cross join lateral (select e.envelope::jsonb -> 'facts' -> 0) opened (fact)
where e.type = 'dispute';

-- Makes the list of disputes again from the log and says how many there are; nobody disputes meanwhile.
create function relist_disputes() returns integer
language plpgsql security definer
set search_path = public, pg_temp
as $$
declare
  v_count integer;
begin
  lock table disputes in share row exclusive mode;
  delete from disputes;
  insert into disputes
  select l.dispute, l.bucket, l.stream, l.version, l.player, l.opened_at, l.claim, l.status, l.people from dispute_list l;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

revoke execute on function record_dispute, erase_dispute_texts, relist_disputes from public;
grant execute on function record_dispute, erase_dispute_texts, relist_disputes to blattwerk_service;
grant select on disputes, dispute_texts to blattwerk_service;
