"""Names of people and devices: which characters they may have.

The pattern is read by Python here and by the tools of other languages in the contract, so it uses only
what all of them know.
"""

import re
from typing import Final

_CONTROLS: Final = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"
"""Control characters, line ends, and what turns the direction of the text around it."""
_UNSEEN: Final = (
    r" \u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202f\u205f-\u2065\u206a-\u206f"
    r"\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
)
"""Characters that are invisible by themselves. Some are needed between others (joined emoji), none at the beginning."""
NAME_PATTERN: Final = rf"^ *[^{_UNSEEN}{_CONTROLS}][^{_CONTROLS}]*$"

_NAME: Final = re.compile(NAME_PATTERN)


def clean(name: str) -> str | None:
    """Return a name without surrounding blanks, None if it is not a valid name."""
    return name.strip(" ") if _NAME.fullmatch(name) else None
