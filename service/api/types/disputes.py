"""The types of the API for disputes: bodies, queries, and responses that depend on the game."""

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, defstruct

from domain.decider import AnyGame
from domain.disputes.evidence import ServerEvidence
from domain.disputes.model import Claim, DisputeStatus, ReceivedCommand
from domain.registry import CURRENT
from domain.table.model import Verdict
from domain.verify.report import Check
from service.api.types.common import Cursor, Hash, Id, Limit, ReachedVersion, SeatNumber, Time
from service.api.types.per_game import class_name, many, per_game
from service.api.types.replays import EXPLANATIONS
from service.api.types.tables import TABLES
from service.disputes.evidence import PartSeen

_TEXT_PATTERN: Final = (
    r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]+$"
)
Text = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        pattern=_TEXT_PATTERN,
        description="A text for people, without control characters. It is erased with the account.",
        examples=["I had to follow suit there."],
    ),
]


class NewDispute(Struct, frozen=True, forbid_unknown_fields=True):
    """The challenge of one version of a table."""

    version: Annotated[ReachedVersion, Meta(description="The version that is disputed.", examples=[3])]
    claim: Claim
    text: Text


class NewResolution(Struct, frozen=True, forbid_unknown_fields=True):
    """A decision of an arbiter."""

    decision: Verdict
    reasons: Text
    annulled: Annotated[bool, Meta(description="Whether the match is removed from the standings.")] = False


class NewAppeal(Struct, frozen=True, forbid_unknown_fields=True):
    """An appeal to another arbiter."""

    text: Text


class DisputesQuery(Struct, frozen=True):
    """Filter and position in the list of disputes."""

    status: Annotated[DisputeStatus | None, Meta(description="Only disputes in this status.")] = None
    limit: Limit = 20
    cursor: Cursor | None = None


class EvidenceQuery(Struct, frozen=True):
    """Whose sealed evidence to open."""

    seat: Annotated[
        Literal["0", "1", "2", "3", "4", "5", "all"] | None,
        Meta(description="A seat, or `all` including the server's part; only the public evidence if not given."),
    ] = None


class DisputeSummary(Struct, frozen=True):
    """A dispute in a list."""

    dispute: Id
    table: Id
    version: ReachedVersion
    player: Annotated[Id, Meta(description="The player who opened the dispute.")]
    claim: Claim
    status: DisputeStatus
    opened: Time


class DisputePage(Struct, frozen=True):
    """A page of disputes, newest first."""

    items: tuple[DisputeSummary, ...]
    next_cursor: str | None


def _seat_type(game: AnyGame) -> Any:
    fields = [
        ("seat", SeatNumber),
        ("before", Annotated[TABLES[game.key] | None, Meta(description="Null for the first version.")]),
        ("after", Annotated[TABLES[game.key], Meta(description="The seat's view after the disputed version.")]),
        ("legal", Annotated[many(game.types.legal), Meta(description="What the seat was allowed to do before.")]),
        ("move", Annotated[game.types.move | None, Meta(description="The seat's disputed move.")]),
        ("judged", Annotated[many(EXPLANATIONS[game.key]), Meta(description="That move and every card of the hand.")]),
        ("digest", Annotated[Hash | None, Meta(description="SHA-256 of the move as it was requested.")]),
    ]
    doc = "What one seat saw and was allowed to do around the disputed version, without names, drafts and join code."
    return defstruct(class_name(game, "SeatEvidence"), fields, frozen=True, namespace={"__doc__": doc})


SEATS: Final[dict[str, Any]] = {key: _seat_type(game) for key, game in CURRENT.items()}
EVIDENCE: Final[Any] = per_game(
    "Evidence",
    "What was frozen when the dispute was opened. `parts` are the opened parts as they were sealed.",
    lambda game: [
        ("dispute", Id),
        ("table", Id),
        ("version", ReachedVersion),
        ("shape", Annotated[Hash, Meta(description="Digest of the schema of the views that were hashed.")]),
        ("command", ReceivedCommand),
        ("chain_before", Hash),
        ("chain_after", Hash),
        ("spectator_before", Hash | None),
        ("spectator_after", Hash),
        ("checks", tuple[Check, ...]),
        ("seals", tuple[Hash, ...]),
        ("parts", tuple[PartSeen, ...]),
        ("seats", many(SEATS[game.key])),
        ("server", ServerEvidence | None),
        (
            "sound",
            Annotated[
                bool | None,
                Meta(
                    description="Whether the log still gives what was frozen; null if the schema of views has "
                    "changed since, so that only the chain and the seals could be compared, and they "
                    "match."
                ),
            ],
        ),
    ],
)
