"""The storage format: canonical bytes, seals, private parts, old shapes."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain import codec, fairness
from domain.codec import Codec, DamagedEventError
from domain.games.hearts.model import HeartsCardPlayed, HeartsPlay
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import apply, begin
from domain.table.model import Facts
from domain.table.views import event_seen
from domain.verify import verify
from service.verify.notes import is_signed
from tests.conformance.altered import altered

HEARTS = CURRENT["hearts"]
CODEC = Codec(HEARTS)
SECRET = bytes(range(32))
TABLE = "00112233-4455-6677-8899-aabbccddeeff"
SAMPLES = Path(__file__).parent / "samples"


def deal() -> codec.Sealed:
    """The event that starts a match: it hides a pack and four hands."""
    made = rules.create(HEARTS, {}, None, (1, 2, 3), player="ada", visibility="public", commitment="00")
    assert isinstance(made, Facts)
    started = rules.start(begin(HEARTS, TABLE, made, 0), 0, fairness.MatchChance(bytes(32)), "")
    assert isinstance(started, Facts)
    return CODEC.seal(
        started, seats=4, salts=fairness.Salts(SECRET), version=2, time=1_750_000_000_000, type_="start", actor=0
    )


def test_an_event_survives_its_bytes() -> None:
    sealed = deal()
    assert CODEC.decode(sealed.envelope, sealed.parts_text) == sealed.event


def test_the_envelope_is_compact_json_in_a_fixed_order_without_floats() -> None:
    envelope = deal().envelope
    assert envelope.startswith(
        b'{"format":1,"version":2,"time":1750000000000,"type":"start","actor":0,"decision":null,'
    )
    assert envelope.isascii()
    assert b" " not in envelope.replace(b"match_started", b"")
    assert msgspec.json.encode(msgspec.json.decode(envelope)) == envelope


def test_every_event_carries_one_seal_for_each_seat_and_one_for_the_server() -> None:
    quiet = CODEC.seal(Facts(), seats=4, salts=fairness.Salts(SECRET), version=3, time=0, type_="ready", actor=1)
    assert len(deal().event.seals) == len(quiet.event.seals) == 5
    assert len(set(quiet.event.seals)) == 5, "equal parts are sealed under different salts"


def test_each_seal_opens_with_its_salt_and_the_exact_bytes_of_its_part() -> None:
    sealed = deal()
    for viewer, part, seal in zip((0, 1, 2, 3, 255), sealed.parts, sealed.event.seals, strict=True):
        assert fairness.seal(fairness.Salts(SECRET).salt(2, viewer), part).hex() == seal
    assert codec.split_parts(sealed.parts_text) == sealed.parts


def test_the_envelope_of_a_deal_holds_no_card() -> None:
    envelope = deal().envelope.decode()
    assert not [card for card in ("2C", "QS", "AH", "TD") if f'"{card}"' in envelope]


def test_a_seat_learns_its_own_hand_and_a_spectator_none() -> None:
    event = deal().event
    own = msgspec.json.encode(event_seen(event, 2, over=False))
    others = msgspec.json.encode(event_seen(event, None, over=False))
    hands: Any = HEARTS
    state = apply(begin_state(), 0, event.facts)
    for seat in range(4):
        for card in hands.views.hand(state.game_state, seat):
            assert (f'"{card}"'.encode() in own) == (seat == 2)
            assert f'"{card}"'.encode() not in others


def begin_state() -> Any:
    made = rules.create(HEARTS, {}, None, (1, 2, 3), player="ada", visibility="public", commitment="00")
    assert isinstance(made, Facts)
    return begin(HEARTS, TABLE, made, 0)


def test_after_the_match_everybody_gets_the_complete_facts() -> None:
    event = deal().event
    assert event_seen(event, None, over=True).facts == event.facts.game


@pytest.mark.parametrize(
    ("envelope", "parts"),
    [
        (b"", b"[]"),
        (b"{}", b"[]"),
        (b'{"format":1}', b"[]"),
        (b'{"format":99}', b"[]"),
        (b"[" * 5000, b"[]"),
        (deal().envelope[:-1], deal().parts_text),
        (deal().envelope, b"[]"),
        (deal().envelope, deal().parts_text[:-1]),
        (deal().envelope, deal().parts_text.replace(b"round_dealt", b"card_played")),
        (deal().envelope.replace(b'"version":2', b'"version":"2"'), deal().parts_text),
    ],
)
def test_bytes_that_are_no_event_are_named_as_damaged(envelope: bytes, parts: bytes) -> None:
    with pytest.raises(DamagedEventError):
        CODEC.decode(envelope, parts)


def quiet() -> codec.Sealed:
    """An event that hides nothing."""
    facts = Facts(game=(HeartsCardPlayed(1, "QD"),))
    move = HeartsPlay("QD")
    salts = fairness.Salts(SECRET)
    return CODEC.seal(facts, seats=4, salts=salts, version=9, time=7, type_="play", actor=1, decision=8, move=move)


@pytest.mark.parametrize("sealed", [deal(), quiet()], ids=["deal", "quiet"])
def test_what_the_fold_reads_of_an_event_is_what_the_event_says(sealed: codec.Sealed) -> None:
    event, read = sealed.event, CODEC.happened(sealed.envelope.decode(), sealed.parts_text.decode(), 4)
    assert (read.version, read.time, read.actor) == (event.version, event.time, event.actor)
    assert (read.facts.table, read.facts.game) == (event.facts.table, event.facts.game)


@pytest.mark.parametrize(
    ("envelope", "parts"),
    [
        (b"", b"[]"),
        (b'{"format":1}', b"[]"),
        (b'{"format":99}', b"[]"),
        (quiet().envelope[:-1], quiet().parts_text),
        (quiet().envelope.replace(b'"actor":1', b'"actor":"1"'), quiet().parts_text),
        (quiet().envelope.replace(b'"seat":1', b'"seat":null'), quiet().parts_text),
        (quiet().envelope, b"[]"),
        (quiet().envelope, quiet().parts_text[:-1]),
        (quiet().envelope, quiet().parts_text.replace(b'"QD"', b'"QD')),
        (quiet().envelope, quiet().parts_text.replace(b"[],", b"", 1)),
        (quiet().envelope, quiet().parts_text.replace(b"[],", b"[],[],", 1)),
        (deal().envelope, deal().parts_text.replace(b"round_dealt", b"card_played")),
        (deal().envelope, deal().parts_text.replace(b"[[0,", b'[["0",')),
    ],
)
def test_the_fold_takes_no_damaged_bytes_for_an_event(envelope: bytes, parts: bytes) -> None:
    with pytest.raises(DamagedEventError):
        CODEC.happened(envelope.decode(), parts.decode(), 4)


def test_todays_stored_bytes_stay_readable() -> None:
    envelope, parts = (SAMPLES / "hearts-start-format-1.txt").read_bytes().splitlines()
    assert CODEC.decode(envelope, parts) == deal().event


def test_an_old_shape_is_lifted_in_one_place() -> None:
    """A stored sample of a shape without `format`, whose facts stood beside the table's in one list."""

    def from_0(envelope: dict[str, Any], parts: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        table, game = envelope.pop("facts")
        return {"format": 1, **envelope, "public": {"table": table, "game": game}}, parts

    envelope, parts = (SAMPLES / "hearts-start-format-0.txt").read_bytes().splitlines()
    with pytest.raises(DamagedEventError, match="unknown event format 0"):
        CODEC.decode(envelope, parts)
    lifting = Codec(altered(HEARTS, lifts={0: from_0}))
    assert lifting.decode(envelope, parts) == deal().event
    assert lifting.happened(envelope.decode(), parts.decode(), 4).facts.game == deal().event.facts.game


ROMME = Codec(CURRENT["romme"])
OLD_LAY = tuple((SAMPLES / "romme-lay-format-1.txt").read_bytes().splitlines())


def test_the_seat_of_an_old_meld_is_its_owner() -> None:
    envelope, parts = OLD_LAY
    event = ROMME.decode(envelope, parts)
    (laid,) = event.facts.game
    assert [(meld.id, meld.owner) for meld in laid.melds] == [("m1", laid.seat)]
    assert ROMME.happened(envelope.decode(), parts.decode(), 2).facts.game == (laid,)
    today, sealed = ROMME.encode(event)
    assert today.startswith(b'{"format":2,')
    assert today.replace(b'"format":2', b'"format":1').replace(b'"owner"', b'"seat"') == envelope
    assert ROMME.decode(today, b"[" + b",".join(sealed) + b"]") == event


@pytest.mark.parametrize(
    "public",
    [b'{"game":[1]}', b'{"game":1}', b"[]", b'{"game":[{"type":"melds_laid","melds":[1]}]}', b'{"game":[{}]}'],
    ids=bytes.decode,
)
def test_what_cannot_be_lifted_is_damaged(public: bytes) -> None:
    envelope, parts = b'{"format":1,"version":5,"public":' + public + b',"seals":[]}', b"[{}]"
    with pytest.raises(DamagedEventError):
        ROMME.decode(envelope, parts)
    with pytest.raises(DamagedEventError):
        ROMME.happened(envelope.decode(), parts.decode(), 2)


@pytest.mark.parametrize(("old", "new"), [(b'"version":5', b'"version": 5'), (b'"actor":1', b'"actor":1,"more":1')])
def test_an_old_event_has_one_canonical_form(old: bytes, new: bytes) -> None:
    envelope, parts = OLD_LAY[0], codec.split_parts(OLD_LAY[1])
    event = ROMME.decode(*OLD_LAY)
    assert ROMME.is_canonical(event, envelope, parts)
    assert not ROMME.is_canonical(event, envelope.replace(old, new), parts)


def test_no_meld_of_the_old_format_has_an_owner() -> None:
    envelope, parts = OLD_LAY
    with pytest.raises(DamagedEventError, match="has no owner"):
        ROMME.decode(envelope.replace(b'"m1","seat"', b'"m1","owner"'), parts)


def test_a_record_of_old_events_still_verifies() -> None:
    record = (SAMPLES / "romme-record-format-1.json").read_bytes()
    assert record.count(b'\\"format\\":1,') == 126
    report = verify(record, check_note=is_signed)
    assert report.ok, report
