"""Round trips on a real server: each request gets its own answers, also where others are late, cut or surplus."""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis import Redis

from projections import redis_connection
from projections.broadcasts import Broadcasts
from projections.generations import Generations
from projections.redis_connection import (
    RedisConnection,
    RedisUnavailableError,
    Script,
    connect,
    script,
)
from tests.projections.servers import proxied
from tests.service.store.proxy import Fault

LARGE = b"x" * 100_000
JOIN = script("return ARGV[1] .. redis.call('INCR', KEYS[1])")


def make_slow(redis_url: str) -> None:
    """Let the server answer nobody until 0.4 s from now, and then everybody."""
    with Redis.from_url(redis_url) as redis:
        redis.client_pause(400, all=True)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[RedisConnection]:
    connection = connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def reached_again(connection: RedisConnection) -> None:
    """Wait until the connection has found by itself that the server answers."""
    clock = asyncio.get_running_loop()
    until = clock.time() + 5
    while connection.unavailable:
        assert clock.time() < until, "the server answers, and nobody noticed"
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def encryption(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """What a server needs to encrypt, with a certificate of its own for this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = Path(tmp_path_factory.mktemp("tls")) / "both.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(file)
    return context


async def gives_each_request_its_answers(connection: RedisConnection) -> None:
    """Answers come in order, whatever their size; a refusal is for the request that it answers, and no other."""
    for number in range(3):
        answers: list[Any] = await asyncio.gather(
            connection.round_trip(("SET", "a", number), ("GET", "a"), ("GET", "none")),
            connection.round_trip(("ECHO", LARGE)),
            connection.round_trip(("INCR", "b"), ("INCR", "b", "too many")),
            connection.round_trip((JOIN, 1, "c", "seen:")),
            return_exceptions=True,
        )
        first, second, refused, scripted = answers
        assert first == [True, str(number).encode(), None]
        assert second == [LARGE]
        assert isinstance(refused, RedisUnavailableError)
        assert scripted == [f"seen:{number + 1}".encode()]
        assert not connection.unavailable


async def test_requests_that_travel_together_get_their_own_answers(redis_url: str) -> None:
    async with connected(redis_url) as connection:
        await gives_each_request_its_answers(connection)


async def test_the_same_over_tls(redis_url: str, encryption: ssl.SSLContext) -> None:
    async with (
        proxied(redis_url, encryption) as (_, url),
        connected(f"{url}?ssl_cert_reqs=none&ssl_check_hostname=false") as connection,
    ):
        await gives_each_request_its_answers(connection)


async def test_a_script_that_the_server_has_lost_runs_all_the_same(redis_url: str) -> None:
    async with connected(redis_url) as connection:
        for number in range(1, 4):
            with Redis.from_url(redis_url) as redis:
                redis.script_flush()
            answers = await connection.round_trip((JOIN, 1, "a", "a"), ("ECHO", "b"), (JOIN, 1, "c", "c"))
            assert answers == [b"a%d" % number, b"b", b"c%d" % number]


async def test_a_script_is_sent_by_its_digest_once_the_server_knows_it(redis_url: str) -> None:
    async with connected(redis_url) as connection:
        await connection.round_trip((JOIN, 1, "a", ""))
        only_digest = Script("return redis.error_reply('sent by its text')", JOIN.digest)
        assert await connection.round_trip((only_digest, 1, "a", "")) == [b"2"]


@pytest.mark.parametrize("fault", ["request", "answer"])
async def test_a_round_trip_that_is_cut_is_made_again(redis_url: str, fault: Fault) -> None:
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        await connection.ping()
        proxy.order(fault)
        asked = [connection.round_trip(("ECHO", str(number))) for number in range(5)]
        assert await asyncio.gather(*asked) == [[b"%d" % number] for number in range(5)]
        assert proxy.met == 1


async def test_a_server_that_cuts_every_time_is_unavailable_until_it_does_not(redis_url: str) -> None:
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        await connection.ping()
        proxy.order("request", lasting=True)
        with pytest.raises(RedisUnavailableError):
            await connection.ping()
        assert connection.unavailable
        met = proxy.met
        with pytest.raises(RedisUnavailableError):
            await connection.ping()
        assert proxy.met == met, "it is left alone for a moment"
        proxy.mend()
        await reached_again(connection)
        assert await connection.round_trip(("ECHO", "a")) == [b"a"]


async def test_a_silent_server_is_asked_by_nobody_until_a_probe_succeeds(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS_MAX", 0.2)
    monkeypatch.setattr(redis_connection, "UNAVAILABLE_SECONDS", 0.1)
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        await connection.ping()
        proxy.order("silence", lasting=True)
        with pytest.raises(RedisUnavailableError):
            await connection.ping()
        clock = asyncio.get_running_loop()
        begun, longest = clock.time(), 0.0
        while clock.time() < begun + 1.5:
            asked = clock.time()
            with pytest.raises(RedisUnavailableError):
                await connection.round_trip(("ECHO", "a"))
            longest = max(longest, clock.time() - asked)
            await asyncio.sleep(0.01)
        assert longest < 0.1, "a request waited for a server that is known to be silent"
        proxy.mend()
        await reached_again(connection)
        assert await connection.round_trip(("ECHO", "a")) == [b"a"]


async def test_a_request_without_time_asks_nobody(redis_url: str) -> None:
    late = False
    connection = connect(redis_url, lambda: late)
    assert await connection.round_trip(("ECHO", "a")) == [b"a"]
    late = True
    with pytest.raises(RedisUnavailableError):
        await connection.round_trip(("ECHO", "a"))
    assert not connection.unavailable
    await connection.close()


async def test_a_connection_that_ended_while_nobody_asked_costs_no_request(redis_url: str) -> None:
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        for word in (b"a", b"b"):
            assert await connection.round_trip(("ECHO", word)) == [word]
            proxy.close()
            await asyncio.sleep(0.05)


async def test_silence_has_an_end_and_its_connection_is_not_used_again(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS_MAX", 0.2)
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        await connection.ping()
        proxy.order("silence")
        asked = [connection.round_trip(("ECHO", str(number))) for number in range(3)]
        late = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 5)
        assert [type(answer) for answer in late] == [RedisUnavailableError] * 3
        await reached_again(connection)
        assert await connection.round_trip(("ECHO", "a")) == [b"a"]


async def test_who_waits_behind_a_silent_round_trip_does_not_wait_for_another(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS_MAX", 0.3)
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        await connection.ping()
        proxy.order("silence", lasting=True)
        first = asyncio.create_task(connection.ping())
        await asyncio.wait_for(proxy.hit.wait(), 5)
        for failed in await asyncio.gather(first, connection.ping(), return_exceptions=True):
            assert isinstance(failed, RedisUnavailableError)
        assert proxy.met == 1


async def test_silence_while_connecting_has_an_end_too(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS_MAX", 0.2)
    async with proxied(redis_url) as (proxy, url), connected(url) as connection:
        proxy.order("silence", lasting=True)
        with pytest.raises(RedisUnavailableError):
            await asyncio.wait_for(connection.ping(), 5)


async def test_a_late_answer_is_nobodys(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with connected(redis_url) as connection:
        await connection.ping()
        with monkeypatch.context() as hurried:
            hurried.setattr(redis_connection, "ANSWER_SECONDS_MAX", 0.1)
            make_slow(redis_url)
            with pytest.raises(RedisUnavailableError):
                await connection.round_trip(("ECHO", "late"))
        await reached_again(connection)
        for word in (b"a", b"b"):
            assert await connection.round_trip(("ECHO", word)) == [word]


async def test_a_request_given_up_while_it_is_under_way_leaves_no_answer_to_others(redis_url: str) -> None:
    async with connected(redis_url) as connection:
        await connection.ping()
        make_slow(redis_url)
        given_up = asyncio.create_task(connection.round_trip(("ECHO", "late")))
        beside = asyncio.create_task(connection.round_trip(("ECHO", "beside")))
        await asyncio.sleep(0.1)
        given_up.cancel()
        after = [connection.round_trip(("ECHO", str(number))) for number in range(3)]
        assert await asyncio.gather(*after) == [[b"0"], [b"1"], [b"2"]]
        assert await beside == [b"beside"]
        with pytest.raises(asyncio.CancelledError):
            await given_up


@pytest.mark.parametrize("surplus", [b"+stray\r\n", b"$5\r\nstr"], ids=["a whole answer", "half an answer"])
async def test_a_surplus_answer_goes_to_nobody(surplus: bytes) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(b"+OK\r\n" * data.count(b"SETINFO"))
            for word in re.findall(rb"ECHO\r\n\$\d\r\n(\w)", data):
                writer.write(b"+%s\r\n%s" % (word, surplus))
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with connected(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}") as connection:
        for word in (b"a", b"b", b"c"):
            assert await connection.round_trip(("ECHO", word)) == [word]
    server.close()


async def test_what_is_no_answer_is_not_taken_for_one() -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(b"+OK\r\n" * data.count(b"SETINFO") or b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with connected(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}") as connection:
        with pytest.raises(RedisUnavailableError):
            await connection.ping()
    server.close()


async def test_there_are_four_connections_however_many_ask(redis_url: str) -> None:
    async with connected(redis_url) as connection:
        broadcasts = Broadcasts(connection, Generations(connection))
        heard: list[str] = []
        broadcasts.listen(heard.append, lambda: None)
        waiting = asyncio.create_task(connection.pop_first("queue", 10, 5))
        for number in range(5):
            asked = [connection.round_trip(("SET", f"bw:{number}:{place}", "")) for place in range(300)]
            await asyncio.gather(connection.keys("bw:*"), broadcasts.broadcast("heard"), *asked)
        assert len(await connection.keys("bw:*")) == 1500
        with Redis.from_url(redis_url) as redis:
            assert len(redis.client_list()) - 1 <= 4
        await connection.round_trip(("ZADD", "queue", 1, "a"))
        assert await waiting == [b"a"]
        assert broadcasts.listener is not None
        broadcasts.listener.cancel()
        await asyncio.wait([broadcasts.listener])
