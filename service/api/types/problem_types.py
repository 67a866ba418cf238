"""The types of the API for what problems mean."""

from typing import Annotated

from msgspec import Meta, Struct


class ProblemCode(Struct, frozen=True):
    """A code that a problem can have."""

    code: Annotated[str, Meta(description="Stable name in snake_case, the same for the same thing in all games.")]
    detail: Annotated[str, Meta(description="What it means, for people.")]


class ProblemTypePage(Struct, frozen=True):
    """What a type of problems means."""

    type: Annotated[str, Meta(description="The `type` of these problems, without what precedes its path.")]
    status: Annotated[int, Meta(ge=400, le=599, description="The status of the responses.")]
    title: Annotated[str, Meta(description="What all problems of the type have in common, for people.")]
    advice: Annotated[str, Meta(description="What a client does next.")]
    codes: Annotated[tuple[ProblemCode, ...], Meta(description="The codes of the type. More may be added.")]
    operations: Annotated[tuple[str, ...], Meta(description="The ids of operations that can respond so.")]
