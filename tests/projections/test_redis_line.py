"""Exchanges over a connection that is taken from the library: plain and encrypted, whole, late and cut."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import hiredis
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as LostError
from redis.exceptions import NoScriptError, ResponseError
from redis.exceptions import TimeoutError as LateError

from projections.redis_line import RedisLine
from tests.service.store.proxy import Fault, Proxy

SECONDS = 10.0
pack_command: Any = hiredis.pack_command  # its stub takes only one argument
PING = pack_command(("PING",))
ECHO = pack_command(("ECHO", b"x" * 100_000))


@asynccontextmanager
async def line(url: str) -> AsyncIterator[RedisLine]:
    options: Any = {"ssl_cert_reqs": "none"} if url.startswith("rediss") else {}
    redis: Any = Redis.from_url(url, protocol=2, **options)
    taken = RedisLine(await redis.connection_pool.get_connection())
    try:
        yield taken
    finally:
        await asyncio.wait_for(taken.connection.disconnect(), SECONDS)
        await redis.connection_pool.release(taken.connection)
        await redis.aclose()


@asynccontextmanager
async def proxied(redis_url: str, encryption: ssl.SSLContext | None = None) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy in front of the server, and the URL that leads through it."""
    proxy = Proxy(unquote(urlsplit(redis_url).path))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=encryption)
    port = server.sockets[0].getsockname()[1]
    try:
        yield proxy, f"redis{'s' if encryption else ''}://127.0.0.1:{port}"
    finally:
        server.close()
        proxy.close()
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
def encryption(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """What a server needs to encrypt, with a certificate of its own for this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
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


async def says_what_it_should(taken: RedisLine) -> None:
    """Answers come in order, whatever their size; a refusal is an answer."""
    commands: list[Any] = [("SET", "a", "1"), ("GET", "a"), ("GET", "none")]
    commands += [("EVALSHA", "0" * 40, 0), ("INCR", "a", "b")]
    packed = b"".join([pack_command(command) for command in commands]) + ECHO
    for _ in range(3):
        answers = await taken.exchange(packed, 6, SECONDS)
        assert answers[:3] == [b"OK", b"1", None]
        assert isinstance(answers[3], NoScriptError)
        assert isinstance(answers[4], ResponseError)
        assert answers[5] == b"x" * 100_000


async def test_it_answers_on_a_socket(redis_url: str) -> None:
    async with line(redis_url) as taken:
        await says_what_it_should(taken)


async def test_it_answers_over_tls(redis_url: str, encryption: ssl.SSLContext) -> None:
    async with proxied(redis_url, encryption) as (_, url), line(url) as taken:
        await says_what_it_should(taken)


async def test_what_is_cut_is_lost(redis_url: str) -> None:
    faults: tuple[Fault, ...] = ("request", "answer")
    for fault in faults:
        async with proxied(redis_url) as (proxy, url), line(url) as taken:
            assert await taken.exchange(PING, 1, SECONDS) == [b"PONG"]
            proxy.order(fault)
            with pytest.raises(LostError):
                await taken.exchange(PING, 1, SECONDS)
            assert taken.lost
            with pytest.raises(LostError):
                await taken.exchange(PING, 1, SECONDS)


async def test_a_server_that_ends_is_noticed_while_nobody_asks(redis_url: str) -> None:
    async with proxied(redis_url) as (proxy, url), line(url) as taken:
        await taken.exchange(PING, 1, SECONDS)
        proxy.close()
        for _ in range(1000):
            await asyncio.sleep(0.01)
            if taken.lost:
                return
    raise AssertionError("nothing was noticed")


async def test_silence_has_an_end(redis_url: str) -> None:
    async with proxied(redis_url) as (proxy, url), line(url) as taken:
        proxy.order("silence")
        with pytest.raises(LateError):
            await taken.exchange(PING, 1, 0.1)


async def test_what_is_no_answer_is_not_taken_for_one(redis_url: str) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(65536):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n" if begun.is_set() else b"+OK\r\n" * 2)

    begun = asyncio.Event()
    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    async with line(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}") as taken:
        begun.set()
        with pytest.raises(LostError):
            await taken.exchange(PING, 1, SECONDS)
        await asyncio.sleep(0.1)
        assert taken.lost
    server.close()
