"""Fair deals, version `bw1`: commitment, match key, shuffles, draws, seals and the hash chain.

H is SHA-256, M is HMAC-SHA-256, integers are big-endian. Everything here is a pure function of its
arguments; the secret comes from the operating system and is drawn outside.
"""

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from domain.cards import Card

SERVER_VIEWER: Final = 255
"""The viewer number of parts that only the server may read."""

_WORDS: Final = struct.Struct(">8I")
_LIMIT: Final = 2**32
_SALT: Final = struct.Struct(">9sIB")
_HMAC_BLOCK: Final = 64


def commitment(table: bytes, secret: bytes) -> bytes:
    """Return C, published in the first event: it binds the server to `secret` (32 bytes)."""
    return hashlib.sha256(b"bw1/commit\0" + table + secret).digest()


def match_key(table: bytes, secret: bytes, rules_id: str, seeds: Sequence[bytes | None]) -> bytes:
    """Return K, fixed at the start of the match from the secret and the seats' client seeds."""
    message = b"bw1/deal\0" + table + hashlib.sha256(rules_id.encode("ascii")).digest() + bytes([len(seeds)])
    for seed in seeds:
        message += b"\0" + bytes(32) if seed is None else b"\1" + seed
    return hmac.digest(secret, message, "sha256")


def shuffle_key(key: bytes, round_number: int, shuffle_number: int) -> bytes:
    """Return the key of shuffle `shuffle_number` (from 0) of round `round_number` (from 1)."""
    message = b"bw1/shuffle\0" + struct.pack(">II", round_number, shuffle_number)
    return hmac.digest(key, message, "sha256")


def draw_key(key: bytes, name: str) -> bytes:
    """Return the key of a named single draw."""
    return hmac.digest(key, b"bw1/draw\0" + name.encode("ascii"), "sha256")


def block(key: bytes, number: int) -> bytes:
    """Return block `number` (from 0) of the stream of a key: 32 bytes."""
    return hmac.digest(key, b"bw1/block\0" + struct.pack(">I", number), "sha256")


def _words(key: bytes) -> Iterator[int]:
    number = 0
    while True:
        yield from _WORDS.unpack(block(key, number))
        number += 1


def uniform_from(key: bytes) -> Callable[[int], int]:
    """Return a function `uniform(n)` that takes the next unbiased value in 0..n-1 from the key."""
    words = _words(key)

    def uniform(n: int) -> int:
        bound = _LIMIT - _LIMIT % n
        word = next(words)
        while word >= bound:
            word = next(words)
        return word % n

    return uniform


def shuffled(key: bytes, cards: Sequence[Card]) -> tuple[Card, ...]:
    """Return `cards` permuted by Fisher-Yates from the last place down, driven by the key."""
    uniform = uniform_from(key)
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = uniform(last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


class MatchChance:
    """The `Chance` of one match: every shuffle and draw follows from its key."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        return shuffled(shuffle_key(self._key, round_number, shuffle_number), cards)

    def draw(self, name: str, n: int) -> int:
        return uniform_from(draw_key(self._key, name))(n)


class Salts:
    """The salts of one table: `M(secret, ...)` with the key schedule of HMAC kept.

    Every event needs one for each viewer, and hashing the padded key again for each costs four times
    as much as the salt itself.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, secret: bytes) -> None:
        padded = secret + bytes(_HMAC_BLOCK - len(secret))
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))

    def salt(self, version: int, viewer: int) -> bytes:
        """Return the salt of the part of `version` that `viewer` (a seat, or 255) may read."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(_SALT.pack(b"bw1/salt\0", version, viewer))
        outer.update(inner.digest())
        return outer.digest()

    def seals(self, version: int, parts: Sequence[bytes]) -> tuple[str, ...]:
        """Return the seals of an event's parts, in hex: one for each seat in order and the server's last."""
        viewers = (*range(len(parts) - 1), SERVER_VIEWER)
        return tuple(
            [seal(self.salt(version, viewer), part).hex() for viewer, part in zip(viewers, parts, strict=True)]
        )


def seal(salt_of_part: bytes, part: bytes) -> bytes:
    """Return the hash commitment to a hidden part of an event."""
    return hashlib.sha256(b"bw1/seal\0" + salt_of_part + part).digest()


def genesis(table: bytes, rules_id: str) -> bytes:
    """Return hash_0, the start of a table's chain."""
    return hashlib.sha256(b"bw1/genesis\0" + table + hashlib.sha256(rules_id.encode("ascii")).digest()).digest()


def link(previous: bytes, envelope: bytes) -> bytes:
    """Return hash_v from hash_(v-1) and the exact bytes of the envelope."""
    return hashlib.sha256(b"bw1/event\0" + previous + envelope).digest()
