"""What exists in a dispute: claims, facts, the state, refusals."""

from typing import Final, Literal, TypeAlias

from domain.decider import Seat
from domain.structs import Fact, Value, tag_after
from domain.table.model import Verdict
from domain.verify.report import Check

RULES_ID: Final = "disputes/1"
"""Names the rules of disputes in their chains."""
HOUR: Final = 3_600_000
OPEN_FOR: Final = 72 * HOUR
"""How long after the end a match can be disputed, and after a resolution that can be appealed, in milliseconds."""
TAKE_OVER_AFTER: Final = 72 * HOUR
"""After so many milliseconds another arbiter may take over a review."""
PER_DAY: Final = 3
"""Disputes that a player may open within 24 hours."""

Claim: TypeAlias = Literal["illegal_move", "wrong_score", "unfair_shuffle", "wrong_seat", "clock", "other"]
DisputeStatus: TypeAlias = Literal["open", "under_review", "resolved", "appealed", "withdrawn"]


# Evidence that everybody may see at any time


class ReceivedCommand(Value, frozen=True):
    """The disputed command as it was received."""

    type: str
    """The command of the table, or the type of the move."""
    seat: Seat | None
    """The seat that acted; None for somebody without a seat."""
    decision: int | None
    """The decision that a move answered; None for a command of the table."""
    time: int
    """Milliseconds since 1970 UTC."""


class PublicEvidence(Value, frozen=True):
    """What the opening froze and nobody has to be kept from."""

    shape: str
    """Digest of the form of views and states that the hashes were made of, in hex."""
    command: ReceivedCommand
    chain_before: str
    """The table's chain hash before the disputed version, in hex."""
    chain_after: str
    spectator_before: str | None
    """SHA-256 of a spectator's view before the disputed version, in hex; None for the first version."""
    spectator_after: str
    checks: tuple[Check, ...]
    """Checks up to the disputed version that look at public things alone."""


# Facts


class DisputeFactBase(Fact, frozen=True, tag=tag_after("")):
    """Base of facts: tags follow from class names."""


class DisputeOpened(DisputeFactBase, frozen=True):
    """A player of the match disputes a version of it; the evidence is frozen."""

    table: str
    rules: str
    version: int
    player: str
    claim: Claim
    text: str
    """SHA-256 in hex of a random salt and the text, which are kept apart and can be erased."""
    players: tuple[str, ...]
    """Everybody who held a seat during the match."""
    barred: tuple[str, ...]
    """Everybody who ever held a seat at the table: none of them is arbiter here."""
    evidence: PublicEvidence


class ReviewBegun(DisputeFactBase, frozen=True):
    """An arbiter took up the dispute, or its appeal."""

    arbiter: str


class SecretsSeen(DisputeFactBase, frozen=True):
    """An arbiter looked at sealed evidence."""

    arbiter: str
    seat: Seat | None
    """Whose; None for all of it."""


class DisputeWithdrawn(DisputeFactBase, frozen=True):
    """The player took the dispute back."""


class DisputeResolved(DisputeFactBase, frozen=True):
    """The reviewing arbiter decided."""

    arbiter: str
    decision: Verdict
    annulled: bool
    text: str
    """Hash of the reasons, as `DisputeOpened.text`."""


class DisputeAppealed(DisputeFactBase, frozen=True):
    """A player of the match asks another arbiter to decide again."""

    player: str
    text: str
    """Hash of the text, as `DisputeOpened.text`."""


DisputeFact: TypeAlias = (
    DisputeOpened | ReviewBegun | SecretsSeen | DisputeWithdrawn | DisputeResolved | DisputeAppealed
)


# State


class Resolution(Value, frozen=True):
    """A decision of an arbiter."""

    version: int
    """The version of the dispute's stream that records it; names its text."""
    time: int
    fact: DisputeResolved


class Appeal(Value, frozen=True):
    """The appeal against the first decision."""

    version: int
    time: int
    fact: DisputeAppealed


class Look(Value, frozen=True):
    """One look of an arbiter at sealed evidence."""

    time: int
    arbiter: str
    seat: Seat | None


class DisputeState(Value, frozen=True):
    """The fold of a dispute's events."""

    id: str
    version: int
    opened: DisputeOpened
    opened_at: int
    """Milliseconds since 1970 UTC, as all times here."""
    status: DisputeStatus
    reviewer: str | None = None
    """The arbiter who has the dispute now, or had it last."""
    review_since: int | None = None
    resolutions: tuple[Resolution, ...] = ()
    appeal: Appeal | None = None
    looks: tuple[Look, ...] = ()


class DisputeRefusal(Value, frozen=True):
    """A command on a dispute is refused. Nothing is recorded."""

    code: str
    """A key of `REFUSALS`."""


REFUSALS: Final[dict[str, str]] = {
    "match_not_started": "The match has not started yet.",
    "match_running": "The match is not over; disputes about it are decided afterwards.",
    "not_seated": "You held no seat in this match.",
    "version_unknown": "The match has no such version.",
    "dispute_late": "The time to dispute this match, or to appeal, is over.",
    "dispute_exists": "You have already disputed this version.",
    "disputes_per_day": "You have opened the maximum number of disputes for today.",
    "dispute_not_open": "The status of the dispute does not allow this.",
    "dispute_withdrawn": "The dispute was withdrawn.",
    "dispute_resolved": "The dispute was decided.",
    "appealed_before": "The dispute has already been appealed once.",
    "under_review": "Another arbiter is reviewing the dispute.",
    "not_reviewing": "You have not begun to review this dispute.",
    "annulled_rejected": "A match cannot be annulled by rejecting a dispute.",
    "not_reporter": "Only the player who opened the dispute may do this.",
    "arbiter_seated": "You held a seat at this table; another arbiter has to decide.",
    "arbiter_decided": "You decided this dispute before; the appeal is for another arbiter.",
}
"""Every refusal of a dispute with one sentence for the caller."""
