"""Texts in English and German: catalogues that are complete, and the choice among them (RFC 9110, RFC 4647)."""

import re

import pytest

from domain.registry import CURRENT
from service.api.decoding import explained
from service.languages.catalogues import catalogue, preferred, translated
from service.languages.message import Message
from tests.service.messages import every_message

PLACEHOLDER = re.compile(r"\{\w+\}")


def entries() -> dict[str, str]:
    return {str(entry.id): str(entry.string) for entry in catalogue("de") if entry.id}


def test_every_text_has_its_german_and_no_entry_is_left_over() -> None:
    german = entries()
    assert len(german) > 500
    assert every_message() - german.keys() == set()
    assert german.keys() - every_message() == set()
    assert [text for text, wording in german.items() if not wording] == []
    assert not any(entry.fuzzy for entry in catalogue("de") if entry.id)


def test_placeholders_agree() -> None:
    for text, wording in entries().items():
        assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(wording)), text


def test_a_message_is_translated_with_its_values() -> None:
    message = Message("has to be {type}", type=Message("a whole number"))
    assert str(message) == "has to be a whole number"
    assert translated(message, "de") == "muss eine ganze Zahl sein"
    assert translated(message, "en") == "has to be a whole number"


def test_rule_texts_keep_their_numbers_and_values() -> None:
    """Numbers in a rule are what it is about: the translation has the same ones."""
    for game in CURRENT.values():
        for rule in game.rules:
            german = translated(rule.text, "de")
            assert sorted(re.findall(r"\d+", rule.text)) == sorted(re.findall(r"\d+", german)), rule.number


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("de", "de"),
        ("DE-at", "de"),
        ("de-AT, en;q=0.8", "de"),
        ("en-GB,de;q=0.9", "en"),
        ("de;q=0.3, en;q=0.7", "en"),
        ("fr, de;q=0.2", "de"),
        ("fr", "en"),
        ("*", "en"),
        ("en;q=0, *", "de"),
        ("en;q=0, *;q=0.1", "de"),
        ("de;q=0", "en"),
        ("de;q=0, en;q=0", "en"),
        ("de, en", "de"),
        ("en, de", "en"),
        ("de ; q=0.5 , en ; q=0.4", "de"),
        ("de;q=2", "en"),
        (";;;,,,de", "de"),
        ("de," * 1000, "en"),
    ],
)
def test_the_language_follows_weights_and_ranges(header: str | None, language: str) -> None:
    assert preferred(header) == language


@pytest.mark.parametrize(
    ("message", "pointer", "words"),
    [
        ("Expected `int`, got `str` - at `$.seats`", "/seats", "has to be a whole number"),
        ("Expected `int | null`, got `str` - at `$.seats`", "/seats", "has to be a whole number or null"),
        ("Expected `int` <= 6 - at `$.seats`", "/seats", "has to be at most 6"),
        ("Expected `str` of length >= 1 - at `$.name`", "/name", "needs a length of at least 1"),
        ("Expected `array` of length <= 6 - at `$.bots[0]`", "/bots/0", "has a length of at most 6"),
        ("Expected `str` matching regex '^a$' - at `$.code`", "/code", "does not have the right form"),
        ("Object missing required field `move`", "/move", "is missing"),
        ("Object missing required field `card` - at `$.move`", "/move/card", "is missing"),
        ("Object contains unknown field `colour`", "/colour", "is not a known field"),
        ("Object contains unknown field `<b>` - at `$.move`", "/move/?", "is not a known field"),
        ("Invalid enum value 'blue' - at `$.variant`", "/variant", "is not one of the allowed values"),
        ("Invalid value 'fly' - at `$.move.type`", "/move/type", "is not one of the allowed values"),
        ("Expected `Decimal`, got `str` - at `$.x`", "/x", "is not valid"),
        ("Anything `else`", "", "is not valid"),
    ],
)
def test_what_is_wrong_is_said_without_names_of_types(message: str, pointer: str, words: str) -> None:
    assert explained(message) == (pointer, words)
