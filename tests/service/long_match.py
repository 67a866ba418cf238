"""A match of thousands of events, written into the log at once: to play it over HTTP would take minutes."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from uuid import UUID, uuid5

import psycopg

from domain import fairness
from domain.registry import CURRENT
from service.store.buckets import bucket_of
from tests.domain.matches import SECRET, TABLE, PlayedMatch

_COPY: Final = """copy events (bucket, stream, version, position, received_at, command, actor, decision, type, rules,
  digest, previous_hash, hash, envelope, sealed) from stdin"""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@cache
def played(target_score: int) -> PlayedMatch:
    """A match of Hearts of three that ends at a score: 500 takes about 2,700 events of 500 bytes."""
    return PlayedMatch(CURRENT["hearts"], {"players": 3, "target_score": target_score}, None, 1)


def written(database_url: str, match: PlayedMatch) -> UUID:
    """Write a match into an empty log; return its table."""
    write_events(database_url, match, 0)
    with psycopg.connect(database_url) as connection:
        connection.execute("insert into table_secret values (%s, %s, %s)", (bucket_of(TABLE), TABLE, SECRET))
    return TABLE


def write_events(database_url: str, match: PlayedMatch, after: int) -> None:
    """Write the events of a match that follow a version."""
    bucket, rules = bucket_of(TABLE), match.game.rules_id
    hashes = [fairness.genesis(TABLE.bytes, rules), *match.hashes]
    with psycopg.connect(database_url) as connection, connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for version, sealed in enumerate(match.sealed[after:], after + 1):
            event, time = sealed.event, _EPOCH + timedelta(milliseconds=sealed.event.time)
            place = (bucket, TABLE, version, version, time, uuid5(TABLE, str(version)))
            what = (event.actor, event.decision, event.type, rules, b"", hashes[version - 1], hashes[version])
            copy.write_row((*place, *what, sealed.envelope.decode(), sealed.parts_text.decode()))
