"""What holds in every state of every match (section 20), whoever plays, under all house rules."""

import re
from itertools import product

import msgspec
import pytest

from domain.decider import OptionProblem, Rejection
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.deck import DECK, FACE
from domain.games.romme.facts import (
    RommeCardDrawn,
    RommePrivateStream,
    RommePrivateStreamFact,
    RommeRoundEnded,
    RommeRoundStarted,
)
from domain.games.romme.melds import RommeShape, check_meld
from domain.games.romme.model import RommeState
from domain.games.romme.moves import RommeArrangeHand, RommeDiscard, RommePrepare, RommePrivateMove, RommeTakeBack
from domain.games.romme.partition import possible_melds
from domain.games.romme.rules import timeout_move
from domain.games.romme.views import board, private_form, public_form
from tests.conformance.zones import cards_in, hidden_cards
from tests.games.romme.conformance import zones
from tests.games.romme.play import Chooser, Event, absent, at_random, by_bots, events
from tests.games.romme.positions import CHANCE

HOUSE_RULES = [
    {"first_meld_min": minimum, "joker_swap": swap, "hand_romme_double": double, "discard_draw": draw}
    for minimum, swap, double, draw in product((30, 40, 0), (False, True), (False, True), ("always", "after_out"))
]
CARD = re.compile(rb"[2-9TJQKA][CSHD]#\d|JK#\d")


def check_state(state: RommeState, where: str) -> None:
    """Invariants 1, 4, 6, 7 and 11 of a state in a running round."""
    assert sorted(cards_in(zones(state))) == sorted(DECK), f"{where}: not every card once"
    for meld in state.melds:
        shape = check_meld(meld.slots, "low" if meld.slots[0].face[0] == "A" else "high")
        assert isinstance(shape, RommeShape), f"{where}: {meld}"
        assert (shape.kind, shape.slots) == (meld.kind, meld.slots), f"{where}: {meld}"
        assert len(meld.slots) <= (4 if meld.kind == "set" else 13), f"{where}: {meld}"
        assert 2 * sum(slot.card not in FACE for slot in meld.slots) <= len(meld.slots), f"{where}: {meld}"
    for seat, hand in enumerate(state.hands):
        assert len(hand) == len(state.entered[seat]), f"{where}: seat {seat}"
        assert set(state.shown[seat]) <= set(hand), f"{where}: seat {seat}"
        extra = seat == state.turn and state.phase in ("opening", "play")
        if not state.is_out(seat):
            assert len(hand) == 13 + extra, f"{where}: seat {seat} holds {len(hand)} cards"
    assert state.empties <= 4, where


def check_between_turns(state: RommeState, where: str) -> None:
    """Invariants 2 and 3 at the start of a regular turn."""
    held = sum(map(len, state.hands)) + sum(len(meld.slots) for meld in state.melds)
    assert held == 13 * state.seats, where
    assert state.stock_size + len(state.pile) == 110 - 13 * state.seats, where
    assert state.stock_size >= 1, where
    assert len(state.pile) >= 1, where
    assert state.empties < 4, where
    assert (state.taken, state.drawn, state.progress, state.lays) == (None, None, False, 0), where


def check_scores(event: Event, where: str) -> None:
    """Invariant 10."""
    for fact in event.facts:
        if isinstance(fact, RommeRoundEnded):
            assert fact.winners, where
            for seat, points in enumerate(fact.points):
                assert points == 0 if seat in fact.winners else points >= 2, f"{where}: {fact}"
                assert points <= 2 * fact.values[seat], f"{where}: {fact}"


def check_secrecy(event: Event, where: str) -> None:
    """Invariant 9: no hidden card in what is told of a fact, or in the board after it."""
    for fact, state in zip(event.facts, event.states, strict=True):
        told = msgspec.json.encode(public_form(fact)) + msgspec.json.encode(board(state))
        for viewer in (None, *range(state.seats)):
            hidden = {card.encode() for card in hidden_cards(zones(state), viewer)}
            confided = None if viewer is None else msgspec.json.encode(private_form(fact, viewer))
            assert hidden.isdisjoint(CARD.findall(told + (confided or b""))), f"{where}: {fact} for {viewer}"


def check_match(raw: dict[str, object], seats: int, seed: int, choose: Chooser) -> int:
    """Check a whole match and return how many rounds it had."""
    draws, rounds = 0, 0
    parsed = ROMME_1.options.parse(raw, seats)
    assert not isinstance(parsed, OptionProblem)
    folded = ROMME_1.decider.new(parsed, seats)
    decode = msgspec.json.Decoder(ROMME_1.types.fact).decode
    for number, event in enumerate(events(raw, seats, seed, choose)):
        where = f"{raw} {seats} seats seed {seed} event {number} {event.move}"
        for fact in event.facts:
            if isinstance(fact, RommeRoundStarted):
                draws, rounds = 0, rounds + 1
            draws += isinstance(fact, RommeCardDrawn)
            folded = ROMME_1.decider.evolve(folded, decode(msgspec.json.encode(fact)))
        state = event.states[-1]
        assert folded == state, f"{where}: replayed differently"  # invariant 8
        assert draws <= 4 * (109 - 13 * seats), where
        if ROMME_1.decider.to_act(state):
            check_state(state, where)
        if state.phase == "draw":
            check_between_turns(state, where)
        check_scores(event, where)
        if number % 5 == 0:
            check_secrecy(event, where)
    return rounds


@pytest.mark.parametrize("house", HOUSE_RULES, ids=lambda house: "-".join(str(value) for value in house.values()))
def test_every_combination_of_house_rules_can_be_played(house: dict[str, object]) -> None:
    seed = HOUSE_RULES.index(house)
    for end in ({"rounds": 2}, {"match_end": "points", "target_score": 100}):
        assert check_match({**house, **end}, 2 + seed % 5, seed, (at_random, by_bots)[seed % 2]) >= 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("choose", [at_random, by_bots])
def test_invariants_hold_for_every_number_of_seats(seats: int, choose: Chooser) -> None:
    for seed in range(2):
        assert check_match({"rounds": 2, "joker_swap": True}, seats, seed, choose) == 2


@pytest.mark.parametrize("seats", [3, 6])
def test_a_match_of_absent_players_runs_through_the_stock_four_times(seats: int) -> None:
    for event in events({"rounds": 1}, seats, 0, absent):
        last = event.states[-1]
    assert (last.score_sheet[0].reason, last.empties) == ("exhausted", 4)
    assert check_match({"rounds": 1}, seats, 0, absent) == 1


@pytest.mark.parametrize("seats", [2, 4])
def test_notes_never_hinder_the_table_and_always_hold_the_hand(seats: int) -> None:
    """Invariants 5 and 11: with whatever is prepared and however the hand is arranged."""
    own = [private_stream.new() for _ in range(seats)]
    prepared = 0
    for number, event in enumerate(events({"rounds": 2, "joker_swap": True}, seats, 5, at_random)):
        state, where = event.states[-1], f"seed 5 event {number}"
        for seat in range(seats):
            shown = private_stream.hand(state, seat, own[seat])
            assert sorted(shown) == sorted(state.hands[seat]), where
            if not ROMME_1.decider.to_act(state):
                continue
            moves: list[RommePrivateMove] = [RommeArrangeHand((*shown[1:], shown[0]))]
            if state.phase == "play" and seat == state.turn:
                moves += [RommePrepare(meld.meld.cards, meld.meld.end) for meld in possible_melds(shown)[:2]]
            for move in moves:
                facts = private_stream.decide(state, seat, own[seat], move)
                prepared += isinstance(move, RommePrepare) and not isinstance(facts, Rejection)
                for fact in () if isinstance(facts, Rejection) else facts:
                    own[seat] = private_stream.evolve(own[seat], fact)
        if state.phase == "play":
            seat = state.turn
            discard = timeout_move(state, seat)
            assert isinstance(discard, RommeDiscard), where
            assert not isinstance(ROMME_1.decider.decide(state, seat, discard, CHANCE), Rejection), where
            if private_stream.open_drafts(state, seat, own[seat]):
                assert private_stream.resolve(state, seat, own[seat], discard) == Rejection("drafts_open", "R-42"), (
                    where
                )
                (fact,) = taken_back(state, seat, own[seat])
                assert (
                    private_stream.resolve(state, seat, private_stream.evolve(own[seat], fact), discard) == discard
                ), where
    assert prepared > 20, "hardly anything was prepared"


def taken_back(state: RommeState, seat: int, own: RommePrivateStream) -> tuple[RommePrivateStreamFact, ...]:
    facts = private_stream.decide(state, seat, own, RommeTakeBack())
    assert not isinstance(facts, Rejection)
    return facts
