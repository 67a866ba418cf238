"""What digests of forms depend on: how values are written, and nothing that is said of them."""

from typing import Annotated

import pytest
from msgspec import Meta, Struct, field

from domain.form import form_digest


class Plain(Struct, tag="plain", tag_field="type"):
    title: str
    points: tuple[int, ...]
    card: str | None = None


class Explained(Struct, tag="plain", tag_field="type"):
    """The same, explained and limited."""

    title: Annotated[str, Meta(title="Title", description="A title.", examples=["Ada"], max_length=40)]
    points: tuple[Annotated[int, Meta(ge=0, le=26, extra_json_schema={"x-unit": "points"})], ...]
    card: Annotated[str, Meta(pattern="^[QK]S$")] | None = None


class OtherField(Struct, tag="plain", tag_field="type"):
    description: str
    points: tuple[int, ...]
    card: str | None = None


class OtherName(Struct, tag="plain", tag_field="type"):
    title: str
    points: tuple[int, ...]
    card: str | None = field(default=None, name="face")


class OtherType(Struct, tag="plain", tag_field="type"):
    title: str
    points: tuple[float, ...]
    card: str | None = None


class OtherTag(Struct, tag="other", tag_field="type"):
    title: str
    points: tuple[int, ...]
    card: str | None = None


def digest(type_: type[Struct]) -> str:
    type_.__name__ = "Same"
    return form_digest(type_)


def test_words_and_limits_change_no_digest() -> None:
    assert digest(Explained) == digest(Plain)


@pytest.mark.parametrize("other", [OtherField, OtherName, OtherType, OtherTag])
def test_another_form_has_another_digest(other: type[Struct]) -> None:
    assert digest(other) != digest(Plain)


def test_what_is_made_of_one_form_in_another_way_has_another_digest() -> None:
    assert form_digest(Plain, evidence=1) != form_digest(Plain, evidence=2)
