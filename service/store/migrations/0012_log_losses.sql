-- Losses that an operator accepted: trees of the transparency log over which a checkpoint was signed, and which the
-- log no longer has since it went back to an earlier point.
create table log_losses (
  size        bigint      not null check (size >= 1),
  root        bytea       not null check (octet_length(root) = 32),
  remaining   bigint      not null check (remaining >= 0),
  accepted_at timestamptz not null default now(),
  primary key (size, root)
);

comment on table log_losses is 'Signed trees of the transparency log whose loss an operator accepted, never changed';
comment on column log_losses.remaining is 'Leaves that the log had left when the loss was accepted';

create trigger never_changed before update or delete or truncate on log_losses
  for each statement execute function refuse_change();
alter table log_losses enable always trigger never_changed;

grant select, insert on log_losses to blattwerk_service;
