"""The worked cases of runs, VC-22 to VC-37."""

import pytest

from domain.games.von_herzen.moves import VonHerzenLay
from domain.games.von_herzen.runs import runs_in
from tests.games.von_herzen.positions import after, cards, melding, refused

LEGAL = [
    # id, cards, colour, joker
    ("VC-22", "9H TD JH QD", "red", None),
    ("VC-23", "KS AC 7S", "black", None),
    ("VC-24", "KH AD 7H 8D", "red", None),
    ("VC-27", "8H 9D TS JH", "red", "TS"),
    ("VC-30", "9C TC JC QD", "black", "QD"),
    ("VC-31", "QD KS AS 7C", "black", "QD"),
    ("VC-34", "7H 8H 9H TH JH QH KH AH", "red", None),
    ("VC-36", "JH QD KH AD 7H 8C 9D TH", "red", "8C"),
]
ILLEGAL = [
    # id, cards, code, rule
    ("VC-25", "8H 9D", "run_too_short", "V-36"),
    ("VC-26", "8H 9D TS", "too_few_real_cards", "V-39"),
    ("VC-28", "8H 9S TS JH", "two_jokers", "V-37"),
    ("VC-29", "7H 8D 9S TH JC", "two_jokers", "V-37"),
    ("VC-32", "TH JH KH", "not_in_sequence", "V-36"),
    ("VC-33", "8H 8D 9H", "rank_twice", "V-41"),
    ("VC-35", "7H 8H 9H TH JH QH KH AH 7D", "rank_twice", "V-41"),
    ("VC-37", "TH 9H 8H", "not_in_sequence", "V-36"),
]


@pytest.mark.parametrize(("text", "colour", "joker"), [pytest.param(*row, id=case) for case, *row in LEGAL])
def test_these_cards_are_a_run(text: str, colour: str, joker: str | None) -> None:
    # given: the cards and one that stays in the hand
    state = melding(["7S 8S", f"{text} JS"], turn=1)
    # when
    state = after(state, (1, VonHerzenLay(cards(text))))
    # then
    (run,) = state.melds
    assert (run.owner, run.cards, run.colour, run.joker) == (1, cards(text), colour, joker)
    assert state.hands[1] == ("JS",)


@pytest.mark.parametrize(("text", "code", "rule"), [pytest.param(*row, id=case) for case, *row in ILLEGAL])
def test_these_cards_are_not_a_run(text: str, code: str, rule: str) -> None:
    state = melding(["7S 8S", f"{text} JS"], turn=1)
    assert refused(state, 1, VonHerzenLay(cards(text))) == (code, rule)
    assert cards(text) not in runs_in(state.hands[1])
