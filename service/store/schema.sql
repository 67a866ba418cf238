-- What the migrations make; written by `python -m tests.service.store.schema`, never by hand.

CREATE TYPE public.new_event AS (
	bucket smallint,
	stream uuid,
	version integer,
	received_at timestamp with time zone,
	command uuid,
	previous_hash bytea,
	hash bytea,
	actor smallint,
	decision integer,
	type text,
	rules text,
	digest bytea,
	envelope text,
	sealed text
);

CREATE TYPE public.stream_guard AS (
	place integer,
	stream uuid,
	version integer
);

CREATE FUNCTION public.append_batch(p_events public.new_event[]) RETURNS TABLE(status smallint, "position" bigint)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$ select * from append_events(p_events, '{}') $$;

CREATE FUNCTION public.append_events(p_events public.new_event[], p_guards public.stream_guard[]) RETURNS TABLE(status smallint, "position" bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
#variable_conflict use_column
declare
  single new_event;
  head_version integer;
  head_hash bytea;
  outdated integer[];
begin
  if cardinality(p_events) = 1 then
    single := p_events[1];
    perform from buckets b where b.bucket = single.bucket for no key update;
  else
    -- one order for everybody, so nobody waits in a circle
    perform from buckets b
    where b.bucket = any (array(select e.bucket from unnest(p_events) e))
    order by b.bucket
    for no key update;
  end if;

  -- from here on statements of their own: they have to see what was committed while the locks were waited for
  if cardinality(p_guards) > 0 then
    outdated := array(
      select g.place from unnest(p_guards) g
      where exists (
        select from events x
        where x.bucket = p_events[g.place].bucket and x.stream = g.stream and x.version > g.version)
      or exists (
        select from unnest(p_events) with ordinality e
        where e.stream = g.stream and e.version > g.version and e.ordinality < g.place));
  end if;

  if cardinality(p_events) = 1 and coalesce(cardinality(outdated), 0) = 0 then
    select x.version, x.hash into head_version, head_hash from events x
    where x.bucket = single.bucket and x.stream = single.stream order by x.version desc limit 1;
    if coalesce(head_version, 0) = single.version - 1 and coalesce(head_hash, single.previous_hash) = single.previous_hash then
      return query
      insert into events (
        bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
        previous_hash, hash, envelope, sealed)
      values (
        single.bucket, single.stream, single.version,
        coalesce((select x.position from events x where x.bucket = single.bucket order by x.position desc limit 1), 0) + 1,
        single.received_at, single.command, single.actor, single.decision, single.type, single.rules, single.digest,
        single.previous_hash, single.hash, single.envelope, single.sealed)
      returning 1::smallint, position;
      return;
    end if;
  end if;

  return query
  with judged as materialized (
    select e.*, e.ordinality as place, present.position as present_position,
      case
        when head.version >= e.version then
          case when present.command = e.command and present.hash = e.hash then 2 else 0 end
        when coalesce(head.version, 0) = e.version - 1 and coalesce(head.hash, e.previous_hash) = e.previous_hash then
          case when e.ordinality = any (outdated) then 4 else 1 end
        else 3
      end as verdict
    from unnest(p_events) with ordinality e
    left join lateral (
      select x.version, x.hash from events x
      where x.bucket = e.bucket and x.stream = e.stream
      order by x.version desc limit 1
    ) head on true
    left join lateral (
      select x.command, x.hash, x.position from events x
      where head.version >= e.version and x.bucket = e.bucket and x.stream = e.stream and x.version >= e.version
      order by x.version limit 1
    ) present on true
  ),
  appended as (
    insert into events (
      bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
      previous_hash, hash, envelope, sealed)
    select
      j.bucket, j.stream, j.version,
      coalesce((select x.position from events x where x.bucket = j.bucket order by x.position desc limit 1), 0)
        + row_number() over (partition by j.bucket order by j.place),
      j.received_at, j.command, j.actor, j.decision, j.type, j.rules, j.digest,
      j.previous_hash, j.hash, j.envelope, j.sealed
    from judged j
    where j.verdict = 1
    returning stream, position
  )
  select j.verdict::smallint, coalesce(a.position, j.present_position)
  from judged j
  left join appended a on a.stream = j.stream
  order by j.place;
end $$;

CREATE FUNCTION public.append_leaves(p_buckets smallint[], p_streams uuid[], p_versions integer[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  v_end record;
  v_size bigint;
  v_hash bytea;
  v_sibling bytea;
  v_level smallint;
  v_number bigint;
  v_added integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('transparency_leaves', 0));
  -- a statement of its own: it has to see what was committed while the lock was waited for
  select coalesce(max(l.position) + 1, 0) into v_size from transparency_leaves l;
  for v_end in
    select e.stream, e.version,
           sha256('bw1/log-table\000'::bytea || uuid_send(e.stream))
             || sha256('bw1/log-head\000'::bytea || uuid_send(e.stream) || int4send(e.version) || e.hash) as leaf
    from unnest(p_buckets, p_streams, p_versions) with ordinality as asked (bucket, stream, version, place)
    join events e on e.bucket = asked.bucket and e.stream = asked.stream and e.version = asked.version
    where strpos(e.envelope, '"type":"secret_revealed"') > 0
    order by asked.place
  loop
    insert into transparency_leaves (position, stream, version, leaf)
    values (v_size, v_end.stream, v_end.version, v_end.leaf)
    on conflict (stream) do nothing;
    continue when not found;
    v_level := 0;
    v_number := v_size;
    v_hash := sha256('\x00'::bytea || v_end.leaf);
    insert into transparency_nodes values (v_level, v_number, v_hash);
    while v_number % 2 = 1 loop
      select n.hash into strict v_sibling from transparency_nodes n where n.level = v_level and n.number = v_number - 1;
      v_hash := sha256('\x01'::bytea || v_sibling || v_hash);
      v_level := v_level + 1;
      v_number := v_number / 2;
      insert into transparency_nodes values (v_level, v_number, v_hash);
    end loop;
    v_size := v_size + 1;
    v_added := v_added + 1;
  end loop;
  return v_added;
end $$;

CREATE FUNCTION public.apply_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'public', 'pg_temp'
    AS $$ select false $$;

CREATE FUNCTION public.count_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  v_changes bigint;
begin
  select g.changes into v_changes from standings_generations g where g.generation = p_generation for update;
  if not found then
    return false;
  end if;
  -- a statement of its own: it has to see what was committed while the lock was waited for
  if exists (
    select from unnest(p_buckets, p_before) as asked (bucket, position)
    left join checkpoints c on c.projection = 'standings' and c.generation = p_generation and c.bucket = asked.bucket
    where coalesce(c.position, 0) <> asked.position
  ) then
    return false;
  end if;
  insert into checkpoints (projection, generation, bucket, position)
  select 'standings', p_generation, reached.bucket, reached.position
  from unnest(p_buckets, p_after) as reached (bucket, position)
  on conflict (projection, generation, bucket) do update set position = excluded.position;
  insert into standings as s (
    generation, game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early, change)
  select p_generation, c.game, c.player,
         c.place_1, c.place_2, c.place_3, c.place_4, c.place_5, c.place_6, c.left_early, v_changes + c.number
  from rows from (
    jsonb_to_recordset(p_changes) as (
      game text, player uuid, place_1 integer, place_2 integer, place_3 integer, place_4 integer, place_5 integer,
      place_6 integer, left_early integer)
  ) with ordinality as c (game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early, number)
  on conflict (generation, game, player) do update set
    place_1 = s.place_1 + excluded.place_1,
    place_2 = s.place_2 + excluded.place_2,
    place_3 = s.place_3 + excluded.place_3,
    place_4 = s.place_4 + excluded.place_4,
    place_5 = s.place_5 + excluded.place_5,
    place_6 = s.place_6 + excluded.place_6,
    left_early = s.left_early + excluded.left_early,
    change = excluded.change;
  update standings_generations set changes = changes + jsonb_array_length(p_changes) where generation = p_generation;
  return true;
end $$;

CREATE FUNCTION public.create_stream(p_event public.new_event, p_secret bytea) RETURNS TABLE(status smallint, "position" bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
  select a.status, a.position into strict status, "position" from append_batch(array[p_event]) a;
  if status = 1 then
    insert into table_secret values (p_event.bucket, p_event.stream, p_secret);
  end if;
  return next;
end $$;

CREATE FUNCTION public.erase_dispute_texts(p_author uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
declare
  v_count integer;
begin
  update dispute_texts t set salt = null, text = null where t.author = p_author and t.text is not null;
  get diagnostics v_count = row_count;
  return v_count;
end $$;

CREATE FUNCTION public.pay_standings(p_generation integer, p_bucket smallint, p_stream uuid, p_version integer, p_changes jsonb) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
  delete from standings_owed o
  where o.generation = p_generation and o.bucket = p_bucket and o.stream = p_stream and o.version = p_version;
  if not found then
    return false;
  end if;
  return count_standings(p_generation, '{}', '{}', '{}', p_changes);
end $$;

CREATE FUNCTION public.record_dispute(p_event public.new_event, p_also public.new_event, p_status text, p_author uuid, p_salt bytea, p_text text, p_stream uuid, p_version integer, p_claim text, p_people uuid[], p_most integer) RETURNS smallint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.record_name_change() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
begin
  with next as (update name_changes_head set position = position + 1 returning position)
  insert into name_changes (position, player, erased)
  select next.position, new.id, new.erased_at is not null from next;
  return null;
end $$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise insufficient_privilege using message = format('%s of %s is refused: the log is never changed', lower(tg_op), tg_table_name);
end $$;

CREATE FUNCTION public.relist_disputes() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.unlocked_buckets(p_buckets smallint[]) RETURNS SETOF smallint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
  select b.bucket from buckets b where b.bucket = any (p_buckets) for no key update skip locked
$$;

CREATE TABLE public.account_codes (
    number bigint NOT NULL,
    id uuid NOT NULL,
    player uuid NOT NULL,
    kind text NOT NULL,
    role text NOT NULL,
    sha256 bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    used_at timestamp with time zone,
    CONSTRAINT account_codes_kind_check CHECK ((kind = ANY (ARRAY['recovery'::text, 'transfer'::text]))),
    CONSTRAINT account_codes_role_check CHECK ((role = ANY (ARRAY['player'::text, 'arbiter'::text, 'operator'::text]))),
    CONSTRAINT account_codes_sha256_check CHECK ((octet_length(sha256) = 32))
);

COMMENT ON COLUMN public.account_codes.role IS 'Role of the token that made the code, and of those it is redeemed for';

COMMENT ON COLUMN public.account_codes.used_at IS 'When a transfer code was redeemed; a recovery code holds until it is replaced';

ALTER TABLE public.account_codes ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.account_codes_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.buckets (
    bucket smallint NOT NULL,
    CONSTRAINT buckets_bucket_check CHECK (((bucket >= 0) AND (bucket <= 255)))
);

CREATE TABLE public.events (
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    version integer NOT NULL,
    "position" bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    command uuid NOT NULL,
    actor smallint,
    decision integer,
    type text NOT NULL,
    rules text NOT NULL,
    digest bytea NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    envelope text NOT NULL,
    sealed text NOT NULL,
    CONSTRAINT events_bucket_check CHECK (((bucket >= 0) AND (bucket <= 255))),
    CONSTRAINT events_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT events_position_check CHECK (("position" >= 1)),
    CONSTRAINT events_previous_hash_check CHECK ((octet_length(previous_hash) = 32)),
    CONSTRAINT events_version_check CHECK ((version >= 1))
);

COMMENT ON TABLE public.events IS 'The log: one row for each accepted command, never changed';

COMMENT ON COLUMN public.events."position" IS 'Place in the bucket, without gaps, in the order of commits';

COMMENT ON COLUMN public.events.received_at IS 'Wall clock of the service when the command arrived';

COMMENT ON COLUMN public.events.command IS 'Id of the command, the same for every try to record it';

COMMENT ON COLUMN public.events.digest IS 'Hash of what was asked, tells a retry from another command; empty if that is never asked';

COMMENT ON COLUMN public.events.envelope IS 'Exact canonical bytes of the public part, chained by hash';

COMMENT ON COLUMN public.events.sealed IS 'JSON array of the sealed parts in viewer order, the server''s last';

CREATE VIEW public.bucket_head AS
 SELECT bucket,
    COALESCE(( SELECT e."position"
           FROM public.events e
          WHERE (e.bucket = b.bucket)
          ORDER BY e."position" DESC
         LIMIT 1), (0)::bigint) AS "position"
   FROM public.buckets b;

CREATE VIEW public.chain_breaks AS
 SELECT bucket,
    stream,
    version,
    linked,
    hashed
   FROM ( SELECT events.bucket,
            events.stream,
            events.version,
            ((events.version = (1 + COALESCE(lag(events.version) OVER chain, 0))) AND (events.previous_hash = COALESCE(lag(events.hash) OVER chain, events.previous_hash))) AS linked,
            (events.hash = sha256((('\x6277312f6576656e7400'::bytea || events.previous_hash) || convert_to(events.envelope, 'UTF8'::name)))) AS hashed
           FROM public.events
          WINDOW chain AS (PARTITION BY events.bucket, events.stream ORDER BY events.version)) checked
  WHERE (NOT (linked AND hashed));

COMMENT ON VIEW public.chain_breaks IS 'Events that do not follow their predecessor (linked) or do not have the hash of their bytes (hashed); empty if the log was not tampered with';

CREATE TABLE public.checkpoints (
    projection text NOT NULL,
    generation integer DEFAULT 0 NOT NULL,
    bucket smallint NOT NULL,
    "position" bigint NOT NULL
);

CREATE VIEW public.dispute_list AS
 SELECT e.stream AS dispute,
    e.bucket,
    ((opened.fact ->> 'table'::text))::uuid AS stream,
    ((opened.fact ->> 'version'::text))::integer AS version,
    ((opened.fact ->> 'player'::text))::uuid AS player,
    e.received_at AS opened_at,
    (opened.fact ->> 'claim'::text) AS claim,
    ( SELECT
                CASE x.type
                    WHEN 'dispute'::text THEN 'open'::text
                    WHEN 'review'::text THEN 'under_review'::text
                    WHEN 'resolve'::text THEN 'resolved'::text
                    WHEN 'appeal'::text THEN 'appealed'::text
                    WHEN 'withdraw'::text THEN 'withdrawn'::text
                    ELSE NULL::text
                END AS "case"
           FROM public.events x
          WHERE ((x.bucket = e.bucket) AND (x.stream = e.stream) AND (x.type <> 'look'::text))
          ORDER BY x.version DESC
         LIMIT 1) AS status,
    ARRAY( SELECT (jsonb_array_elements_text((opened.fact -> 'players'::text)))::uuid AS jsonb_array_elements_text) AS people
   FROM (public.events e
     CROSS JOIN LATERAL ( SELECT (((e.envelope)::jsonb -> 'facts'::text) -> 0) AS "?column?") opened(fact))
  WHERE (e.type = 'dispute'::text);

CREATE TABLE public.dispute_texts (
    dispute uuid NOT NULL,
    version integer NOT NULL,
    author uuid NOT NULL,
    salt bytea,
    text text,
    CONSTRAINT dispute_texts_check CHECK (((salt IS NULL) = (text IS NULL))),
    CONSTRAINT dispute_texts_salt_check CHECK ((octet_length(salt) = 32))
);

COMMENT ON TABLE public.dispute_texts IS 'Texts of disputes, by the event that has their hash; erased ones have neither text nor salt';

CREATE TABLE public.disputes (
    dispute uuid NOT NULL,
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    version integer NOT NULL,
    player uuid NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    claim text NOT NULL,
    status text NOT NULL,
    people uuid[] NOT NULL,
    CONSTRAINT disputes_status_check CHECK ((status = ANY (ARRAY['open'::text, 'under_review'::text, 'resolved'::text, 'appealed'::text, 'withdrawn'::text])))
);

COMMENT ON TABLE public.disputes IS 'What has to be known of disputes at once; follows from the log';

COMMENT ON COLUMN public.disputes.bucket IS 'Where the events of the dispute are: the bucket of its table';

COMMENT ON COLUMN public.disputes.stream IS 'The disputed table';

COMMENT ON COLUMN public.disputes.people IS 'The players of the match, who may see the dispute';

CREATE TABLE public.ended_matches (
    "position" bigint NOT NULL,
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    created bigint NOT NULL,
    entry text
);

COMMENT ON COLUMN public.ended_matches."position" IS 'That of its leaf';

COMMENT ON COLUMN public.ended_matches.created IS 'When the table was created, in milliseconds since 1970 UTC';

COMMENT ON COLUMN public.ended_matches.entry IS 'What a list says of it, as JSON, without names of people; null: no program could read it yet';

CREATE TABLE public.ended_seats (
    player uuid NOT NULL,
    created bigint NOT NULL,
    stream uuid NOT NULL,
    "position" bigint NOT NULL,
    seat smallint NOT NULL
);

CREATE VIEW public.event_envelopes AS
 SELECT bucket,
    stream,
    version,
    "position",
    received_at,
    type,
    actor,
    decision,
    rules,
    (envelope)::jsonb AS envelope
   FROM public.events;

CREATE VIEW public.event_facts AS
 SELECT e.bucket,
    e.stream,
    e.version,
    e.received_at,
    e.type,
    e.actor,
    e.decision,
    e.rules,
    part.name AS part,
    fact.number,
    (fact.value ->> 'type'::text) AS fact_type,
    fact.value AS fact
   FROM ((public.event_envelopes e
     CROSS JOIN ( VALUES ('table'::text), ('game'::text)) part(name))
     CROSS JOIN LATERAL jsonb_array_elements(COALESCE(((e.envelope -> 'public'::text) -> part.name), '[]'::jsonb)) WITH ORDINALITY fact(value, number));

CREATE TABLE public.log_losses (
    size bigint NOT NULL,
    root bytea NOT NULL,
    remaining bigint NOT NULL,
    accepted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT log_losses_remaining_check CHECK ((remaining >= 0)),
    CONSTRAINT log_losses_root_check CHECK ((octet_length(root) = 32)),
    CONSTRAINT log_losses_size_check CHECK ((size >= 1))
);

COMMENT ON TABLE public.log_losses IS 'Signed trees of the transparency log whose loss an operator accepted, never changed';

COMMENT ON COLUMN public.log_losses.remaining IS 'Leaves that the log had left when the loss was accepted';

CREATE TABLE public.name_changes (
    "position" bigint NOT NULL,
    player uuid NOT NULL,
    erased boolean NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON COLUMN public.name_changes.changed_at IS 'When the name changed; for changes before this column, when it was added';

CREATE TABLE public.name_changes_head (
    one boolean DEFAULT true NOT NULL,
    "position" bigint NOT NULL,
    CONSTRAINT name_changes_head_one_check CHECK (one)
);

CREATE TABLE public.players (
    id uuid NOT NULL,
    name text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    erased_at timestamp with time zone,
    CONSTRAINT players_check CHECK (((erased_at IS NULL) OR (name IS NULL)))
);

CREATE TABLE public.private_streams (
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    table_stream uuid NOT NULL,
    seat smallint NOT NULL,
    CONSTRAINT private_streams_seat_check CHECK ((seat >= 0))
);

COMMENT ON TABLE public.private_streams IS 'Table and seat of each private stream, never changed';

CREATE TABLE public.probes (
    process uuid NOT NULL,
    probed_at timestamp with time zone NOT NULL
);

COMMENT ON TABLE public.probes IS 'When each process last wrote; rows of processes that have ended go after a day';

CREATE TABLE public.schema_migrations (
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.secret_keys (
    number integer NOT NULL,
    fingerprint bytea NOT NULL,
    verifier_key text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT secret_keys_fingerprint_check CHECK ((octet_length(fingerprint) = 32))
);

COMMENT ON TABLE public.secret_keys IS 'Fingerprints of secret keys, and the public keys that verify what was signed with them; never changed';

ALTER TABLE public.secret_keys ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.secret_keys_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.spectators (
    stream uuid NOT NULL,
    player uuid NOT NULL,
    code bigint NOT NULL,
    admitted_at timestamp with time zone DEFAULT now() NOT NULL
);

COMMENT ON TABLE public.spectators IS 'Accounts that may read a private table without a seat, each with the code it came by';

CREATE TABLE public.standings (
    generation integer NOT NULL,
    game text NOT NULL,
    player uuid NOT NULL,
    place_1 integer NOT NULL,
    place_2 integer NOT NULL,
    place_3 integer NOT NULL,
    place_4 integer NOT NULL,
    place_5 integer NOT NULL,
    place_6 integer NOT NULL,
    left_early integer NOT NULL,
    change bigint NOT NULL,
    matches integer GENERATED ALWAYS AS ((((((place_1 + place_2) + place_3) + place_4) + place_5) + place_6)) STORED NOT NULL,
    average integer GENERATED ALWAYS AS (((1000 * (((((place_1 + ((2)::bigint * place_2)) + (3 * place_3)) + (4 * place_4)) + (5 * place_5)) + (6 * place_6))) / GREATEST((((((place_1 + place_2) + place_3) + place_4) + place_5) + place_6), 1))) STORED NOT NULL
);

COMMENT ON COLUMN public.standings.left_early IS 'Matches of these that the player left to a bot';

COMMENT ON COLUMN public.standings.change IS 'Number of the last change, for copies that follow';

COMMENT ON COLUMN public.standings.average IS 'Average place in thousandths';

CREATE TABLE public.standings_generations (
    generation integer NOT NULL,
    ready boolean DEFAULT false NOT NULL,
    changes bigint DEFAULT 0 NOT NULL
);

COMMENT ON COLUMN public.standings_generations.changes IS 'How many changes of standings there were; numbers them';

CREATE TABLE public.standings_owed (
    generation integer NOT NULL,
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    version integer NOT NULL,
    rules text NOT NULL
);

COMMENT ON TABLE public.standings_owed IS 'Events that standings do not count yet, because no worker knew their rules';

CREATE TABLE public.table_codes (
    number bigint NOT NULL,
    id uuid NOT NULL,
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    kind text NOT NULL,
    code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT table_codes_bucket_check CHECK (((bucket >= 0) AND (bucket <= 255))),
    CONSTRAINT table_codes_kind_check CHECK ((kind = ANY (ARRAY['join'::text, 'watch'::text])))
);

ALTER TABLE public.table_codes ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.table_codes_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.table_secret (
    bucket smallint NOT NULL,
    stream uuid NOT NULL,
    secret bytea NOT NULL,
    CONSTRAINT table_secret_secret_check CHECK ((octet_length(secret) = 32))
);

CREATE TABLE public.tokens (
    id uuid NOT NULL,
    player uuid NOT NULL,
    role text NOT NULL,
    sha256 bytea NOT NULL,
    label text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT tokens_role_check CHECK ((role = ANY (ARRAY['player'::text, 'arbiter'::text, 'operator'::text]))),
    CONSTRAINT tokens_sha256_check CHECK ((octet_length(sha256) = 32))
);

CREATE TABLE public.transparency_leaves (
    "position" bigint NOT NULL,
    stream uuid NOT NULL,
    version integer NOT NULL,
    leaf bytea NOT NULL,
    CONSTRAINT transparency_leaves_leaf_check CHECK ((octet_length(leaf) = 64)),
    CONSTRAINT transparency_leaves_position_check CHECK (("position" >= 0))
);

COMMENT ON TABLE public.transparency_leaves IS 'Leaves of the transparency log, in their order, never changed';

COMMENT ON COLUMN public.transparency_leaves.leaf IS 'What the tree is made of and everybody may read; stream and version stay here';

CREATE TABLE public.transparency_nodes (
    level smallint NOT NULL,
    number bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT transparency_nodes_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT transparency_nodes_level_check CHECK (((level >= 0) AND (level <= 62))),
    CONSTRAINT transparency_nodes_number_check CHECK ((number >= 0))
);

ALTER TABLE ONLY public.account_codes
    ADD CONSTRAINT account_codes_id_key UNIQUE (id);

ALTER TABLE ONLY public.account_codes
    ADD CONSTRAINT account_codes_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.account_codes
    ADD CONSTRAINT account_codes_sha256_key UNIQUE (sha256);

ALTER TABLE ONLY public.buckets
    ADD CONSTRAINT buckets_pkey PRIMARY KEY (bucket);

ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (projection, generation, bucket);

ALTER TABLE ONLY public.dispute_texts
    ADD CONSTRAINT dispute_texts_pkey PRIMARY KEY (dispute, version);

ALTER TABLE ONLY public.disputes
    ADD CONSTRAINT disputes_pkey PRIMARY KEY (dispute);

ALTER TABLE ONLY public.ended_matches
    ADD CONSTRAINT ended_matches_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.ended_seats
    ADD CONSTRAINT ended_seats_pkey PRIMARY KEY ("position", seat);

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_place UNIQUE (bucket, "position");

ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_version PRIMARY KEY (bucket, stream, version);

ALTER TABLE ONLY public.log_losses
    ADD CONSTRAINT log_losses_pkey PRIMARY KEY (size, root);

ALTER TABLE ONLY public.name_changes_head
    ADD CONSTRAINT name_changes_head_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.name_changes
    ADD CONSTRAINT name_changes_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.players
    ADD CONSTRAINT players_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.private_streams
    ADD CONSTRAINT private_streams_pkey PRIMARY KEY (bucket, stream);

ALTER TABLE ONLY public.probes
    ADD CONSTRAINT probes_pkey PRIMARY KEY (process);

ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.secret_keys
    ADD CONSTRAINT secret_keys_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.spectators
    ADD CONSTRAINT spectators_pkey PRIMARY KEY (stream, player);

ALTER TABLE ONLY public.standings_generations
    ADD CONSTRAINT standings_generations_pkey PRIMARY KEY (generation);

ALTER TABLE ONLY public.standings_owed
    ADD CONSTRAINT standings_owed_pkey PRIMARY KEY (generation, bucket, stream, version);

ALTER TABLE ONLY public.standings
    ADD CONSTRAINT standings_pkey PRIMARY KEY (generation, game, player);

ALTER TABLE ONLY public.table_codes
    ADD CONSTRAINT table_codes_code_key UNIQUE (code);

ALTER TABLE ONLY public.table_codes
    ADD CONSTRAINT table_codes_id_key UNIQUE (id);

ALTER TABLE ONLY public.table_codes
    ADD CONSTRAINT table_codes_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.table_secret
    ADD CONSTRAINT table_secret_pkey PRIMARY KEY (bucket, stream);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_sha256_key UNIQUE (sha256);

ALTER TABLE ONLY public.transparency_leaves
    ADD CONSTRAINT transparency_leaves_pkey PRIMARY KEY ("position");

ALTER TABLE ONLY public.transparency_leaves
    ADD CONSTRAINT transparency_leaves_stream_key UNIQUE (stream);

ALTER TABLE ONLY public.transparency_nodes
    ADD CONSTRAINT transparency_nodes_pkey PRIMARY KEY (level, number);

CREATE INDEX account_codes_newest ON public.account_codes USING btree (player, kind, number);

CREATE INDEX dispute_texts_author ON public.dispute_texts USING btree (author) WHERE (text IS NOT NULL);

CREATE INDEX disputes_by_status ON public.disputes USING btree (status, opened_at DESC, dispute DESC);

CREATE INDEX disputes_newest ON public.disputes USING btree (opened_at DESC, dispute DESC);

CREATE INDEX disputes_of_player ON public.disputes USING btree (player, opened_at);

CREATE UNIQUE INDEX disputes_once ON public.disputes USING btree (stream, version, player) WHERE (status <> 'withdrawn'::text);

CREATE INDEX disputes_people ON public.disputes USING gin (people);

CREATE INDEX ended_seats_newest ON public.ended_seats USING btree (player, ((- created)), stream);

CREATE INDEX events_created ON public.events USING btree (received_at DESC, stream DESC) WHERE (type = 'create'::text);

CREATE INDEX events_disputes ON public.events USING btree (received_at DESC, stream DESC) WHERE (type = 'dispute'::text);

CREATE INDEX spectators_player ON public.spectators USING btree (player);

CREATE INDEX standings_change ON public.standings USING btree (generation, change);

CREATE INDEX standings_order ON public.standings USING btree (generation, game, ((- place_1)), average, player) WHERE (matches > 0);

CREATE INDEX standings_player ON public.standings USING btree (generation, player);

CREATE INDEX table_codes_newest ON public.table_codes USING btree (stream, kind, number);

CREATE INDEX tokens_player ON public.tokens USING btree (player);

CREATE TRIGGER name_changed AFTER UPDATE ON public.players FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION public.record_name_change();

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.events ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_losses FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.log_losses ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.name_changes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.name_changes ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.private_streams FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.private_streams ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.secret_keys FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.secret_keys ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.table_secret FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.table_secret ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.transparency_leaves FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.transparency_leaves ENABLE ALWAYS TRIGGER never_changed;

CREATE TRIGGER never_changed BEFORE DELETE OR UPDATE OR TRUNCATE ON public.transparency_nodes FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.transparency_nodes ENABLE ALWAYS TRIGGER never_changed;

ALTER TABLE ONLY public.account_codes
    ADD CONSTRAINT account_codes_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);

ALTER TABLE ONLY public.ended_seats
    ADD CONSTRAINT ended_seats_position_fkey FOREIGN KEY ("position") REFERENCES public.ended_matches("position");

ALTER TABLE ONLY public.name_changes
    ADD CONSTRAINT name_changes_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);

ALTER TABLE ONLY public.spectators
    ADD CONSTRAINT spectators_code_fkey FOREIGN KEY (code) REFERENCES public.table_codes(number);

ALTER TABLE ONLY public.spectators
    ADD CONSTRAINT spectators_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_player_fkey FOREIGN KEY (player) REFERENCES public.players(id);

REVOKE ALL ON FUNCTION public.append_batch(p_events public.new_event[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_batch(p_events public.new_event[]) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.append_events(p_events public.new_event[], p_guards public.stream_guard[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_events(p_events public.new_event[], p_guards public.stream_guard[]) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.append_leaves(p_buckets smallint[], p_streams uuid[], p_versions integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_leaves(p_buckets smallint[], p_streams uuid[], p_versions integer[]) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.apply_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.apply_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.count_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_standings(p_generation integer, p_buckets smallint[], p_before bigint[], p_after bigint[], p_changes jsonb) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.create_stream(p_event public.new_event, p_secret bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION public.create_stream(p_event public.new_event, p_secret bytea) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.erase_dispute_texts(p_author uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_dispute_texts(p_author uuid) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.pay_standings(p_generation integer, p_bucket smallint, p_stream uuid, p_version integer, p_changes jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.pay_standings(p_generation integer, p_bucket smallint, p_stream uuid, p_version integer, p_changes jsonb) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.record_dispute(p_event public.new_event, p_also public.new_event, p_status text, p_author uuid, p_salt bytea, p_text text, p_stream uuid, p_version integer, p_claim text, p_people uuid[], p_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.record_dispute(p_event public.new_event, p_also public.new_event, p_status text, p_author uuid, p_salt bytea, p_text text, p_stream uuid, p_version integer, p_claim text, p_people uuid[], p_most integer) TO blattwerk_service;

REVOKE ALL ON FUNCTION public.record_name_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.relist_disputes() FROM PUBLIC;
GRANT ALL ON FUNCTION public.relist_disputes() TO blattwerk_service;

REVOKE ALL ON FUNCTION public.unlocked_buckets(p_buckets smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.unlocked_buckets(p_buckets smallint[]) TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.account_codes TO blattwerk_service;

GRANT SELECT ON TABLE public.buckets TO blattwerk_service;

GRANT SELECT ON TABLE public.events TO blattwerk_service;

GRANT SELECT ON TABLE public.bucket_head TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.checkpoints TO blattwerk_service;

GRANT SELECT ON TABLE public.dispute_texts TO blattwerk_service;

GRANT SELECT ON TABLE public.disputes TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ended_matches TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.ended_seats TO blattwerk_service;

GRANT SELECT,INSERT ON TABLE public.log_losses TO blattwerk_service;

GRANT SELECT ON TABLE public.name_changes TO blattwerk_service;

GRANT SELECT ON TABLE public.name_changes_head TO blattwerk_service;

GRANT SELECT,INSERT,UPDATE ON TABLE public.players TO blattwerk_service;

GRANT SELECT,INSERT ON TABLE public.private_streams TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.probes TO blattwerk_service;

GRANT SELECT ON TABLE public.schema_migrations TO blattwerk_service;

GRANT SELECT,INSERT ON TABLE public.secret_keys TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.spectators TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.standings TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.standings_generations TO blattwerk_service;

GRANT SELECT,INSERT,DELETE ON TABLE public.standings_owed TO blattwerk_service;

GRANT SELECT,INSERT ON TABLE public.table_codes TO blattwerk_service;

GRANT SELECT ON TABLE public.table_secret TO blattwerk_service;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tokens TO blattwerk_service;

GRANT SELECT ON TABLE public.transparency_leaves TO blattwerk_service;

GRANT SELECT ON TABLE public.transparency_nodes TO blattwerk_service;
