"""What a list costs where there are very many tables, and one view in a hundred is missing.

    python -m tests.bench.lists             100,000 tables
    python -m tests.bench.lists --tables N

The log and Redis are filled in bulk with copies of one table. No worker runs, so what is missing stays missing.
"""

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import httpx
import psycopg
from redis import Redis

from projections.table_lists import ENDED_MAX
from service.embedded import EmbeddedServers, embedded_servers
from service.store.migrations import migrate
from tests.bench.report import Aim, Row, Section, text
from tests.service.api_process import api_process
from tests.service.client import Player
from tests.service.running import settings_for

OPEN_STATUSES: Final = ("lobby", "running", "between_rounds")
ENDED_STATUSES: Final = ("finished", "closed")
OWN: Final = 400
"""Of the tables so many are those of the account that asks."""
MISSING: Final = 100
"""Of so many views one is missing."""
LIMITS: Final = (20, 100)
MS_MAX: Final = 20.0
_TOGETHER: Final = 2000
_COPY: Final = """
with made as materialized (
  select id as stream, get_byte(sha256(uuid_send(id)), 0)::smallint as bucket, number
  from (select gen_random_uuid() as id, number from generate_series(1, %(count)s) number) ids
), written as (
  insert into events (bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
    previous_hash, hash, envelope, sealed)
  select m.bucket, m.stream, 1,
    coalesce((select max(position) from events x where x.bucket = m.bucket), 0)
      + row_number() over (partition by m.bucket order by m.number),
    e.received_at + make_interval(secs => m.number * 0.001), gen_random_uuid(), e.actor, e.decision, e.type, e.rules,
    e.digest, e.previous_hash, e.hash, e.envelope, e.sealed
  from made m cross join (select * from events where stream = %(stream)s and version = 1) e
), secrets as (
  insert into table_secret select m.bucket, m.stream, s.secret from made m
  cross join (select secret from table_secret where stream = %(stream)s) s
)
select stream::text from made order by number
"""


def main() -> None:
    """Fill, measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lists", description="Lists of very many tables.")
    parser.add_argument("--tables", type=int, default=100_000)
    count: int = parser.parse_args().tables
    with filled(count) as (url, player):
        print(text(lists(url, player, count)), flush=True)


@contextmanager
def filled(count: int) -> Iterator[tuple[str, Player]]:
    """A service with so many tables; its address, and somebody who asks."""
    with tempfile.TemporaryDirectory() as folder, embedded_servers(Path(folder) / "data", durable=False) as servers:
        migrate(servers.database_url)
        with api_process(settings_for(servers.database_url, servers.redis_url)) as api:
            player = Player(api.url, "Ada")
            fill(servers, player.create("hearts", bots=[1]), count)
            yield api.url, player
            Player.close_all()


def fill(servers: EmbeddedServers, table: str, count: int) -> None:
    """Copy a table so many times, into every list in turn; of those that have ended as many as are kept."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        copies = [stream for (stream,) in connection.execute(_COPY, {"count": count, "stream": table}).fetchall()]
        connection.execute("vacuum analyze events")
        heads: dict[Any, Any] = dict(
            connection.execute("select bucket, position from bucket_head where position > 0").fetchall()
        )
    with Redis.from_url(servers.redis_url) as redis:
        (key,) = redis.scan_iter(f"bw:*:1:{{{table}}}")
        prefix = key.decode().partition("{")[0]
        view: dict[bytes, bytes] = redis.hgetall(key)
        for first in range(0, count, _TOGETHER):
            with redis.pipeline(transaction=False) as pipeline:
                for number, stream in enumerate(copies[first : first + _TOGETHER], first):
                    _copy(pipeline, prefix, view, table, stream, number)
                pipeline.execute()
        redis.hset(f"{prefix}checkpoint:views", mapping=heads)
        redis.hset(f"{prefix.removesuffix('1:')}generation", "current", 1)


def _copy(pipeline: Any, prefix: str, view: dict[bytes, bytes], table: str, stream: str, number: int) -> None:
    ended = number < ENDED_MAX
    status = (ENDED_STATUSES if ended else OPEN_STATUSES)[number % (2 if ended else 3)]
    changes = ((table.encode(), stream.encode()), (b'"status":"lobby"', b'"status":"%s"' % status.encode()))
    fields = {}
    for field, content in view.items():
        for old, new in changes:
            content = content.replace(old, new)
        fields[field] = content
    if number % MISSING:
        pipeline.hset(f"{prefix}{{{stream}}}", mapping=fields)
    for game in ("*", "hearts"):
        pipeline.zadd(f"{prefix}tables:{game}:{status}", {f"{1_700_000_000_000 + number:015d}:{stream}": 0})
    if ended:
        pipeline.zadd(prefix + "ended", {stream: number})
    if ENDED_MAX <= number < ENDED_MAX + OWN:
        for player in [field for field in view if field.startswith(b"player:")]:
            pipeline.sadd(prefix + player.decode(), stream)


def lists(url: str, player: Player, count: int, *, times: int = 200) -> Section:
    """Ask for the first page of every list, over one connection."""
    rows: list[Row] = []
    aims: list[Aim] = []
    with httpx.Client(base_url=url, headers=player.http.headers, timeout=30) as client:
        for status in (*OPEN_STATUSES, *ENDED_STATUSES):
            for limit in LIMITS:
                took = _took(client, "/v1/tables", {"status": status, "limit": limit}, times)
                p99 = statistics.quantiles(took, n=100)[98]
                rows.append(Row(f"{status}, limit {limit}", {"median ms": statistics.median(took), "p99 ms": p99}))
                aims.append(
                    Aim(f"list of {status}, limit {limit}, ms (median)", statistics.median(took), MS_MAX, False)
                )
        for limit in LIMITS:
            took = _took(client, "/v1/me/tables", {"limit": limit}, times)
            median = statistics.median(took)
            rows.append(
                Row(f"{OWN} own, limit {limit}", {"median ms": median, "p99 ms": statistics.quantiles(took, n=100)[98]})
            )
            aims.append(Aim(f"list of {OWN} own tables, limit {limit}, ms (median)", median, MS_MAX, False))
    notes = f"GET /v1/tables and /v1/me/tables, one client, {times} times each; one view in {MISSING} is missing."
    return Section("lists", f"Lists of {count:,} tables", notes, ("median ms", "p99 ms"), tuple(rows), tuple(aims))


def _took(client: httpx.Client, path: str, parameters: dict[str, Any], times: int) -> Sequence[float]:
    took: list[float] = []
    for _ in range(times):
        begun = perf_counter()
        answer = client.get(path, params=parameters)
        took.append((perf_counter() - begun) * 1000)
        items = answer.raise_for_status().json()["items"]
        if not parameters["limit"] * 0.9 <= len(items) <= parameters["limit"]:
            raise RuntimeError(f"{len(items)} tables of {parameters}")
    return took


if __name__ == "__main__":
    main()
