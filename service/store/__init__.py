"""The log and the ordinary tables in PostgreSQL; the only package that speaks to it.

database.py      the pool of connections that all stores of a process share
connections.py   what is set on each connection
log.py           append, read and follow events
committer.py     group commit
feed.py          reading all events in order from a checkpoint
accounts.py      players and tokens
secret_keys.py   fingerprints of secret keys
probes.py        whether the database takes writes
disputes.py      the list of disputes and their texts
standings.py     standings, made from the feed
transparency.py  leaves and nodes of the transparency log
queries/         the SQL of these modules, each statement under its name
migrations/      the schema as plain SQL, and the command that applies it
schema.sql       what the migrations make
"""
