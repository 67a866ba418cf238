"""Names of people and devices: which characters they may have.

The rule is by Unicode's general categories, as this Python knows them. A name begins with a visible character: a
letter, number, punctuation mark or symbol that is not blank. After it there may be marks and spaces too, and the two
joiners that some scripts and emoji need. Controls, other format characters, line ends, surrogates, private and
unassigned characters are nowhere.
"""

import unicodedata
from typing import Final

RULE: Final = (
    "It begins with a visible character and holds no control, format, private or unassigned characters; spaces around "
    "it are dropped. The pattern is narrower than this rule: whatever matches it is accepted, and so are names in "
    "other scripts and emoji."
)
"""What the contract says of names."""
_LETTERS: Final = (
    "0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03a1\u03a3-\u03c9\u0400-\u0481\u048a-\u052f"
    "\u05d0-\u05ea\u0621-\u064a\u0e01-\u0e2e\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fef\uac00-\ud7a3"
)
NAME_PATTERN: Final = f"^[{_LETTERS}][ -~{_LETTERS}]*$"
"""Names that every tool can make: ranges of letters, which all regular expressions know; far from all names."""
_VISIBLE: Final = "LNPS"
"""First letters of the categories of characters that are seen by themselves: letters, numbers, punctuation, symbols."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffc\U00013441\U00013442\U0001d159")
"""Characters of these categories that show nothing: fillers, empty cells and notes, the place of an object."""
_JOINERS: Final = "\u200c\u200d"
_NOWHERE: Final = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")


def clean(name: str) -> str | None:
    """Return a name without surrounding spaces, None if it is not a valid name."""
    name = name.strip(" ")
    if not name or name[0] in _BLANK or unicodedata.category(name[0])[0] not in _VISIBLE:
        return None
    sound = all(one in _JOINERS or unicodedata.category(one) not in _NOWHERE for one in name)
    return name if sound else None
