"""What types of several areas are made of: ids, versions, times, cursors."""

from typing import Annotated

from msgspec import Meta, Struct

Id = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        max_length=36,
        description="UUID in lower case.",
        examples=["018f2b6e-7c1a-7d3e-9a44-5b6c7d8e9f01"],
    ),
]
SeatNumber = Annotated[int, Meta(ge=0, le=5, description="A position at the table, from 0, clockwise.")]
Version = Annotated[int, Meta(ge=0, le=2**31 - 1, description="Number of events of the table.")]
ReachedVersion = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Time = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Milliseconds since 1970 UTC.")]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="32 bytes in hex.")]
TypedCode = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="A code as it was typed, in any case; spaces and dashes do not count, O means 0, I and L mean 1.",
        examples=["7kq2 m9xt"],
    ),
]
Cursor = Annotated[
    str,
    Meta(min_length=1, max_length=300, pattern="^[A-Za-z0-9_-]+$", description="`next_cursor` of the previous page."),
]
Limit = Annotated[int, Meta(ge=1, le=100, description="Maximum number of items on the page.")]
GameKey = Annotated[str, Meta(pattern="^[a-z][a-z_]{1,29}$", max_length=30, examples=["hearts"])]


class NoQuery(Struct, frozen=True):
    """No query parameters: any is refused."""
