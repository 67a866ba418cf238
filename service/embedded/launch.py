"""Becomes a server: gives up root, asks to be stopped when the parent dies, then runs the program.

Run as a script of its own, without the project on the path, because nothing of this can be done safely
between fork and exec in a process that has threads.
"""

import ctypes
import os
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
"""The number of the wish to get a signal when the parent dies, in Linux's prctl(2)."""


def main(parent: int, signal_number: int, uid: int, gid: int, program: str, *arguments: str) -> None:
    """Run `program` in this process, as the account `uid` unless that is negative."""
    os.umask(0o077)
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform.startswith("linux"):  # asked for last: a change of account forgets it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal_number)
    if os.getppid() == parent:  # else it died before it was asked for
        os.execv(program, (program, *arguments))  # noqa: S606


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]), *sys.argv[5:])  # type: ignore[arg-type]
