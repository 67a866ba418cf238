"""Runs: two colours, a cycle of eight ranks, at most one joker."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from domain.cards import Card, pack
from domain.decider import Rejection
from domain.games.von_herzen.facts import VonHerzenCards
from domain.games.von_herzen.model import VonHerzenColour, VonHerzenRun
from domain.games.von_herzen.moves import VonHerzenEnd

RANKS: Final = "789TJQKA"  # V-3
PACK: Final = pack(RANKS)  # V-2
PACK_SET: Final = frozenset(PACK)
FULL: Final = len(RANKS)  # V-41
LEAST_REAL: Final = 3  # V-39

COLOUR: Final[dict[Card, VonHerzenColour]] = {card: "black" if card[1] in "CS" else "red" for card in PACK}  # V-4
PLACE: Final[dict[Card, int]] = {card: RANKS.index(card[0]) for card in PACK}
"""Place of a card's rank in the cycle, 0..7."""

_TOO_SHORT: Final = Rejection("run_too_short", "V-36")
_RANK_TWICE: Final = Rejection("rank_twice", "V-41")
_NOT_IN_SEQUENCE: Final = Rejection("not_in_sequence", "V-36")
_TWO_JOKERS: Final = Rejection("two_jokers", "V-37")
_TOO_FEW_REAL_CARDS: Final = Rejection("too_few_real_cards", "V-39")
_RUN_CLOSED: Final = Rejection("run_closed", "V-49")
_JOKER_ON_FOREIGN_RUN: Final = Rejection("joker_on_foreign_run", "V-44")
_DOES_NOT_FIT: Final = Rejection("card_does_not_fit", "V-44")
_DOES_NOT_FIT_OWN: Final = Rejection("card_does_not_fit", "V-45")
_JOKER_LAYOFF_OFF: Final = Rejection("joker_layoff_off", "V-46")

_NEXT: Final = {rank: RANKS[(place + 1) % FULL] for place, rank in enumerate(RANKS)}  # V-3
_CYCLE: Final = RANKS + RANKS
_BLACK: Final = frozenset(card for card in PACK if COLOUR[card] == "black")
_RED: Final = _BLACK.symmetric_difference(PACK)
_BEFORE: Final = {after: rank for rank, after in _NEXT.items()}


def refusal_of_run(cards: Sequence[Card]) -> Rejection | None:
    """Return why different cards, listed low to high, are not a run; None if they are one (V-36 to V-41)."""
    if len(cards) < LEAST_REAL:
        return _TOO_SHORT
    if len({card[0] for card in cards}) < len(cards):
        return _RANK_TWICE
    if any(_NEXT[low[0]] != high[0] for low, high in pairwise(cards)):
        return _NOT_IN_SEQUENCE
    black = sum(COLOUR[card] == "black" for card in cards)
    fewer = min(black, len(cards) - black)
    if fewer >= 2:
        return _TWO_JOKERS
    if len(cards) - fewer < LEAST_REAL:
        return _TOO_FEW_REAL_CARDS
    return None


def is_run(cards: VonHerzenCards) -> bool:
    """Whether different cards, listed low to high, are a run: `refusal_of_run` without the reason, but faster."""
    count = len(cards)
    black = len(_BLACK.intersection(cards))
    real = max(black, count - black)
    return LEAST_REAL <= real >= count - 1 and count <= FULL and "".join([card[0] for card in cards]) in _CYCLE


def new_run(number: int, owner: int, cards: VonHerzenCards) -> VonHerzenRun:
    """Return the run that these cards form, with its colour and joker (V-42)."""
    black = _BLACK.intersection(cards)
    colour: VonHerzenColour = "black" if len(black) > 1 else "red"
    jokers = _RED.intersection(cards) if colour == "black" else black
    return VonHerzenRun(number, owner, cards, colour, min(jokers) if jokers else None)


def extended(run: VonHerzenRun, card: Card, end: VonHerzenEnd) -> VonHerzenRun:
    """Return the run with one card more at this end."""
    cards = (*run.cards, card) if end == "up" else (card, *run.cards)
    joker = run.joker if COLOUR[card] == run.colour else card
    return VonHerzenRun(run.id, run.owner, cards, run.colour, joker)


def needed_rank(run: VonHerzenRun, end: VonHerzenEnd) -> str:
    """Return the rank that continues the run at this end."""
    return _NEXT[run.cards[-1][0]] if end == "up" else _BEFORE[run.cards[0][0]]


def refusal_of_lay_off(
    run: VonHerzenRun, card: Card, end: VonHerzenEnd, *, own: bool, own_joker: bool
) -> Rejection | None:
    """Return why a card cannot be added at this end of a run, None if it can (V-44 to V-49).

    `own`: the run belongs to the one who adds; `own_joker`: the option `own_joker_layoff`.
    """
    if len(run.cards) == FULL:
        return _RUN_CLOSED
    if card[0] != needed_rank(run, end):
        return _DOES_NOT_FIT_OWN if own else _DOES_NOT_FIT
    if COLOUR[card] == run.colour:
        return None
    if not own:
        return _JOKER_ON_FOREIGN_RUN
    if run.joker is not None:
        return _TWO_JOKERS
    return None if own_joker else _JOKER_LAYOFF_OFF


def takes(run: VonHerzenRun, card: Card, end: VonHerzenEnd, *, own: bool, own_joker: bool) -> bool:
    """Whether a run takes a card at this end: `refusal_of_lay_off` without the reason, but faster."""
    if len(run.cards) == FULL or card[0] != (_NEXT[run.cards[-1][0]] if end == "up" else _BEFORE[run.cards[0][0]]):
        return False
    return COLOUR[card] == run.colour or (own and own_joker and run.joker is None)


def runs_in(hand: Sequence[Card]) -> tuple[VonHerzenCards, ...]:
    """Return one run for each colour, lowest rank and length that the hand can lay, longest first.

    A joker stands only where the hand lacks the card of the colour. If the hand can lay any run at
    all, the one of the same colour, lowest rank and length is listed.
    """
    held = 0
    for card in hand:
        held |= 1 << PLACE[card]
    lows = _LOWS[held]
    if not lows:
        return ()
    red: list[Card | None] = [None] * FULL
    black: list[Card | None] = [None] * FULL
    for card in hand:
        (red if COLOUR[card] == "red" else black)[PLACE[card]] = card
    red += red
    black += black
    found: list[VonHerzenCards] = []
    for real, other in ((black, red), (red, black)):
        for low in lows:
            _runs_from(low, real, other, found)
    found.sort(key=len, reverse=True)
    return tuple(found)


def _lows(held: int) -> tuple[int, ...]:
    """Return the places from which on the ranks that every run begins with are held, whatever the colours."""
    return tuple(low for low in range(FULL) if all(held >> (low + step) % FULL & 1 for step in range(LEAST_REAL)))


_LOWS: Final = tuple(map(_lows, range(1 << FULL)))
"""For each set of ranks, its places as bits, where runs may begin."""


def _runs_from(
    low: int, real: Sequence[Card | None], other: Sequence[Card | None], found: list[VonHerzenCards]
) -> None:
    """Add the runs of one colour that begin at place `low` of the cycle, a joker where it is needed.

    The cards of both colours are by place, the cycle twice, so that no run goes over its end.
    """
    cards: list[Card] = []
    joker = False
    for place in range(low, low + FULL):
        card = real[place]
        if card is None:
            card = None if joker else other[place]
            joker = True
        if card is None:
            return
        cards.append(card)
        if len(cards) - joker >= LEAST_REAL:
            found.append(tuple(cards))
