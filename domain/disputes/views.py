"""Who sees what of a dispute."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from domain.decider import Seat
from domain.disputes.model import Claim, DisputeState, DisputeStatus
from domain.structs import Value
from domain.table.model import Verdict

TextStatus: TypeAlias = Literal["shown", "sealed", "erased"]
"""`sealed`: not for this reader while the match runs."""


class TextSeen(Value, frozen=True):
    """A text of a dispute for one reader."""

    status: TextStatus
    text: str | None
    hash: str
    """SHA-256 in hex of salt and text, as the log has it."""
    salt: str | None
    """In hex; null where there is no text."""


class ResolutionSeen(Value, frozen=True):
    """A decision of an arbiter."""

    time: int
    arbiter: str
    decision: Verdict
    annulled: bool
    reasons: TextSeen


class AppealSeen(Value, frozen=True):
    """An appeal."""

    time: int
    player: str
    text: TextSeen


class LookSeen(Value, frozen=True):
    """A look of an arbiter at sealed evidence."""

    time: int
    arbiter: str
    seat: Seat | None
    """Whose evidence; null for all of it."""


class DisputeSeen(Value, frozen=True):
    """A dispute as one reader may see it."""

    dispute: str
    table: str
    game: str
    rules_version: int
    version: int
    """The disputed version of the table."""
    player: str
    """The player who opened the dispute."""
    claim: Claim
    text: TextSeen
    opened: int
    status: DisputeStatus
    reviewer: str | None
    resolutions: tuple[ResolutionSeen, ...]
    appeal: AppealSeen | None
    looks: tuple[LookSeen, ...] | None
    """Every look of an arbiter at sealed evidence; null for players while the match runs."""


Texts: TypeAlias = Mapping[int, tuple[str, str]]
"""For each version of the dispute's stream whose text is not erased: salt in hex and text."""


def dispute_seen(state: DisputeState, reader: str, texts: Texts, *, arbiter: bool, match_over: bool) -> DisputeSeen:
    """Return the dispute for a reader: an arbiter of it, or a player of the match.

    While the match runs players see no text of others: it could tell them of cards.
    """
    opened = state.opened
    key, _, rules_version = opened.rules.partition("/")

    def text(version: int, hash_: str, author: str) -> TextSeen:
        if not (arbiter or match_over or author == reader):
            return TextSeen("sealed", None, hash_, None)
        if version not in texts:
            return TextSeen("erased", None, hash_, None)
        salt, content = texts[version]
        return TextSeen("shown", content, hash_, salt)

    return DisputeSeen(
        dispute=state.id,
        table=opened.table,
        game=key,
        rules_version=int(rules_version),
        version=opened.version,
        player=opened.player,
        claim=opened.claim,
        text=text(1, opened.text, opened.player),
        opened=state.opened_at,
        status=state.status,
        reviewer=state.reviewer,
        resolutions=tuple(
            ResolutionSeen(
                one.time,
                one.fact.arbiter,
                one.fact.decision,
                one.fact.annulled,
                text(one.version, one.fact.text, one.fact.arbiter),
            )
            for one in state.resolutions
        ),
        appeal=None
        if state.appeal is None
        else AppealSeen(
            state.appeal.time,
            state.appeal.fact.player,
            text(state.appeal.version, state.appeal.fact.text, state.appeal.fact.player),
        ),
        looks=tuple(LookSeen(one.time, one.arbiter, one.seat) for one in state.looks)
        if arbiter or match_over
        else None,
    )
