"""Whether this process was told that it will end soon, and that new requests should go to others."""

import signal
import threading
from typing import Final

DRAIN_SIGNAL: Final = signal.SIGUSR1
_told: Final = threading.Event()


def listen() -> None:
    """Take the signal from now on. For the main thread."""
    signal.signal(DRAIN_SIGNAL, lambda _number, _frame: _told.set())


def draining() -> bool:
    """Whether the signal came."""
    return _told.is_set()
