"""Who the servers run as: PostgreSQL refuses to run as root, so root hands them to an account without rights.

Two things can be out of that account's reach, both when the project lies in a home folder that is closed
to others. The programs are then run from a copy in /var/cache/blattwerk. The data stays where it is: the
servers inherit the open folder and name it by its descriptor, so that no folder above has to be entered.
"""

import os
import pwd
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ACCOUNTS: Final = ("blattwerk", "postgres", "nobody")
"""Accounts that root hands the servers to: the first that exists."""
PROGRAM_CACHE: Final = Path("/var/cache/blattwerk")


class EmbeddedServersError(Exception):
    """The embedded servers cannot be had; the message is one line for the person who starts them."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the operating system."""

    name: str
    uid: int
    gid: int

    def can_enter(self, folder: Path) -> bool:
        """Whether the account may pass through a folder and all folders above it."""
        return all(self._may_pass(step.stat()) for step in (folder, *folder.parents))

    def _may_pass(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def servers_account(cluster: Path) -> Account | None:
    """Return the account to run the servers as, None to run them as ourselves.

    A cluster that exists is run by its owner.
    """
    if os.geteuid() != 0:
        return None
    if not sys.platform.startswith("linux"):
        raise EmbeddedServersError("PostgreSQL does not run as root; start the service as an ordinary user")
    names: list[str | int] = [*ACCOUNTS]
    if cluster.exists() and cluster.stat().st_uid != 0:
        names.insert(0, cluster.stat().st_uid)
    for name in names:
        try:
            entry = pwd.getpwuid(name) if isinstance(name, int) else pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedServersError(
        f"PostgreSQL does not run as root, and there is none of the accounts {', '.join(ACCOUNTS)} to run it as"
    )


def give(path: Path, account: Account | None) -> None:
    """Make a folder and all in it the account's, the folder last: if it is, all in it is."""
    if account is None or path.stat().st_uid == account.uid:
        return
    for step in (*path.rglob("*"), path):
        os.chown(step, account.uid, account.gid, follow_symlinks=False)


def is_installed(package: str) -> bool:
    """Whether a package is there. It is not imported: these packages do things when they are."""
    return find_spec(package) is not None


def program_folder(distribution: str, package: str, account: Account | None) -> Path:
    """Return the folder of an installed package with server programs, or of a copy the account can reach."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedServersError(f"{distribution} is not installed here; give the addresses of servers of your own")
    installed = Path(spec.submodule_search_locations[0]).resolve()
    if account is None or account.can_enter(installed):
        return installed
    copy = PROGRAM_CACHE / f"{distribution}-{version(distribution)}"
    if not copy.exists():
        _copy_programs(installed, copy)
    return copy / installed.name


def _copy_programs(installed: Path, copy: Path) -> None:
    """Copy a package and the libraries beside it; all of it or nothing appears, readable by everybody."""
    PROGRAM_CACHE.mkdir(mode=0o755, parents=True, exist_ok=True)
    if PROGRAM_CACHE.stat().st_uid != 0 or PROGRAM_CACHE.stat().st_mode & 0o022:
        raise EmbeddedServersError(f"others may write to {PROGRAM_CACHE}, so no program is run from there")
    with tempfile.TemporaryDirectory(dir=PROGRAM_CACHE) as draft:
        whole = Path(draft) / "whole"
        for folder in (installed, installed.with_name(f"{installed.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, whole / folder.name, ignore=shutil.ignore_patterns("include", "__pycache__"))
        for step in (whole, *whole.rglob("*")):
            step.chmod(0o755 if step.is_dir() or step.stat().st_mode & 0o100 else 0o644)
        if not copy.exists():
            whole.rename(copy)
