"""Recorded rounds played again by our rules: the first difference, and how often rare things occur."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec

from domain.decider import view_of
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import (
    HeartsLegalPass,
    HeartsLegalPlay,
    HeartsPass,
    HeartsPlay,
    HeartsRoundScored,
    HeartsState,
)
from domain.games.hearts.rules import legal_cards
from domain.games.hearts.values import MOON_CARDS
from tests.games.hearts.corpus.recorded import RecordedRound, after_passing
from tests.games.hearts.positions import accepted, dealt, options

_ROUND_OF_DIRECTION: Final = {1: 1, 3: 2, 2: 3, 0: 4}
_TABLES: Final = {jd_bonus: options(omnibus=jd_bonus, target_score=5000) for jd_bonus in (False, True)}
_OTHER_TABLES: Final = (options("SPOT OM"), options("BM"), options("SPOT BM"))


def difference(recorded: RecordedRound) -> str | None:
    """Return where our rules first differ from a recorded round, None if they agree at every step."""
    table = _TABLES[recorded.jd_bonus]
    state = dealt(recorded.deal(), table, round_number=_ROUND_OF_DIRECTION[recorded.direction])
    if state.offset != recorded.direction:
        return f"offset {state.offset}, recorded {recorded.direction}"
    if found := _difference_of_passes(recorded, state):
        return found
    for start in range(0, len(recorded.passes), 3):
        seat = recorded.passes[start].seat
        _, state = accepted(state, seat, HeartsPass(tuple(step.card for step in recorded.passes[start : start + 3])))
    return _difference_of_plays(recorded, state)


def _difference_of_passes(recorded: RecordedRound, state: HeartsState) -> str | None:
    """Compare the legal cards of each single-card pass; nobody's pass depends on another's."""
    chosen: list[str] = []
    for number, step in enumerate(recorded.passes):
        (entry,) = view_of(HEARTS_1, state, step.seat).legal
        assert isinstance(entry, HeartsLegalPass)
        ours = set(entry.cards).difference(chosen)
        if step.seat != number // 3 or ours != set(step.legal):
            return f"pass {number}: seat {step.seat} may pass {sorted(step.legal)}, ours {sorted(ours)}"
        chosen.append(step.card)
    return None


def _difference_of_plays(recorded: RecordedRound, state: HeartsState) -> str | None:
    for number, step in enumerate(recorded.plays):
        (seat,) = HEARTS_1.decider.to_act(state)
        if seat != step.seat:
            return f"play {number}: seat {step.seat} is to play, ours {seat}"
        (entry,) = HEARTS_1.views.legal(state, seat)
        assert isinstance(entry, HeartsLegalPlay)
        if set(entry.cards) != set(step.legal):
            return f"play {number}: seat {seat} may play {sorted(step.legal)}, ours {sorted(entry.cards)}"
        if state.broken != step.broken:
            return f"play {number}: hearts broken {step.broken}, ours {state.broken}"
        if state.tricks and number % 4 == 0 and (found := _difference_elsewhere(number, state)):
            return found
        facts, state = accepted(state, seat, HeartsPlay(step.card))
        if number % 4 == 3 and number < 51:
            points = tuple(map(int.__add__, state.points, state.bonus))
            if points != recorded.points[number // 4]:
                return f"play {number}: points {recorded.points[number // 4]}, ours {points}"
    scored = facts[2]
    assert isinstance(scored, HeartsRoundScored)
    if scored.results != recorded.results:
        return f"results {recorded.results}, ours {scored.results}"
    return None


def _difference_elsewhere(number: int, state: HeartsState) -> str | None:
    """After the first trick every table has the same legal cards (a lead depends on most)."""
    table = _OTHER_TABLES[number // 4 % len(_OTHER_TABLES)]
    ours = legal_cards(msgspec.structs.replace(state, options=table))
    return None if ours == legal_cards(state) else f"play {number}: legal cards differ at {table}: {ours}"


def occurrences(rounds: Iterable[RecordedRound]) -> Counter[str]:
    """Count rounds by kind and option, and how often rare positions occur in them."""
    count: Counter[str] = Counter()
    for recorded in rounds:
        count.update(
            ["rounds", f"kind {recorded.kind}", f"jd_bonus {recorded.jd_bonus}", f"direction {recorded.direction}"]
        )
        count.update(_rare_plays(recorded))
        count.update(_rare_ends(recorded))
    return count


def _rare_plays(recorded: RecordedRound) -> Iterable[str]:
    hands = [set(hand) for hand in after_passing(recorded.hands, recorded.passes, recorded.direction)]
    for number, step in enumerate(recorded.plays):
        hand = hands[step.seat]
        others = {card for card in hand if card[1] != "H"}
        if number < 4 and number and not any(card[1] == "C" for card in hand):
            if hand <= MOON_CARDS:
                yield "H-24: only penalty cards in the first trick"
                yield f"H-24: {'QS' if step.card == 'QS' else 'a heart'} played"
            elif hand & MOON_CARDS:
                yield "H-23: ban binds in the first trick"
        if number >= 4 and number % 4 == 0 and not step.broken:
            if not others:
                yield "H-27: lead from only hearts, unbroken"
            elif others == {"QS"} and len(hand) > 1:
                yield "H-28: QS must be led"
            elif len(others) < len(hand):
                yield "H-27: hearts may not be led"
        hand.remove(step.card)


def _rare_ends(recorded: RecordedRound) -> Iterable[str]:
    takers, jack = set(), -1
    for start in range(0, 52, 4):
        cards = [step.card for step in recorded.plays[start : start + 4]]
        led = [step for step in recorded.plays[start : start + 4] if step.card[1] == cards[0][1]]
        winner = max(led, key=lambda step: "23456789TJQKA".index(step.card[0])).seat
        if not MOON_CARDS.isdisjoint(cards):
            takers.add(winner)
        if "JD" in cards:
            jack = winner
    if len(takers) == 1:
        yield "moon"
        if recorded.jd_bonus:
            yield f"moon with bonus, jack {'taken by the shooter' if jack in takers else 'taken by another'}"
