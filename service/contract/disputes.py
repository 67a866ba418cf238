"""Examples of the contract for disputes: one about a short match, opened, decided, appealed."""

import json
from typing import Any, Final
from uuid import UUID

import msgspec

from domain.decider import AnyGame
from domain.disputes import codec
from domain.disputes.evidence import freeze, view_bytes
from domain.disputes.fold import apply, begin
from domain.disputes.model import (
    DisputeAppealed,
    DisputeFact,
    DisputeOpened,
    DisputeResolved,
    DisputeState,
    ReviewBegun,
)
from domain.disputes.views import dispute_seen
from domain.registry import CURRENT
from domain.table.fold import apply as table_after
from domain.table.fold import begin as table_begun
from domain.verify import checks_up_to
from service.contract.matches import PLAYER, SECRET, TABLE, TIME, ExampleMatch
from service.disputes.evidence import PartSeen

_DISPUTE: Final = UUID("7b1e9d34-52c8-4f0a-8e61-c0a9d2f4b817")
_ARBITER: Final = "c4d7a1f0-93b5-4e28-8d16-2f5e7b9a0c43"
_SALT: Final = bytes(32)
_CLAIM: Final = "I had to follow suit there."
_REASONS: Final = "The move was legal."
_DISAGREED: Final = "Please look at trick 2 again."
_HOUR: Final = 3_600_000
_TEXTS: Final = {1: (_SALT.hex(), _CLAIM), 3: (_SALT.hex(), _REASONS), 4: (_SALT.hex(), _DISAGREED)}


def dispute_bodies() -> dict[str, Any]:
    """Return examples of request bodies by operation."""
    return {
        "openDispute": {"illegal_move": {"version": 3, "claim": "illegal_move", "text": _CLAIM}},
        "resolveDispute": {"rejected": {"decision": "rejected", "reasons": _REASONS, "annulled": False}},
        "appealDispute": {"once": {"text": _DISAGREED}},
    }


def dispute_responses() -> dict[str, Any]:
    """Return examples of responses by operation."""
    each = {key: ExampleDispute(game) for key, game in CURRENT.items()}
    first = next(iter(each.values()))
    opened, reviewed, resolved, appealed = map(first.seen, range(1, 5))
    withdrawn = opened | {"status": "withdrawn"}
    summary = {name: opened[name] for name in ("dispute", "table", "version", "player", "claim", "status", "opened")}
    return {
        "openDispute": {"opened": opened},
        "listDisputes": {"page": {"items": [summary], "next_cursor": None}},
        "getDispute": {"resolved": resolved},
        "reviewDispute": {"reviewed": reviewed},
        "withdrawDispute": {"withdrawn": withdrawn},
        "resolveDispute": {"resolved": resolved},
        "appealDispute": {"appealed": appealed},
        "getEvidence": {key: one.evidence() for key, one in each.items()},
    }


class ExampleDispute:
    """A dispute of the last move of a short match."""

    def __init__(self, game: AnyGame) -> None:
        match = ExampleMatch(game)
        match.play_until_own_move()
        self._match, self._version = match, match.state.version
        first, *others = match.events
        before = table_begun(game, str(TABLE), first.facts, first.time)
        for event in others[:-1]:
            before = table_after(before, event.actor, event.facts)
        self._before = before
        hashes = [bytes.fromhex(one.hash) for one in match.sealed[-2:]]
        checks = checks_up_to(str(TABLE), game.rules_id, SECRET.hex(), match.sealed)
        self._evidence = freeze(
            before, match.events[-1], match.state, chain=(hashes[0], hashes[1]), digest=_SALT, checks=checks
        )

    def state(self, events: int) -> DisputeState:
        """Return the dispute after so many of its events: opened, reviewed, decided, appealed."""
        text = codec.text_hash
        opened = DisputeOpened(
            str(TABLE),
            self._match.game.rules_id,
            self._version,
            PLAYER,
            "illegal_move",
            text(_SALT, _CLAIM),
            (PLAYER,),
            (PLAYER,),
            self._evidence.public,
        )
        following: tuple[DisputeFact, ...] = (
            ReviewBegun(_ARBITER),
            DisputeResolved(_ARBITER, "rejected", False, text(_SALT, _REASONS)),
            DisputeAppealed(PLAYER, text(_SALT, _DISAGREED)),
        )
        state = begin(str(_DISPUTE), (opened,), TIME + _HOUR)
        for number, fact in enumerate(following[: events - 1], 2):
            state = apply(state, (fact,), TIME + number * _HOUR)
        return state

    def seen(self, events: int) -> Any:
        """Return the dispute as its reporter sees it then, as JSON."""
        seen = dispute_seen(self.state(events), PLAYER, _TEXTS, arbiter=False, match_over=events > 2)
        return json.loads(msgspec.json.encode(seen))

    def evidence(self) -> Any:
        """Return the evidence with the reporter's own part, as JSON."""
        salts = codec.salts_of(SECRET, _DISPUTE.bytes)
        part, public = self._evidence.parts[0], json.loads(msgspec.json.encode(self._evidence.public))
        kept = json.loads(part)
        views = {"before": self._view(before=True), "after": self._view(before=False)}
        return {
            "game": self._match.game.key,
            "dispute": str(_DISPUTE),
            "table": str(TABLE),
            "version": self._version,
            **public,
            "seals": list(codec.seals_of(salts, self._evidence.parts)),
            "parts": [msgspec.to_builtins(PartSeen(0, codec.salt_of(salts, 0).hex(), part.decode()))],
            "seats": [{"seat": 0, **kept, **views}],
            "server": None,
            "sound": True,
        }

    def _view(self, *, before: bool) -> Any:
        return json.loads(view_bytes(self._before if before else self._match.state, 0))
