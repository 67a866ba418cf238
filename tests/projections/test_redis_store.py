"""What is kept in Redis, on one server and on a cluster of three nodes, whose slots no command may mix."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace
from redis import Redis
from redis.asyncio import RedisCluster

from domain.registry import CURRENT
from domain.standings import Tally
from projections.redis_connection import RedisConnection, connect
from projections.redis_store import RedisStore
from projections.standings import Copied, Ranked
from projections.table_view import Projection, project
from projections.view_store import WriteRequest
from service.embedded import EmbeddedServers
from tests.projections.servers import cluster
from tests.projections.test_snapshots import states

HOST = "11111111-1111-4111-8111-111111111111"
GUEST = "22222222-2222-4222-8222-222222222222"
STRANGER = "33333333-3333-4333-8333-333333333333"
TABLES = [str(UUID(int=number)) for number in range(1, 21)]


@pytest.fixture(scope="module")
def cluster_urls(servers: EmbeddedServers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    program = Path(f"/proc/{servers.redis.pid}/exe").resolve()
    with cluster(program, tmp_path_factory.mktemp("cluster")) as urls:
        yield urls


@pytest.fixture(params=["one server", "cluster"])
def nodes(request: pytest.FixtureRequest) -> Iterator[list[Redis]]:
    """The empty nodes in which everything is kept."""
    urls = [request.getfixturevalue("redis_url")]
    if request.param == "cluster":
        urls = request.getfixturevalue("cluster_urls")
    clients = [Redis.from_url(url) for url in urls]
    for client in clients:
        client.flushall()
    yield clients
    for client in clients:
        client.close()


@pytest.fixture
async def store(nodes: list[Redis], redis_url: str) -> AsyncIterator[RedisStore]:
    if len(nodes) == 1:
        connection = connect(redis_url)
    else:
        node = nodes[0].get_connection_kwargs()
        connection = RedisConnection(RedisCluster(node["host"], node["port"], protocol=2))
    store = RedisStore(connection)
    await store.open("test")
    yield store
    await store.close()


@pytest.fixture(scope="module")
def history() -> list[Projection]:
    """A table of Hearts, version by version."""
    return _projections("hearts")


@pytest.fixture(scope="module")
def romme() -> list[Projection]:
    """A table of Rommé, version by version, before any private stream has begun."""
    return _projections("romme")


def _projections(game: str) -> list[Projection]:
    notes = CURRENT[game].private_stream
    found: list[Projection] = []
    for state in states(game)[0]:
        private_streams = [] if notes is None else [(0, notes.new())] * state.setup.seats
        before = found[-1] if found else None
        found.append(project(state, {HOST: "Ada"}, private_streams=private_streams, before=before))
    return found


def of(table: str, projection: Projection) -> Projection:
    return replace(projection, header=replace(projection.header, table=table, created=int(table[-12:], 16)))


def table_of(projection: Projection) -> str:
    return projection.header.table


async def show(store: RedisStore, *projections: Projection) -> None:
    """Write versions of a table one after the other."""
    before = None
    for projection in projections:
        assert await store.views.write(WriteRequest(projection, before)) == "ok"
        before = projection


async def test_what_was_written_is_read_by_each_account(store: RedisStore, history: list[Projection]) -> None:
    assert await store.views.read(table_of(history[0]), HOST, -1, -1, "") is None
    await show(store, *history[:8])
    shown = history[7]
    seen = await store.views.read(table_of(shown), HOST, -1, -1, "")
    assert seen is not None
    assert (seen.version, seen.seat, seen.names) == (8, 0, shown.header.names_tag)
    assert (seen.public, seen.part) == (shown.public, shown.seats[0])
    stranger = await store.views.read(table_of(shown), "", -1, -1, "")
    assert stranger is not None
    assert (stranger.seat, stranger.public, stranger.part) == (None, shown.public, None)


async def test_a_private_table_is_not_there_for_who_has_no_seat_and_is_not_invited(
    store: RedisStore, history: list[Projection]
) -> None:
    shown = replace(history[7], header=replace(history[7].header, visibility="private"))
    await show(store, shown)
    table, names = table_of(shown), shown.header.names_tag
    for account in (STRANGER, ""):
        for known in ((-1, -1, ""), (8, 0, names)):
            assert await store.views.read(table, account, *known) is None
    assert await store.views.read(table, HOST, -1, -1, "") is not None
    invited = await store.views.read(table, STRANGER, -1, -1, "", invited=True)
    assert invited is not None
    assert (invited.seat, invited.public, invited.part) == (None, shown.public, None)
    assert await store.views.read(TABLES[3], STRANGER, -1, -1, "", invited=True) is None


async def test_what_the_reader_has_is_left_out(store: RedisStore, history: list[Projection]) -> None:
    await show(store, *history[:8])
    table, names = table_of(history[7]), history[7].header.names_tag
    known = await store.views.read(table, HOST, 8, 0, names)
    assert known is not None
    assert (known.version, known.public, known.part) == (8, None, None)
    for version, private_version, tag in ((7, 0, names), (8, 1, names), (8, 0, "00000000")):
        seen = await store.views.read(table, HOST, version, private_version, tag)
        assert seen is not None
        assert seen.public is not None


async def test_an_older_version_never_overwrites_a_newer_one(store: RedisStore, history: list[Projection]) -> None:
    await show(store, *history[:8])
    for before in (None, history[5]):
        assert await store.views.write(WriteRequest(history[6], before)) == "old"
    assert await store.views.write(WriteRequest(history[7], history[6])) == "old"
    assert await store.views.versions([table_of(history[7])]) == [8]


async def test_the_same_version_written_again_loses_nothing(store: RedisStore, history: list[Projection]) -> None:
    first, second = history[:2]
    await store.views.write(WriteRequest(first, None))
    await store.views.write(WriteRequest(second, first))
    before = await store.views.read(second.header.table, HOST, -1, -1, "")
    assert await store.views.write(WriteRequest(second, second)) == "ok"
    assert await store.views.read(second.header.table, HOST, -1, -1, "") == before


async def test_a_change_of_what_is_not_there_is_a_gap(store: RedisStore, history: list[Projection]) -> None:
    await show(store, *history[:6])
    assert await store.views.write(WriteRequest(history[8], history[7])) == "gap"
    assert await store.views.write(WriteRequest(history[8], None)) == "ok"
    assert await store.views.versions([table_of(history[8])]) == [9]


async def test_a_part_made_from_an_older_private_version_is_refused(store: RedisStore, romme: list[Projection]) -> None:
    seats = len(romme[9].private_versions)
    sorted_ = replace(romme[9], private_versions=(3, *[0] * (seats - 1)), seats=(b"{}", *romme[9].seats[1:]))
    await show(store, romme[9])
    assert await store.views.write(WriteRequest(sorted_, romme[9], rewrite=True)) == "ok"
    seen = await store.views.read(table_of(sorted_), HOST, 10, 0, sorted_.header.names_tag)
    assert seen is not None
    assert (seen.private_version, seen.part) == (3, b"{}")
    assert await store.views.write(WriteRequest(romme[10], None)) == "private"
    assert await store.views.write(WriteRequest(romme[10], romme[9])) == "private"
    newer = replace(romme[10], private_versions=(4, *[0] * (seats - 1)))
    assert await store.views.write(WriteRequest(newer, romme[9])) == "gap"
    assert await store.views.write(WriteRequest(newer, sorted_)) == "ok"


async def test_tables_written_together_are_listed_and_read(store: RedisStore, history: list[Projection]) -> None:
    await store.generations.mark_complete(await store.generations.begin_complete())
    lobby, running = history[0], next(one for one in history if one.header.status == "running")
    await asyncio.gather(*[show(store, of(table, lobby)) for table in TABLES])
    page = await store.lists.tables("hearts", "lobby", None, 8)
    rest = await store.lists.tables("*", "lobby", (page or [("", b"")])[-1][0], 100)
    assert page is not None
    assert rest is not None
    assert [place.partition(":")[2] for place, _ in page + rest] == TABLES[::-1]
    assert {summary for _, summary in page} == {lobby.header.summary}
    await asyncio.gather(
        *[store.views.write(WriteRequest(of(table, running), of(table, lobby))) for table in TABLES[::2]]
    )
    assert [len(await store.lists.tables("*", status, None, 100) or []) for status in ("lobby", "running")] == [10, 10]
    assert sorted(await store.lists.tables_of(HOST) or []) == TABLES
    assert sorted(await store.lists.tables_of(GUEST) or []) == TABLES[::2]
    assert await store.views.versions(TABLES) == [running.version, lobby.version] * 10


async def test_lists_say_nothing_until_they_are_complete(store: RedisStore, history: list[Projection]) -> None:
    await show(store, history[0])
    assert await store.lists.tables("*", "lobby", None, 10) is None
    assert await store.lists.tables_of(HOST) is None
    await store.generations.mark_complete(await store.generations.begin_complete())
    assert len(await store.lists.tables("*", "lobby", None, 10) or []) == 1
    assert await store.lists.tables_of(HOST) == [table_of(history[0])]
    await store.connection.round_trip(("UNLINK", "bw:test:generation"))
    assert await store.lists.tables("*", "lobby", None, 10) is None
    assert await store.lists.tables_of(HOST) is None


async def test_a_table_whose_view_is_gone_is_listed_without_summary_and_owed(
    store: RedisStore, history: list[Projection]
) -> None:
    await store.generations.mark_complete(await store.generations.begin_complete())
    await show(store, history[0])
    await store.connection.round_trip(("UNLINK", f"bw:test:1:{{{table_of(history[0])}}}"))
    ((place, summary),) = await store.lists.tables("*", "lobby", None, 10) or []
    assert (place.partition(":")[2], summary) == (table_of(history[0]), None)
    ((owed, score),) = await store.lists.owed()
    assert owed == table_of(history[0])
    await store.lists.paid(owed, str(int(score) - 1))
    assert await store.lists.owed() == [(owed, score)], "it became owed anew"
    await store.lists.paid(owed, score)
    assert await store.lists.owed() == []


def first_person(projection: Projection) -> str:
    """The account that a table's bots play for."""
    return next(player for player in projection.header.players if player is not None)


async def test_tables_with_a_bot_to_act_are_queued(store: RedisStore, history: list[Projection]) -> None:
    waiting = next(one for one in history if one.bots_to_act)
    assert await store.lists.next_for_bots(0.05) == []
    taking = asyncio.create_task(store.lists.next_for_bots(5))
    await show(store, waiting)
    assert await taking == [(first_person(waiting), table_of(waiting))]
    assert await store.lists.next_for_bots(0) == []
    assert await store.lists.waiting_for_bots(60) == []
    assert await store.lists.waiting_for_bots(-1) == [table_of(waiting)]
    after = next(one for one in history[waiting.version :] if not one.bots_to_act)
    assert await store.views.write(WriteRequest(after, None)) == "ok"
    assert await store.lists.waiting_for_bots(-1) == []


async def test_a_worker_is_woken_once_for_all_that_bots_have_to_do(
    store: RedisStore, history: list[Projection]
) -> None:
    first, second = next((one, after) for one, after in pairwise(history) if not one.bots_to_act and after.bots_to_act)
    third = replace(second, version=second.version + 1)
    await show(store, first, second)
    assert await store.lists.next_for_bots(5) == [(first_person(first), table_of(first))]
    assert await store.views.write(WriteRequest(third, second)) == "ok"
    assert await store.lists.next_for_bots(0.05) == []
    assert await store.lists.waiting_for_bots(-1) == [table_of(first)]
    assert await store.views.write(WriteRequest(replace(third, version=third.version + 1), None)) == "ok"
    assert await store.lists.next_for_bots(0) == [(first_person(first), table_of(first))], (
        "nobody knows whether one was woken"
    )


async def test_a_version_counts_as_shown_once_its_lists_are_acknowledged(
    store: RedisStore, history: list[Projection]
) -> None:
    lobby, running = history[0], next(one for one in history if one.header.status == "running")
    await show(store, lobby)
    key = f"bw:test:1:{{{table_of(lobby)}}}"
    await store.connection.round_trip(("HSET", key, "listed", "lobby:0:00000000"))
    assert await store.views.versions([table_of(lobby)]) == [0]
    assert await store.views.write(WriteRequest(running, None)) == "ok"
    assert await store.views.versions([table_of(lobby)]) == [running.version]


async def test_keys_are_spread_over_all_nodes(store: RedisStore, nodes: list[Redis], history: list[Projection]) -> None:
    await store.connection.ping()
    await asyncio.gather(*[show(store, of(table, history[0])) for table in TABLES])
    assert all(node.dbsize() for node in nodes)


async def test_snapshots_are_kept_by_version(store: RedisStore) -> None:
    for table in TABLES[:4]:
        await store.snapshots.keep_snapshot(table, 100, table.encode())
        await store.snapshots.keep_snapshot(table, 200, b"\0\r\n")
    await store.snapshots.drop_snapshot(TABLES[0], 200)
    assert [sorted(await store.snapshots.snapshots(table)) for table in TABLES[:2]] == [[100], [100, 200]]
    assert await store.snapshots.snapshot(TABLES[1], 100) == TABLES[1].encode()
    assert await store.snapshots.snapshot(TABLES[1], 200) == b"\0\r\n"
    assert await store.snapshots.snapshot(TABLES[0], 200) is None


async def test_standings_are_copied(store: RedisStore) -> None:
    ada = Ranked(HOST, Tally((1, 0, 0, 0, 0, 0), 0))
    assert await store.standings.copied() is None
    assert await store.standings.copy(None, Copied(1, 5, True), [("hearts", ada)])
    assert await store.standings.copied() == Copied(1, 5, True)
    assert await store.standings.page("hearts", None, 10) == [ada]
    assert await store.standings.of_player(HOST) == [("hearts", ada)]


async def test_a_rebuild_writes_beside_what_is_read_and_then_takes_its_place(
    store: RedisStore, history: list[Projection]
) -> None:
    await store.generations.mark_complete(await store.generations.begin_complete())
    await asyncio.gather(*[show(store, of(table, history[0])) for table in TABLES])
    await store.generations.announce(2)
    assert (store.generations.current, store.generations.next) == (1, 2)
    changed = WriteRequest(of(TABLES[0], history[1]), of(TABLES[0], history[0]))
    assert await store.views.write(changed) == "gap", "the new generation does not have what it is a change of"
    assert await store.views.write(WriteRequest(changed.projection, None)) == "ok"
    await asyncio.gather(*[show(store, of(table, history[2])) for table in TABLES])
    await store.generations.switch(2)
    assert (store.generations.current, store.generations.next, store.generations.complete) == (2, None, True)
    assert await store.generations.drop(1) > len(TABLES)
    assert await store.connection.keys("bw:test:1:*") == []
    assert await store.views.versions(TABLES) == [3] * len(TABLES)
    assert len(await store.lists.tables("*", history[2].header.status, None, 100) or []) == len(TABLES)


async def test_another_process_learns_of_a_switch_with_its_next_list(
    store: RedisStore, history: list[Projection]
) -> None:
    await store.generations.mark_complete(await store.generations.begin_complete())
    await show(store, history[0])
    await store.connection.round_trip(("HSET", "bw:test:generation", "current", 7))
    assert await store.lists.tables_of(HOST) == []
    assert store.generations.current == 7


async def test_messages_reach_every_process(store: RedisStore) -> None:
    heard: asyncio.Queue[str] = asyncio.Queue()
    gap = asyncio.Event()
    store.broadcasts.listen(heard.put_nowait, gap.set)
    await asyncio.wait_for(gap.wait(), 10)
    async with asyncio.timeout(2):
        while not store.broadcasts.listening:  # noqa: ASYNC110 - until a ping is answered
            await asyncio.sleep(0.01)
    for number in range(20):
        await store.broadcasts.broadcast(f"tokens {number}")
    assert [await asyncio.wait_for(heard.get(), 10) for _ in range(20)] == [f"tokens {number}" for number in range(20)]


async def test_scripts_that_nodes_have_lost_run_all_the_same(
    store: RedisStore, nodes: list[Redis], history: list[Projection]
) -> None:
    await show(store, *[of(TABLES[0], history[0])])
    for node in nodes:
        node.script_flush()
    await asyncio.gather(*[show(store, of(table, history[1])) for table in TABLES[1:]])
    assert await store.views.versions(TABLES) == [1] + [2] * (len(TABLES) - 1)
