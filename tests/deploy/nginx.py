"""Debian's nginx on this machine, run by the tests with `deploy/nginx.conf` on loopback, apart from any other."""

import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psutil
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ROOT: Final = Path(__file__).parent.parent.parent
_UNPACKED: Final = ROOT / ".venv" / "nginx" / "usr" / "sbin" / "nginx"
"""Where `make test` puts it if the machine has none."""
_START_SECONDS: Final = 20.0
_WHOLE: Final = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log info;
worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    include {folder}/blattwerk.conf;
}}
"""


def program() -> str | None:
    """Return the path of nginx, None if there is none on this machine."""
    found = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin:/opt/homebrew/bin")
    return found or (str(_UNPACKED) if _UNPACKED.exists() else None)


@contextmanager
def nginx(folder: Path, *services: int, **shorter: str) -> Iterator["Proxy"]:
    """Run nginx in front of services on these ports; the times in `shorter` replace those of the configuration."""
    port = _free_port()
    _certify(folder)
    conf = (ROOT / "deploy" / "nginx.conf").read_text()
    for before, after in {
        "server 127.0.0.1:8000 max_fails=0;": " ".join(f"server 127.0.0.1:{port} max_fails=0;" for port in services),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/certs/cards.example.pem": str(folder / "certificate.pem"),
        "/etc/ssl/private/cards.example.key": str(folder / "key.pem"),
        **{f"    {name} {_seconds(conf, name)}s;": f"    {name} {time_};" for name, time_ in shorter.items()},
    }.items():
        assert conf.count(before) == 1, before
        conf = conf.replace(before, after)
    (folder / "blattwerk.conf").write_text(conf)
    (folder / "nginx.conf").write_text(_WHOLE.format(folder=folder))
    command = [str(program()), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with subprocess.Popen(command) as process:
        try:
            _wait(process, port, folder)
            yield Proxy(port, folder, process.pid)
        finally:
            process.terminate()


class Proxy:
    """An nginx that answers."""

    def __init__(self, port: int, folder: Path, pid: int) -> None:
        self.port = port
        self._pid = pid
        self.certificate = folder / "certificate.pem"

    def memory(self) -> int:
        """Bytes that it holds."""
        return int(psutil.Process(self._pid).memory_info().rss)

    def connected(self, *protocols: str, address: str = "127.0.0.1") -> ssl.SSLSocket:
        """Return an encrypted connection to it, from this address, that speaks one of these protocols."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=15, source_address=(address, 0))
        return context.wrap_socket(plain, server_hostname="cards.example")


def _seconds(conf: str, name: str) -> str:
    """The time that the configuration gives something."""
    (seconds,) = re.findall(rf"^    {name} (\d+)s;", conf, re.MULTILINE)
    return str(seconds)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _certify(folder: Path) -> None:
    """Write a certificate for cards.example that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "cards.example")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("cards.example")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)


def _wait(process: "subprocess.Popen[bytes]", port: int, folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            ended = process.poll() is not None or time.monotonic() > deadline
            assert not ended, (folder / "error.log").read_text()
            time.sleep(0.05)
        else:
            return
