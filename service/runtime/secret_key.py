"""The secret key of a service with embedded servers: generated once, kept in the data folder, readable only by its
owner."""

import os
import secrets
from pathlib import Path

from service.runtime.settings import SettingsError


def kept_key(data_folder: Path) -> str:
    """Return the key of a data folder, 64 hexadecimal digits; it is generated if there is none.

    The folder must exist and be locked, so that no two processes generate one.
    """
    file = data_folder / "secret-key"
    if not file.exists():
        _make(file)
    status = file.stat()
    if status.st_mode & 0o077:
        raise SettingsError(f"{file} can be read by others; it is a secret: chmod 600")
    key = file.read_text(encoding="ascii").strip()
    try:
        complete = len(bytes.fromhex(key)) == 32
    except ValueError:
        complete = False
    if not complete:
        raise SettingsError(f"{file} does not hold a key of 64 hexadecimal digits")
    return key


def _make(file: Path) -> None:
    """Write a new key, completely or not at all."""
    draft = file.with_name("secret-key.new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(secrets.token_hex(32) + "\n")
        opened.flush()
        os.fsync(opened.fileno())
    draft.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)
