-- The secret keys of the service, by their fingerprints.

-- name: known
select fingerprint, verifier_key, since from secret_keys order by number;

-- name: first
-- Of several processes that start at the same time one records its key, and the others find it.
with only_one as (select pg_advisory_xact_lock(hashtextextended('blattwerk secret key', 0)) as held)
insert into secret_keys (fingerprint, verifier_key)
select %s, %s from only_one where not exists (select from secret_keys);

-- name: rotate
insert into secret_keys (fingerprint, verifier_key) values (%s, %s);
