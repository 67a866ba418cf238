"""What a name may be made of."""

import re
import sys
import unicodedata

import pytest

from service.accounts.names import NAME_PATTERN, clean

EVERY_CHARACTER = [chr(number) for number in range(sys.maxunicode + 1)]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        ("  Ada L. ", "Ada L."),
        ("Łukasz", "Łukasz"),
        ("名前", "名前"),
        ("山田\u3000花", "山田\u3000花"),
        ("x\u200dy", "x\u200dy"),
        ("e\u0301", "e\u0301"),
        ("\u2764\ufe0f", "\u2764\ufe0f"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    ],
)
def test_a_name_is_kept_without_outer_blanks(given: str, kept: str) -> None:
    assert clean(given) == kept


@pytest.mark.parametrize(
    "given", ["", "   ", "\u200b", "\u00a0Ada", "Ada\n", "A\u0000a", "A\u009ba", "A\u202ea", "\u2800", "A\u2028a"]
)
def test_what_shows_nothing_or_controls_is_no_name(given: str) -> None:
    assert clean(given) is None


@pytest.mark.parametrize(
    "first",
    ["\U000e0020", "\U000e0100", "\U0001d159", "\u0301", "\u200d", "\u3164", "\U00013441", "\U0001d173", "\ue000"],
)
def test_a_name_begins_with_a_visible_character_in_all_planes(first: str) -> None:
    assert clean(first) is None
    assert clean(f"{first}Ada") is None
    assert clean(f"  {first}Ada") is None


def test_marks_spaces_and_joiners_stand_only_behind_a_visible_character() -> None:
    for one in EVERY_CHARACTER:
        category = unicodedata.category(one)
        if category[0] in "MZC":
            assert clean(one) is None, hex(ord(one))
        behind = category[0] in "LMNPS" or category == "Zs" or one in "\u200c\u200d"
        assert (clean(f"A{one}a") is not None) == behind, hex(ord(one))


def test_what_matches_the_pattern_of_the_contract_is_a_name() -> None:
    pattern = re.compile(NAME_PATTERN)
    firsts = [one for one in EVERY_CHARACTER if pattern.fullmatch(one)]
    others = [one for one in EVERY_CHARACTER if pattern.fullmatch(f"A{one}")]
    assert len(others) > len(firsts) > 30_000
    assert all(clean(one) == one for one in firsts)
    assert all(clean(f"A{one}") == f"A{one}".rstrip() for one in others)
