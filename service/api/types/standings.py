"""The types of leaderboards and statistics in the API."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.standings import PLACES
from service.api.types.common import Cursor, Id, Limit

Count = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Matches = Annotated[int, Meta(ge=1, le=2**31 - 1, description="Matches that count: finished and not annulled.")]
Wins = Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many of them the player won, alone or in a tie.")]
PlaceCounts = Annotated[
    tuple[Count, ...],
    Meta(min_length=PLACES, max_length=PLACES, description="How often each place was taken, the first one first."),
]
AveragePlace = Annotated[
    float, Meta(ge=1, le=PLACES, description="To three digits, rounded down; a smaller one is better.")
]
Left = Annotated[
    int,
    Meta(ge=0, le=2**31 - 1, description="How many matches were left to a bot; they count with the last place."),
]


class LeaderboardQuery(Struct, frozen=True):
    """Place in a leaderboard."""

    limit: Limit = 20
    cursor: Cursor | None = None


class LeaderboardEntry(Struct, frozen=True):
    """A player in a leaderboard."""

    player: Id
    name: Annotated[str | None, Meta(description="Null once the account was erased.")]
    matches: Matches
    wins: Wins
    places: PlaceCounts
    average_place: AveragePlace
    left: Left


class Leaderboard(Struct, frozen=True):
    """A page of the players of a game: most wins first, then the better average place."""

    game: str
    items: tuple[LeaderboardEntry, ...]
    next_cursor: str | None


class GameStatistics(Struct, frozen=True):
    """What a player reached in one game."""

    game: str
    matches: Matches
    wins: Wins
    places: PlaceCounts
    average_place: AveragePlace
    left: Left


class PlayerPublic(Struct, frozen=True):
    """An account as everybody may see it."""

    player: Id
    name: Annotated[str | None, Meta(description="Null once the account was erased.")]
    statistics: Annotated[
        tuple[GameStatistics, ...], Meta(description="One entry for each game in which matches of the player count.")
    ]
