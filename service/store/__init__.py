"""The log and the ordinary tables in PostgreSQL; the only package that speaks to it.

log.py           append, read and follow events
committer.py     group commit
feed.py          reading all events in order from a checkpoint
accounts.py      players and tokens
migrations/      the schema as plain SQL, and the command that applies it
schema.sql       what the migrations make
"""
