"""The settings of the service, from the environment: `BLATTWERK_` and the name of a field in capitals.

A wrong value gives one message with the variable's name and what may be given. Values of secrets appear
nowhere: not in a message, not in `repr`, not in what `blattwerk settings` prints.
"""

import os
from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from service.runtime.limits import read_change

PREFIX: Final = "BLATTWERK_"


class SettingsError(Exception):
    """Settings are wrong; the message has one line for each of them."""


class Secret:
    """A text that is shown only by `reveal`: never in `repr`, logs or messages."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(not shown)"


class Settings(Struct, frozen=True, kw_only=True):
    """All settings of one process. Fields are what the environment says; properties what follows from it."""

    database_url: Secret | None = None
    redis_url: Secret | None = None
    data_dir: Path = Path(".data")
    secret_key: Secret | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1
    database_connections: int = 8
    public_url: str = ""
    problem_base_url: str = ""
    cors_origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    log_level: str = "info"
    log_format: str = "auto"
    cache_tables: int = 2000
    drain_seconds: int = 2
    shutdown_seconds: int = 20
    body_seconds: int = 15
    unread_seconds: int = 30
    requests_max: int = 256
    bot_milliseconds: int = 300

    @property
    def embedded(self) -> bool:
        """Whether the service brings its own servers."""
        return self.database_url is None

    @property
    def database_dsn(self) -> str:
        """The address of the database; `SettingsError` if it is not known yet."""
        return _known(self.database_url, "database_url")

    @property
    def redis_dsn(self) -> str:
        """The address of Redis; `SettingsError` if it is not known yet."""
        return _known(self.redis_url, "redis_url")

    @property
    def key_bytes(self) -> bytes:
        """The secret key, 32 bytes; `SettingsError` if it is not known yet."""
        return bytes.fromhex(_known(self.secret_key, "secret_key"))

    @property
    def base_url(self) -> str:
        """The address that clients use."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The name under which heads are signed: the address that clients use, without its scheme."""
        return self.base_url.split("://", 1)[1]

    def with_servers(self, database_url: str, redis_url: str, key: str) -> "Settings":
        """Return these settings with the addresses of running servers, and with `key` if none was given."""
        secret_key = self.secret_key or Secret(key)
        return replace(self, database_url=Secret(database_url), redis_url=Secret(redis_url), secret_key=secret_key)

    def environment(self) -> dict[str, str]:
        """Return the variables from which another process reads these settings. They hold the secrets."""
        written = {variable(name): _written(getattr(self, name)) for name in FIELDS}
        return {name: text for name, text in written.items() if text}


# --- what may be given -----------------------------------------------------------------------------


class Field(NamedTuple):
    """One setting: how it is read (`ValueError` if it cannot be), what may be given, what it is for."""

    read: Callable[[str], Any]
    wants: str
    purpose: str


def _address(*schemes: str) -> Callable[[str], Secret]:
    def read(text: str) -> Secret:
        _require(urlsplit(text).scheme in schemes)
        return Secret(text)

    return read


def _key(text: str) -> Secret:
    _require(len(bytes.fromhex(text)) == 32)
    return Secret(text)


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        _require(text.isascii() and text.isdigit() and least <= int(text) <= most)
        return int(text)

    return read


def _one_of(*words: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        _require(text in words)
        return text

    return read


def _some(text: str) -> str:
    _require(bool(text.strip()))
    return text.strip()


def _base_url(text: str) -> str:
    parts = urlsplit(text)
    _require(parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query and not parts.fragment)
    return text.rstrip("/")


def _origin(text: str) -> str:
    _require(_base_url(text) == text and not urlsplit(text).path)
    return text


def _network(text: str) -> str:
    ip_network(text)
    return text


def _list_of(read: Callable[[str], str]) -> Callable[[str], tuple[str, ...]]:
    return lambda text: tuple(read(word.strip()) for word in text.split(",") if word.strip())


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


FIELDS: Final[dict[str, Field]] = {
    "database_url": Field(
        _address("postgresql", "postgres"),
        "an address such as postgresql://user:password@host/database",
        "PostgreSQL; if not given, an embedded one is started",
    ),
    "redis_url": Field(
        _address("redis", "rediss", "unix"),
        "an address such as redis://host:6379/0",
        "Redis; required if the database is given, and only then",
    ),
    "data_dir": Field(lambda text: Path(_some(text)), "a path", "data of the embedded servers, and the secret key"),
    "secret_key": Field(
        _key,
        "64 hexadecimal digits, the same for every process",
        "what signing keys are derived from; with embedded servers it is generated once and kept in the data folder",
    ),
    "host": Field(_some, "a name or an address of this machine", "address to listen on"),
    "port": Field(_number(0, 65535), "a number from 0 to 65535", "port to listen on; 0 for any free one"),
    "processes": Field(_number(1, 256), "a number from 1 to 256", "number of API processes"),
    "database_connections": Field(
        _number(2, 1000), "a number from 2 to 1000", "number of database connections of each process"
    ),
    "public_url": Field(
        _base_url,
        "an http or https address without query",
        "address that clients use, and the name in signatures; host and port if not given",
    ),
    "problem_base_url": Field(
        _base_url,
        "an http or https address without query",
        "prefix of problem types; if not given, they are relative",
    ),
    "cors_origins": Field(
        _list_of(_origin),
        "origins such as https://app.example, separated by commas",
        "web origins that may use the API",
    ),
    "trusted_proxies": Field(
        _list_of(_network),
        "addresses or networks such as 10.0.0.0/8, separated by commas",
        "proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted",
    ),
    "limits": Field(
        _list_of(read_change),
        "limits such as moves=30/10 (so many in so many seconds) or tokens=20 (at once), separated by commas",
        "limits of what one caller may do that differ from the defaults; the contract lists them",
    ),
    "log_level": Field(
        _one_of("debug", "info", "warning", "error"), "debug, info, warning or error", "lowest level that is logged"
    ),
    "log_format": Field(
        _one_of("auto", "json", "text"),
        "auto, json or text",
        "format of log lines; auto is text on a terminal and JSON otherwise",
    ),
    "cache_tables": Field(
        _number(1, 1_000_000), "a number from 1 to 1000000", "number of tables that each process keeps in memory"
    ),
    "drain_seconds": Field(
        _number(0, 600), "a number from 0 to 600", "seconds from the signal to stop until new connections are refused"
    ),
    "shutdown_seconds": Field(
        _number(1, 600), "a number from 1 to 600", "seconds that requests under way get when the service stops"
    ),
    "body_seconds": Field(
        _number(1, 600), "a number from 1 to 600", "seconds within which a request's body has to arrive"
    ),
    "unread_seconds": Field(
        _number(1, 600),
        "a number from 1 to 600",
        "seconds that a long response waits for its reader to go on reading",
    ),
    "requests_max": Field(
        _number(1, 100_000),
        "a number from 1 to 100000",
        "most requests that each API process works on at the same time; further ones are refused with 503",
    ),
    "bot_milliseconds": Field(
        _number(1, 60_000),
        "a number from 1 to 60000; below 300 for tests alone",
        "pause of a bot before its move, so that its time does not tell how hard the choice was; up to half is added",
    ),
}
"""The fields of `Settings`, in its order."""


def load_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of an environment, or raise `SettingsError`. An empty variable counts as not given."""
    given = {name: text for name, text in environment.items() if name.startswith(PREFIX) and text}
    wrong = [
        f"{name} is not a setting; `blattwerk settings` lists them"
        for name in sorted(given)
        if name.removeprefix(PREFIX).lower() not in FIELDS
    ]
    values: dict[str, Any] = {}
    for name, field in FIELDS.items():
        if variable(name) in given:
            try:
                values[name] = field.read(given[variable(name)])
            except ValueError:
                wrong.append(f"{variable(name)} must be {field.wants}")
    wrong = wrong or _missing(values)
    if wrong:
        raise SettingsError("\n".join(wrong))
    return Settings(**values)


def _missing(values: Mapping[str, Any]) -> list[str]:
    """Servers of one's own go together, and with them the key, which has no data folder to be kept in."""
    together = ("database_url", "redis_url")
    given = [name for name in together if name in values]
    needed = [name for name in (*together, "secret_key") if given and name not in values]
    return [f"{variable(name)} must be {FIELDS[name].wants}, since {variable(given[0])} is given" for name in needed]


def variable(name: str) -> str:
    """Return the environment variable of a field."""
    return PREFIX + name.upper()


class Line(NamedTuple):
    """One setting as it is listed, without its secret."""

    variable: str
    value: str
    purpose: str


def listed(settings: Settings) -> list[Line]:
    """Return all settings for people to read."""
    lines = []
    for name, field in FIELDS.items():
        value = getattr(settings, name)
        lines.append(
            Line(variable(name), "(not shown)" if isinstance(value, Secret) else _written(value), field.purpose)
        )
    return lines


def _written(value: object) -> str:
    match value:
        case None:
            return ""
        case Secret():
            return value.reveal()
        case tuple():
            return ",".join(value)
        case _:
            return str(value)


def _known(value: Secret | None, name: str) -> str:
    if value is None:
        raise SettingsError(f"{variable(name)} is not given, and no embedded servers run")
    return value.reveal()
