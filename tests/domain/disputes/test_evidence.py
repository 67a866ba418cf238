"""Frozen evidence: what it holds, that it follows from the log, and that nothing hidden is in what others get."""

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain import fairness
from domain.codec import DamagedEventError, Event
from domain.disputes import codec
from domain.disputes.evidence import Evidence, freeze, view_bytes
from domain.disputes.people import people_of
from domain.record import RecordEvent
from domain.registry import CURRENT
from domain.table.fold import apply, begin
from domain.table.model import TableState
from domain.verify import checks_up_to
from tests.domain.matches import SECRET, SHORT, TABLE, PlayedMatch

DIGEST = bytes(range(32))


class Walked:
    """A match with the state after each version."""

    def __init__(self, key: str, seed: int = 5) -> None:
        self.match = PlayedMatch(CURRENT[key], *SHORT[key], seed)
        self.events: list[Event] = [one.event for one in self.match.sealed]
        self.states: list[TableState] = [begin(CURRENT[key], str(TABLE), self.events[0].facts, self.events[0].time)]
        for event in self.events[1:]:
            self.states.append(apply(self.states[-1], event.actor, event.facts))
        self.recorded = [
            RecordEvent(one.envelope.decode(), tuple(part.decode() for part in one.parts), hash_.hex())
            for one, hash_ in zip(self.match.sealed, self.match.hashes, strict=True)
        ]

    def evidence(self, version: int) -> Evidence:
        before = self.states[version - 2] if version > 1 else None
        chain = (self.match.hashes[version - 2] if version > 1 else bytes(32), self.match.hashes[version - 1])
        event, after = self.events[version - 1], self.states[version - 1]
        return freeze(before, event, after, chain=chain, digest=DIGEST, checks=self.checks(version))

    def checks(self, version: int) -> tuple[Any, ...]:
        rules = self.match.game.rules_id
        return checks_up_to(str(TABLE), rules, SECRET.hex(), self.recorded[:version])


WALKED = {key: Walked(key) for key in CURRENT}
each_game = pytest.mark.parametrize("key", sorted(CURRENT))


@each_game
def test_every_check_up_to_a_version_passes(key: str) -> None:
    walked = WALKED[key]
    for version in (1, 2, len(walked.events) // 2, len(walked.events)):
        checks = walked.checks(version)
        assert {check.status for check in checks} == {"pass"}, (version, checks)
        assert "end" not in {check.name for check in checks}


def test_a_forged_beginning_is_found() -> None:
    walked = WALKED["hearts"]
    at = next(number for number, event in enumerate(walked.events, 1) if event.type == "play")
    stored = walked.recorded[at - 1]
    forged = RecordEvent(stored.envelope.replace('"type":"play"', '"type":"pass"', 1), stored.parts, stored.hash)
    checks = checks_up_to(str(TABLE), "hearts/1", SECRET.hex(), [*walked.recorded[: at - 1], forged])
    assert {check.name: check.version for check in checks if check.status == "fail"} == {"chain": at, "moves": at}
    other = checks_up_to(str(TABLE), "hearts/1", bytes(32).hex(), walked.recorded[:at])
    assert {"seals", "commitment"} <= {check.name for check in other if check.status == "fail"}


@each_game
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_public_part_says_only_what_a_spectator_knows(key: str, data: st.DataObject) -> None:
    walked = WALKED[key]
    version = data.draw(st.integers(1, len(walked.events)))
    public = walked.evidence(version).public
    event = walked.events[version - 1]
    assert (public.command.type, public.command.seat, public.command.decision) == (
        event.type,
        event.actor,
        event.decision,
    )
    assert {check.name for check in public.checks} == {"chain", "clock"}
    text = json.dumps([public.command.type, public.chain_before, public.chain_after])
    assert DIGEST.hex() not in text
    assert public.spectator_after == _sha(view_bytes(walked.states[version - 1], None))


@each_game
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_seats_part_says_only_what_the_seat_knows(key: str, data: st.DataObject) -> None:
    walked = WALKED[key]
    version = data.draw(st.integers(2, len(walked.events)))
    evidence, before, event = walked.evidence(version), walked.states[version - 2], walked.events[version - 1]
    for seat in range(before.setup.seats):
        part = json.loads(evidence.parts[seat])
        view = json.loads(view_bytes(before, seat))
        assert part["legal"] == view["you"]["legal"]
        assert part["before"] == _sha(view_bytes(before, seat))
        assert part["after"] == _sha(view_bytes(walked.states[version - 1], seat))
        if event.actor == seat and event.move is not None:
            assert part["digest"] == DIGEST.hex()
            assert part["judged"][0]["legal"] is True
            assert part["judged"][0]["move"] == part["move"]
            assert all(one["legal"] or one["code"] for one in part["judged"])
        else:
            assert (part["digest"], part["move"], part["judged"]) == (None, None, [])
    assert walked.evidence(version) == evidence


def test_hidden_cards_change_nothing_that_others_get() -> None:
    """The same event among other hidden hands: only the parts of those seats and the server's are different."""
    walked = WALKED["hearts"]
    at = next(number for number, event in enumerate(walked.events, 1) if event.type == "play")
    event = walked.events[at - 1]
    changed = []
    for state in (walked.states[at - 2], walked.states[at - 1]):
        hands = list(state.game_state.hands)
        others = [seat for seat in range(4) if seat != event.actor][1:]
        hands[others[0]], hands[others[1]] = hands[others[1]], hands[others[0]]
        changed.append(replace(state, game_state=replace(state.game_state, hands=tuple(hands))))
    chain, checks = (bytes(32), bytes(32)), walked.checks(at)
    true, other = (
        freeze(before, event, after, chain=chain, digest=DIGEST, checks=checks)
        for before, after in ((walked.states[at - 2], walked.states[at - 1]), changed)
    )
    assert true.public == other.public
    different = {
        number for number, parts in enumerate(zip(true.parts, other.parts, strict=True)) if len(set(parts)) > 1
    }
    assert different == {*others, 4}


def test_refused_cards_are_frozen_with_their_rules() -> None:
    walked = WALKED["hearts"]
    rules = {
        one["rule"]
        for version in range(2, len(walked.events) + 1)
        for part in walked.evidence(version).parts[:-1]
        for one in json.loads(part)["judged"]
        if not one["legal"]
    }
    assert "H-22" in rules


@each_game
def test_seals_open_with_salts_that_follow_from_the_tables_secret(key: str) -> None:
    walked = WALKED[key]
    parts = walked.evidence(min(9, len(walked.events))).parts
    salts = codec.salts_of(SECRET, bytes(16))
    seals = codec.seals_of(salts, parts)
    assert len(set(seals)) == len(parts)
    for number, part in enumerate(parts):
        viewer = None if number == len(parts) - 1 else number
        assert fairness.seal(codec.salt_of(salts, viewer), part).hex() == seals[number]
    other = codec.salts_of(SECRET, bytes(15) + b"\1")
    assert not set(codec.seals_of(other, parts)) & set(seals)
    table = fairness.Salts(SECRET)
    assert codec.salt_of(salts, 0) != table.salt(1, 0)


def test_people_are_those_who_sat_when_the_match_began() -> None:
    match = WALKED["hearts"]
    players, everybody = people_of(match.events)
    assert players == tuple(seat.player for seat in match.states[-1].seats if seat.player is not None)
    assert set(everybody) == set(players)
    lobby = next(number for number, event in enumerate(match.events) if event.type == "start")
    assert people_of(match.events[:lobby]) == ((), everybody)


def test_bytes_that_are_no_event_are_damage() -> None:
    for wrong in (b"", b"{", b"[]", b'{"format":2,"version":1,"time":1,"type":"x","facts":[],"seals":[]}', b"[" * 9999):
        with pytest.raises(DamagedEventError):
            codec.decode(wrong)
    good = codec.encode((), version=1, time=1, type_="x")
    assert codec.decode(good).version == 1
    with pytest.raises(DamagedEventError):
        codec.decode(good.replace(b",", b", ", 1))


def _sha(raw: bytes) -> str:

    return hashlib.sha256(raw).hexdigest()
