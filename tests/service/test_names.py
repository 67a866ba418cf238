"""What a name may be made of."""

import pytest

from service.accounts.names import clean


@pytest.mark.parametrize(
    ("given", "kept"),
    [("Ada", "Ada"), ("  Ada L. ", "Ada L."), ("Łukasz", "Łukasz"), ("名前", "名前"), ("x\u200dy", "x\u200dy")],
)
def test_a_name_is_kept_without_outer_blanks(given: str, kept: str) -> None:
    assert clean(given) == kept


@pytest.mark.parametrize(
    "given", ["", "   ", "\u200b", "\u00a0Ada", "Ada\n", "A\u0000a", "A\u009ba", "A\u202ea", "\u2800", "A\u2028a"]
)
def test_what_shows_nothing_or_controls_is_no_name(given: str) -> None:
    assert clean(given) is None
