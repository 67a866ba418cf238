"""Catalogues of translations (gettext), and which of them a caller wants (`Accept-Language`).

The English text is the key of every entry, so English needs no catalogue. `de.po` is read as it is: Babel parses it
once when the service starts, and nothing has to be compiled.
"""

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from service.languages.message import Message

Language: TypeAlias = Literal["en", "de"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "de")
"""All languages, the one first that is spoken to who asks for none of them."""
ACCEPT_LENGTH_MAX: Final = 1000
"""No browser and no phone sends a longer `Accept-Language`. For the language of a problem it counts as none."""
_RANGE: Final = re.compile(r"([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.[0-9]{0,3})?))?")


@cache
def catalogue(language: Language) -> Catalog:
    """Return the entries of a language by their English texts; none for English."""
    if language == "en":
        return Catalog(locale="en")
    with files("service.languages").joinpath(f"{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def translated(text: str, language: Language) -> str:
    """Return a text in a language; in English if the catalogue does not have it."""
    if language == "en":
        return str(text)
    template = text.template if isinstance(text, Message) else text
    entry = catalogue(language).get(template)
    wording = str(entry.string) if entry is not None and entry.string else template
    if not isinstance(text, Message) or not text.values:
        return wording
    return wording.format(**{name: _value(value, language) for name, value in text.values.items()})


def _value(value: Any, language: Language) -> Any:
    return translated(value, language) if isinstance(value, str) else value


@lru_cache(maxsize=256)
def preferred(accept_language: str | None) -> Language:
    """Return the language to answer in, by RFC 9110 and the lookup of RFC 4647.

    `de-AT` and `de` ask for German, `*` for whatever is not named. The highest weight wins, of equal ones what is
    named first, English if nothing fits or the header is malformed.
    """
    if not accept_language or len(accept_language) > ACCEPT_LENGTH_MAX:
        return LANGUAGES[0]
    weights: dict[str, float] = {}
    for entry in accept_language.split(","):
        match = _RANGE.fullmatch(entry.strip(" \t"))
        if match is not None:
            name = match[1].partition("-")[0].lower()
            weights[name] = max(weights.get(name, 0.0), min(float(match[2] or 1), 1.0))
    order = [name for name in weights if name in LANGUAGES]
    known = sorted(LANGUAGES, key=lambda language: order.index(language) if language in order else len(order))
    best = max(known, key=lambda language: weights.get(language, weights.get("*", 0.0)))
    return best if weights.get(best, weights.get("*", 0.0)) > 0 else LANGUAGES[0]
