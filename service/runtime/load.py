"""How many requests a process works on at the same time, and whether there is room for one more."""

import time
from typing import Final

_SLOW_SECONDS: Final = 0.5
_LESS_ROOM: Final = 9
"""What a slow answer takes from the room, to which a quick one adds 1: it settles where one of ten answers is slow."""
_ROOM_MIN: Final = 32
"""There is so much room however slow answers are: those that wait for a lock say nothing about the machine."""
_BODY_SECONDS: Final = 0.25
"""How long a request may wait for its body and be counted."""


class Load:
    """The requests in work, of which there are at most so many, and fewer while answers are slow. One per process.

    Whose body takes long to arrive is not counted meanwhile, or a few slow senders would keep out everybody else.
    """

    def __init__(self, requests_max: int) -> None:
        self._room_max = requests_max
        self._room_min = min(_ROOM_MIN, requests_max)
        self.room = requests_max
        """How many requests may be in work."""
        self.in_work = 0
        self.refused = 0
        """How many requests found no room."""
        self._waiting: dict[object, float] = {}
        """The requests that are counted while they wait for their bodies, and since when: the longest first."""

    def enter(self) -> bool:
        """Count one more request; False if there is no room for it."""
        if self.in_work >= self.room:
            self._leave_out_slow_bodies()
            if self.in_work >= self.room:
                self.refused += 1
                return False
        self.in_work += 1
        return True

    def leave(self, seconds: float) -> None:
        """Count a request no more, which was answered after so many seconds."""
        self.in_work -= 1
        if seconds > _SLOW_SECONDS:
            self.room = max(self._room_min, self.room - _LESS_ROOM)
        elif self.room < self._room_max:
            self.room += 1

    def body_begins(self) -> object:
        """Note that a request waits for its body; return what stands for it."""
        waiting = object()
        self._waiting[waiting] = time.monotonic()
        return waiting

    def body_ends(self, waiting: object) -> bool:
        """Note that the body is complete, or will not be; False if its request was left out and finds no room now."""
        if self._waiting.pop(waiting, None) is not None:
            return True
        has_room = self.in_work < self.room
        self.in_work += 1  # in any case: it leaves once
        self.refused += not has_room
        return has_room

    def _leave_out_slow_bodies(self) -> None:
        late = time.monotonic() - _BODY_SECONDS
        while self._waiting:
            waiting, since = next(iter(self._waiting.items()))
            if since > late:
                return
            del self._waiting[waiting]
            self.in_work -= 1
