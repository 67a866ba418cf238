-- When a name changed, so that operators are told since when the copies of names owe it.
alter table name_changes add column changed_at timestamptz not null default now();

comment on column name_changes.changed_at is 'When the name changed; for changes before this column, when it was added';
