-- Which secret keys the service has had: the one with the highest number is in force.
create table secret_keys (
  number       integer     primary key generated always as identity,
  fingerprint  bytea       not null check (octet_length(fingerprint) = 32),
  verifier_key text        not null,
  since        timestamptz not null default now()
);

comment on table secret_keys is 'Fingerprints of secret keys, and the public keys that verify what was signed with them; never changed';

create trigger never_changed before update or delete or truncate on secret_keys
  for each statement execute function refuse_change();
alter table secret_keys enable always trigger never_changed;

grant select, insert on secret_keys to blattwerk_service;
