"""The types of the API for codes of tables: joining and watching."""

from typing import Annotated

from msgspec import Meta, Struct

from service.api.types.common import TypedCode
from service.api.types.tables import ClientSeed, SeedCommitment
from service.codes import JOIN, WATCH, Shape


def _code(shape: Shape, text: str, example: str) -> Meta:
    return Meta(pattern=shape.pattern, max_length=shape.shown_length, description=text, examples=[example])


def _link(path: str, example: str) -> Meta:
    text = f"An address of this service, `/{path}`, with the code in its fragment, which browsers keep to themselves."
    return Meta(pattern=f"^https?://[^#]+/{path}#[0-9A-Z-]+$", max_length=300, description=text, examples=[example])


class JoinCode(Struct, frozen=True):
    """What lets others sit down at a table."""

    code: Annotated[str, _code(JOIN, "Join code.", "7KQ2-M9XT")]
    link: Annotated[str, _link("join", "https://cards.example/join#7KQ2-M9XT")]


class SpectatorCode(Struct, frozen=True):
    """What lets others read a private table."""

    code: Annotated[str, _code(WATCH, "Spectator code.", "4HPW-8RVD-0C1B")]
    link: Annotated[str, _link("watch", "https://cards.example/watch#4HPW-8RVD-0C1B")]


class Join(Struct, frozen=True, forbid_unknown_fields=True):
    """A join code, to sit down with."""

    code: TypedCode
    client_seed: ClientSeed = None
    seed_commitment: SeedCommitment = None


class Watch(Struct, frozen=True, forbid_unknown_fields=True):
    """A spectator code, to read a private table with."""

    code: TypedCode
