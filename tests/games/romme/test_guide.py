"""The check of a selection that the guide for clients has, against the rules."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from domain.cards import Card
from domain.decider import Rejection
from domain.games.romme import ROMME_1, melds, private_stream
from domain.games.romme.deck import DECK, FACE
from domain.games.romme.facts import RommePrivateStream
from domain.games.romme.model import RommeMeld, RommeReading, RommeState
from domain.games.romme.moves import RommeChosenCard, RommeChosenMeld, RommeLay, RommeLayOff
from domain.games.romme.partition import possible_melds
from domain.seats import with_entry
from tests.games.romme.play import by_bots, events
from tests.games.romme.positions import options, privately

GUIDE: Final = Path(__file__).parents[3] / "openapi" / "README.md"
SECTION: Final = "## Check a selection of cards on the device"
Found = list[tuple[str, int, tuple[str, ...]]]


def _of_the_guide(name: str = "readings") -> Callable[..., Any]:
    section = GUIDE.read_text().split(SECTION)[1]
    code = re.search(r"```python\n(.*?)\n\n\nprint", section, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)  # noqa: S102 - what the guide tells its readers to run
    told: Callable[..., Any] = names[name]
    return told


def _ours(found: Sequence[RommeReading]) -> Found:
    return sorted(
        (one.kind, one.points, tuple(sorted(card.face for card in one.meld.cards if card.face))) for one in found
    )


def _theirs(found: Sequence[Any]) -> Found:
    return sorted((kind, points, tuple(sorted(faces))) for kind, points, faces in found)


def _selection(rng: random.Random) -> tuple[str, ...]:
    """Return cards of which many are close to a meld."""
    cards = DECK
    kind = rng.random()
    if kind < 0.4:
        suit = rng.choice("CSHD")
        cards = tuple(card for card in cards if card[1] == suit or card not in FACE)
    elif kind < 0.8:
        rank = rng.choice("A23456789TJQK")
        cards = tuple(card for card in cards if card[0] == rank or card not in FACE)
    return tuple(rng.sample(cards, min(len(cards), rng.choice((1, 2, 3, 3, 3, 4, 4, 5, 6, 9, 13)))))


def test_what_the_guide_calls_a_meld_is_one_by_the_rules() -> None:
    told, rng, any_found = _of_the_guide(), random.Random(15), 0
    for _ in range(20_000):
        cards = _selection(rng)
        found = _ours(melds.readings(cards))
        assert _theirs(told(cards)) == found, cards
        any_found += bool(found)
    assert any_found > 2000


def test_what_the_guide_adds_to_a_meld_the_rules_add() -> None:
    told, rng, any_found, on_table = _of_the_guide(), random.Random(16), 0, 0
    while on_table < 5000:
        first = melds.readings(_selection(rng))
        if not first:
            continue
        on_table += 1
        chosen = rng.choice(first)
        shape = melds.check_meld(chosen.meld.cards, chosen.meld.end)
        assert isinstance(shape, melds.RommeShape)
        meld = RommeMeld("m1", 0, shape.kind, shape.slots, shape.points)
        slots = msgspec.to_builtins(meld)["slots"]
        free = [card for card in DECK if card not in {slot.card for slot in meld.slots}]
        same = 1 if shape.kind == "run" else 0
        near = [card for card in free if card not in FACE or card[same] == shape.slots[0].face[same]]
        cards = tuple(rng.sample(near, rng.choice((1, 1, 1, 2, 3))))
        found = _ours(melds.extensions(meld, cards))
        assert _theirs(told(cards, slots)) == found, (slots, cards)
        any_found += bool(found)
    assert any_found > 500


@pytest.fixture(scope="module")
def positions() -> list[tuple[RommeState, RommePrivateStream]]:
    """States in which a seat may lay, without drafts or with one, under several house rules."""
    return list(_positions())


def _positions() -> Iterator[tuple[RommeState, RommePrivateStream]]:
    rules = ({"first_meld_min": 30}, {"first_meld_min": 40, "joker_swap": True}, {"first_meld_min": 0})
    for seed, raw in enumerate(rules * 2):
        rng = random.Random(seed)
        for event in events({**raw, "rounds": 4}, 3, seed, by_bots):
            state = event.states[-1]
            if state.phase != "play" or state.turn is None:
                continue
            if rng.random() < 0.2:  # changed in the round, in force from the next on
                state = msgspec.structs.replace(
                    state, options=options(first_meld_min=30 if raw["first_meld_min"] == 40 else 40)
                )
            found = possible_melds(state.hands[state.turn])
            if found and rng.random() < 0.3:  # one card more than a meld, and perhaps that one was just taken
                used = tuple(card.card for card in rng.choice(found).meld.cards)
                held = (*used, *[card for card in state.hands[state.turn] if card not in used][:1])
                hands = with_entry(state.hands, state.turn, held)
                state = msgspec.structs.replace(state, hands=hands, taken=rng.choice((*held, held[-1])))
            own = private_stream.new()
            free = private_stream.private(state, state.turn, own).preparable
            if free and rng.random() < 0.5:
                own = privately(state, own, rng.choice(free).draft, seat=state.turn)
            yield state, own


def _view(state: RommeState, own: RommePrivateStream) -> Any:
    seat = state.turn
    you = {
        "seat": seat,
        "hand": private_stream.hand(state, seat, own),
        "private": private_stream.private(state, seat, own),
    }
    whole = {"options": ROMME_1.views.options(state), "board": ROMME_1.views.board(state), "you": you}
    return msgspec.json.decode(msgspec.json.encode(whole))


def _tapped(rng: random.Random, hand: Sequence[Card]) -> tuple[Card, ...]:
    """Return cards that somebody taps: often a meld, often cards that are near to one, sometimes not of the hand."""
    found = possible_melds(hand)
    if found and rng.random() < 0.7:
        return tuple(card.card for card in rng.choice(found).meld.cards)
    if rng.random() < 0.1:
        return tuple(rng.sample(DECK, 3))
    return tuple(rng.sample(hand, min(len(hand), rng.choice((1, 2, 3, 3, 4)))))


def _declared(cards: Sequence[Card], faces: Sequence[str]) -> tuple[RommeChosenCard, ...]:
    free = iter(faces)
    return tuple(RommeChosenCard(card, None if card in FACE else next(free)) for card in cards)


def _end(cards: Sequence[Card], kind: str, points: int) -> Any:
    """Return the end that the guide says to send: for all 13 ranks with the ace below, which count 85 and not 95."""
    return "low" if kind == "run" and len(cards) == 13 and points == 85 else None


def test_a_lay_that_the_guide_accepts_is_accepted_and_no_other(
    positions: list[tuple[RommeState, RommePrivateStream]],
) -> None:
    readings, may_lay, rng = _of_the_guide(), _of_the_guide("may_lay"), random.Random(17)
    judged = {True: 0, False: 0}
    for state, own in positions:
        view = _view(state, own)
        for _ in range(20):
            tapped = [_tapped(rng, state.hands[state.turn]) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
            meant = [[(cards, *one) for one in readings(cards)] for cards in tapped]
            if not all(meant):
                continue  # no melds: the two tests above
            chosen = [rng.choice(one) for one in meant]
            told = may_lay(view, [(cards, points) for cards, _, points, _ in chosen])
            move = RommeLay(
                tuple(
                    RommeChosenMeld(_declared(cards, faces), _end(cards, kind, points))
                    for cards, kind, points, faces in chosen
                )
            )
            made = private_stream.resolve(state, state.turn, own, move)
            assert told == (not isinstance(made, Rejection)), (view, move, made)
            judged[told] += 1
    assert min(judged.values()) > 300, judged


def test_cards_that_the_guide_adds_to_a_meld_are_accepted_and_no_others(
    positions: list[tuple[RommeState, RommePrivateStream]],
) -> None:
    readings, may_lay_off, rng = _of_the_guide(), _of_the_guide("may_lay_off"), random.Random(18)
    judged = {True: 0, False: 0}
    for state, own in positions:
        view, hand = _view(state, own), state.hands[state.turn]
        for meld in view["board"]["melds"]:
            for cards in [*((card,) for card in hand), tuple(rng.sample(hand, min(2, len(hand))))]:
                for kind, points, faces in readings(cards, meld["slots"])[:2]:
                    end = _end([*meld["slots"], *cards], kind, points)
                    move = RommeLayOff(meld["id"], _declared(cards, faces), end)
                    made = private_stream.resolve(state, state.turn, own, move)
                    told = may_lay_off(view, cards)
                    assert told == (not isinstance(made, Rejection)), (view, move, made)
                    judged[told] += 1
    assert min(judged.values()) > 100, judged
