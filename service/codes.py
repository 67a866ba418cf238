"""Codes that people read, say and type: their letters, how they are made and shown, what counts as the same code."""

import secrets
import unicodedata
from typing import Final

ALPHABET: Final = "0123456789BCDFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32 without the vowels, which make words: 30 signs, 4.9 bits each."""
_LOOKALIKES: Final = str.maketrans("OILU", "011V")
_IGNORED: Final = ("Zs", "Pd")
"""Categories of characters that nobody means: spaces and dashes."""
PATTERN_OF_SIGN: Final = "[0-9B-DF-HJKMNP-TV-Z]"


class Shape:
    """How long a kind of code is, and in which groups it is shown."""

    def __init__(self, groups: int, group: int) -> None:
        self._group = group
        self.length = groups * group
        self.pattern = f"^{PATTERN_OF_SIGN}{{{group}}}(-{PATTERN_OF_SIGN}{{{group}}}){{{groups - 1}}}$"
        """Of the code as it is shown."""
        self.shown_length = self.length + groups - 1

    def random(self) -> str:
        """Return a new code that nobody can guess."""
        return "".join(secrets.choice(ALPHABET) for _ in range(self.length))

    def from_bytes(self, secret: bytes) -> str:
        """Return the code that follows from 32 secret bytes."""
        number, signs = int.from_bytes(secret, "big"), ""
        for _ in range(self.length):
            number, sign = divmod(number, len(ALPHABET))
            signs += ALPHABET[sign]
        return signs

    def shown(self, code: str) -> str:
        """Return a code in groups."""
        return "-".join(code[place : place + self._group] for place in range(0, len(code), self._group))


JOIN: Final = Shape(2, 4)
"""39.3 bits, until the match starts."""
WATCH: Final = Shape(3, 4)
"""58.9 bits, until it is replaced or withdrawn."""
RECOVERY: Final = Shape(5, 5)
"""122.7 bits: nobody finds one by trying, however long."""
TRANSFER: Final = Shape(3, 4)
"""58.9 bits, for ten minutes."""


def read(given: str) -> str:
    """Return the code that somebody typed, in any case, with any spaces and dashes, and O for 0 or I and L for 1."""
    signs = [sign for sign in given if unicodedata.category(sign) not in _IGNORED]
    return "".join(signs).upper().translate(_LOOKALIKES)
