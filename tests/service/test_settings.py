"""Settings: typed, one message for each wrong value, no secret anywhere."""

from pathlib import Path

import msgspec
import pytest

from service.runtime.secret_key import kept_key
from service.runtime.settings import FIELDS, Settings, SettingsError, listed, load_settings, variable

KEY = "5a" * 32
SERVERS = {
    "BLATTWERK_DATABASE_URL": "postgresql://blattwerk:hunter2@db.example/blattwerk",
    "BLATTWERK_REDIS_URL": "rediss://:hunter3@redis.example:6380/0",
    "BLATTWERK_SECRET_KEY": KEY,
}
WRONG = {
    "database_url": ["mysql://user:hunter2@host/db", "hunter2"],
    "redis_url": ["http://hunter2"],
    "data_dir": [" "],
    "secret_key": ["hunter2", "5a" * 31, "5a" * 33, "zz" * 32],
    "host": [" "],
    "port": ["-1", "65536", "8000.0", "eight", "1_000", "٣"],
    "processes": ["0", "257", "all"],
    "database_connections": ["1", "1001", "all"],
    "public_url": ["cards.example", "ftp://cards.example", "https://", "https://cards.example/?a=1"],
    "problem_base_url": ["/problems"],
    "cors_origins": ["*", "https://app.example/path", "https://app.example,app.example"],
    "trusted_proxies": ["proxy.example", "10.0.0.1/8"],
    "limits": ["moves", "moves=30", "moves=0/10", "moves=30/0", "tokens=20/10", "tokens=-1", "cards=30/10"],
    "log_level": ["INFO", "loud"],
    "log_format": ["xml"],
    "cache_tables": ["0", "many"],
    "drain_seconds": ["-1", "601"],
    "shutdown_seconds": ["0", "601"],
    "body_seconds": ["0", "601"],
    "unread_seconds": ["0", "601"],
    "requests_max": ["0", "100001"],
    "bot_milliseconds": ["0", "60001", "0.3", "-1"],
}


def test_every_setting_has_a_reader_and_examples_of_wrong_values() -> None:
    assert list(FIELDS) == list(WRONG) == [field.name for field in msgspec.structs.fields(Settings)]


def test_nothing_has_to_be_set() -> None:
    settings = load_settings({"HOME": "/home/somebody", "BLATTWERK_PORT": ""})
    assert settings == Settings()
    assert settings.embedded
    assert (settings.host, settings.port, settings.processes, settings.data_dir) == (
        "127.0.0.1",
        8000,
        1,
        Path(".data"),
    )


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in WRONG.items() for text in texts])
def test_a_wrong_value_gives_one_message_with_its_variable_and_not_itself(name: str, text: str) -> None:
    with pytest.raises(SettingsError) as wrong:
        load_settings({variable(name): text})
    assert str(wrong.value) == f"{variable(name)} must be {FIELDS[name].wants}"
    assert "hunter2" not in str(wrong.value)


def test_all_wrong_values_are_told_at_once_with_names_that_do_not_exist() -> None:
    with pytest.raises(SettingsError) as wrong:
        load_settings({"BLATTWERK_PORT": "x", "BLATTWERK_LOG_LEVEL": "x", "BLATTWERK_PROT": "80"})
    assert [line.split()[0] for line in str(wrong.value).splitlines()] == [
        "BLATTWERK_PROT",
        "BLATTWERK_PORT",
        "BLATTWERK_LOG_LEVEL",
    ]


@pytest.mark.parametrize("missing", SERVERS)
def test_servers_of_ones_own_come_together_and_with_a_key(missing: str) -> None:
    given = {name: text for name, text in SERVERS.items() if name != missing}
    with pytest.raises(SettingsError, match=f"^{missing} must be .*, since BLATTWERK_(DATABASE|REDIS)_URL is given$"):
        load_settings(given)


def test_a_key_alone_is_for_the_embedded_servers() -> None:
    settings = load_settings({"BLATTWERK_SECRET_KEY": KEY}).with_servers("postgresql://", "unix:///", "00" * 32)
    assert settings.key_bytes == bytes.fromhex(KEY)


def test_what_is_read_is_typed() -> None:
    settings = load_settings(
        SERVERS
        | {
            "BLATTWERK_PORT": "0",
            "BLATTWERK_CORS_ORIGINS": "https://app.example, http://localhost:3000",
            "BLATTWERK_TRUSTED_PROXIES": "10.0.0.0/8,::1",
            "BLATTWERK_PUBLIC_URL": "https://cards.example/api/",
        }
    )
    assert settings.database_dsn == SERVERS["BLATTWERK_DATABASE_URL"]
    assert settings.redis_dsn == SERVERS["BLATTWERK_REDIS_URL"]
    assert settings.port == 0
    assert settings.cors_origins == ("https://app.example", "http://localhost:3000")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert (settings.base_url, settings.origin) == ("https://cards.example/api", "cards.example/api")
    assert not settings.embedded


def test_another_process_reads_the_same_settings() -> None:
    settings = load_settings(SERVERS | {"BLATTWERK_CORS_ORIGINS": "https://app.example", "BLATTWERK_HOST": "::1"})
    again = load_settings(settings.environment())
    assert again.environment() == settings.environment()
    assert again.base_url == "http://[::1]:8000"


def test_secrets_are_in_no_representation_and_no_list() -> None:
    settings = load_settings(SERVERS)
    shown = repr(settings) + str(settings) + repr(listed(settings)) + f"{settings.secret_key}"
    for secret in ("hunter2", "hunter3", KEY):
        assert secret not in shown
    assert [line.value for line in listed(settings)].count("(not shown)") == 3
    assert all(line.purpose for line in listed(settings))


def test_an_address_that_is_not_known_yet_is_an_error_with_its_name() -> None:
    for name, read in (("DATABASE_URL", "database_dsn"), ("REDIS_URL", "redis_dsn"), ("SECRET_KEY", "key_bytes")):
        with pytest.raises(SettingsError, match=f"^BLATTWERK_{name} is not given"):
            getattr(Settings(), read)


def test_the_key_is_made_once_and_can_be_read_by_its_owner_only(tmp_path: Path) -> None:
    key = kept_key(tmp_path)
    assert len(bytes.fromhex(key)) == 32
    assert kept_key(tmp_path) == key
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "other").mkdir()
    assert kept_key(tmp_path / "other") != key


def test_a_key_that_others_can_read_or_that_is_damaged_is_refused_and_not_shown(tmp_path: Path) -> None:
    kept_key(tmp_path)
    file = tmp_path / "secret-key"
    file.write_text("c0ffee")
    with pytest.raises(SettingsError, match="does not hold a key") as damaged:
        kept_key(tmp_path)
    assert "c0ffee" not in str(damaged.value)
    file.chmod(0o640)
    with pytest.raises(SettingsError, match="can be read by others"):
        kept_key(tmp_path)
