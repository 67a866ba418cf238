"""The data folder: one service at a time, its sockets, and the note of what runs in it."""

import fcntl
import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from service.embedded.account import Account, EmbeddedServersError, give

SOCKET_PATH_BYTES_MAX: Final = 107
"""The longest path of a socket that Linux takes."""
_LONGEST_SOCKET_NAME: Final = ".s.PGSQL.5432"
_STOP_SECONDS: Final = 30.0


class DataFolderError(EmbeddedServersError):
    """The data folder cannot be used: another service or another account has it, or another version made it."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the data folder for this process alone; `DataFolderError` if another one holds it.

    The operating system lets go of it when the process ends, however it ends.
    """
    try:
        folder.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise DataFolderError(f"the data folder {folder} cannot be used: {error.strerror}") from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(file, 20, 0).decode() or "unknown"
            message = f"the data folder {folder} is in use by another service (process {holder})"
            raise DataFolderError(message) from error
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def is_held(folder: Path) -> bool:
    """Whether some process holds the folder now."""
    try:
        file = os.open(folder / "lock", os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


@contextmanager
def socket_folder(folder: Path, account: Account | None) -> Iterator[Path]:
    """A folder for sockets that only the servers' account may enter: `run`, or a short one elsewhere.

    Elsewhere is needed if the path is too long for a socket or the account cannot reach the data folder.
    """
    run = folder / "run"
    fits = len(os.fsencode(run / _LONGEST_SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX
    if fits and (account is None or account.can_enter(folder)):
        run.mkdir(mode=0o700, exist_ok=True)
        give(run, account)
        yield run
        return
    with tempfile.TemporaryDirectory(prefix="blattwerk-", dir=_short_folder(account)) as short:
        give(Path(short), account)
        yield Path(short)


def _short_folder(account: Account | None) -> Path:
    for folder in (Path(tempfile.gettempdir()), Path("/tmp"), Path("/run")):  # noqa: S108
        fits = len(os.fsencode(folder)) + 40 <= SOCKET_PATH_BYTES_MAX
        if fits and folder.is_dir() and os.access(folder, os.W_OK) and (account is None or account.can_enter(folder)):
            return folder
    raise EmbeddedServersError("no folder with a path short enough for sockets; set TMPDIR to one")


def write_note(folder: Path, note: dict[str, str | int]) -> None:
    """Write down what runs in the folder."""
    draft = folder / "servers.json.new"
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(note))
    draft.replace(folder / "servers.json")


def read_note(folder: Path) -> dict[str, str | int]:
    """Return what was written down last; empty if nothing is."""
    try:
        note = json.loads((folder / "servers.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return note if isinstance(note, dict) else {}


def remove_note(folder: Path) -> None:
    """Forget what runs in the folder."""
    (folder / "servers.json").unlink(missing_ok=True)


def stop_leftovers(folder: Path) -> None:
    """Stop servers that outlived the service which started them in this folder, and remove their sockets.

    A process is ours only if it works inside the folder; a number that was taken by another one is left alone.
    """
    note = read_note(folder)
    leftovers = [pid for pid in (note.get("postgres"), note.get("redis")) if isinstance(pid, int)]
    deadline = time.monotonic() + _STOP_SECONDS
    for pid in leftovers:
        if _works_inside(pid, folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
    while any(_works_inside(pid, folder) for pid in leftovers):
        if time.monotonic() > deadline:
            raise DataFolderError(f"servers of an earlier run still use the data folder {folder}: {leftovers}")
        time.sleep(0.02)
    sockets = Path(str(note.get("sockets", "")))
    if sockets.name.startswith("blattwerk-"):
        shutil.rmtree(sockets, ignore_errors=True)
    remove_note(folder)


def _works_inside(pid: int, folder: Path) -> bool:
    try:
        return Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(folder)
    except (FileNotFoundError, PermissionError, ProcessLookupError):
        return False
