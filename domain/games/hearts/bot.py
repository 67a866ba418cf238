"""A player that follows well-known rules of thumb and knows only what its seat may see.

It weighs what a card may cost in this trick against what keeping it may cost later. The numbers are
points; they were tuned by letting variants of the player play the same deals.
"""

from collections.abc import Callable, Sequence
from typing import Final

from domain.cards import SUITS, Card, in_canonical_order
from domain.decider import Seat
from domain.games.hearts.deal import PASS_COUNT
from domain.games.hearts.knowledge import RANK, HeartsView, Knowledge, knowledge
from domain.games.hearts.model import HeartsLegalPass, HeartsLegalPlay, HeartsMove, HeartsPass, HeartsPlay
from domain.games.hearts.values import BONUS_CARD, MOON_CARDS, penalties

_QUEEN: Final = "QS"
_HIGH_SPADES: Final = ("QS", "KS", "AS")
_GUARDED: Final = 5
"""With this many low spades the high ones are not passed."""
_MOON_THREAT: Final = 0.4
"""Somebody who has taken this share of the moon cards, and nobody else any, is taken seriously."""


def bot(view: HeartsView, seed: int) -> HeartsMove:
    """Return a sensible move; the seed decides between moves that look equally good."""
    entry = view.legal[0]
    place = seed % len(entry.cards)
    cards = (*entry.cards[place:], *entry.cards[:place])  # among equals the first one is taken
    if isinstance(entry, HeartsLegalPass):
        return HeartsPass(_cards_to_pass(view, cards))
    if len(cards) == 1:
        return HeartsPlay(cards[0])
    known = knowledge(view)
    if not known.trick and _takes_the_rest(known):
        return HeartsPlay(max(cards, key=RANK.__getitem__))
    return HeartsPlay(max(cards, key=lambda card: (_value(known, card), RANK[card])))


# passing


def _cards_to_pass(view: HeartsView, hand: Sequence[Card]) -> tuple[Card, ...]:
    """Pass high spades that are not guarded, high hearts, and high cards of short suits."""
    options = view.options
    worth = penalties(options)
    lengths = {suit: sum(card[1] == suit for card in hand) for suit in SUITS}
    guards = sum(card[1] == "S" and card not in _HIGH_SPADES for card in hand)

    def wish(card: Card) -> float:
        suit = card[1]
        if suit == "S":
            if card not in _HIGH_SPADES:
                return -5.0  # low spades guard against the queen
            return 30.0 + worth.get(card, 0) if guards < _GUARDED else -1.0
        if suit == "H":
            return 1.2 * RANK[card] + 0.5 * worth[card] - 4
        if options.omnibus and suit == "D" and RANK[card] >= RANK[BONUS_CARD]:
            return -3.0  # the jack, or a card that catches it
        return RANK[card] + 2.5 * max(0, 4 - lengths[suit]) - 4

    return in_canonical_order(sorted(hand, key=wish)[-PASS_COUNT:])


# playing


def _value(known: Knowledge, card: Card) -> float:
    """Return what speaks for playing a legal card, in points."""
    relief = _relief(known, card)
    if not known.trick:
        return relief - 1.5 * _cost(known, card) + _search(known, card)
    if card[1] == known.trick[0][1]:  # duck with a high card; take what costs nothing with a higher one
        return relief - 1.5 * _cost(known, card) - _gift(known, card)
    return relief + max(0, known.worth.get(card, 0)) - _gift(known, card)  # get rid of what is expensive


def _search(known: Knowledge, card: Card) -> float:
    """Return the gain of leading low spades, which make the queen fall, unless on oneself."""
    if card[1] != "S" or _QUEEN not in known.unseen["S"] or any(high in known.hand for high in _HIGH_SPADES):
        return 0.0
    return known.worth[_QUEEN] / 8


def _relief(known: Knowledge, card: Card) -> float:
    """Return how many points the rest of the hand is expected to cost less without the card.

    A low card guards the higher ones of its suit, so playing it may cost more than it saves.
    """
    suit = [other for other in known.hand if other[1] == card[1]]
    rest = [other for other in suit if other != card]
    return sum([_burden(known, other, suit) for other in suit]) - sum([_burden(known, other, rest) for other in rest])


def _burden(known: Knowledge, card: Card, suit: Sequence[Card]) -> float:
    """Return the points that a card may cost in later tricks, held with these cards of its suit."""
    unseen, rank, value = known.unseen[card[1]], RANK[card], known.worth.get(card, 0)
    if value < 0:
        return 0.8 * value
    guards = sum([RANK[other] < rank for other in suit])
    risk = (known.lower(card) / len(unseen) if unseen else 0.5) / (1 + 1.2 * guards)
    burden = risk * (value + 0.75 * known.points_left / len(known.hand))
    if card == _QUEEN:
        return burden + value * (0.3 if guards < 3 else 0.1)
    if card in _HIGH_SPADES and _QUEEN in known.unseen["S"]:
        return burden + known.worth[_QUEEN] * (0.2 if guards < 3 else 0.05)
    return burden


def _cost(known: Knowledge, card: Card) -> float:
    """Return the points expected from this trick if the card of the suit led is played to it."""
    if RANK[card] < known.best:
        return 0.0
    points: float = sum([known.worth.get(other, 0) for other in (*known.trick, card)])
    chance = 1.0
    forced = _forced_to_take(known, card)
    for seat in known.later:
        points += _expected_from(known, seat, card)
        if card[1] not in known.lacking[seat]:
            chance *= 1 - forced
    if _moon_threat(known) is not None and not MOON_CARDS.isdisjoint((*known.trick, card)):
        points -= _moon_stake(known) / 2  # one heart stops it
    return chance * points


def _forced_to_take(known: Knowledge, card: Card) -> float:
    """Return the chance that a later seat has only higher cards of the suit and must overtake."""
    lower = known.lower(card)
    higher = len(known.unseen[card[1]]) - lower
    elsewhere = 1 - 1 / known.holders[card[1]]
    return float(elsewhere**lower * (1 - elsewhere**higher))


def _expected_from(known: Knowledge, seat: Seat, card: Card) -> float:
    """Return the points that a later seat is likely to add to a trick that this card takes."""
    suit = card[1]
    unseen, holders, worth = known.unseen[suit], known.holders[suit], known.worth
    empty = 1.0 if suit in known.lacking[seat] else (1 - 1 / holders) ** len(unseen)
    below = [worth.get(other, 0) for other in unseen if RANK[other] < RANK[card]]
    following = sum(below) / (len(below) if suit == "H" else holders) if below else 0.0
    if known.first:
        return (1 - empty) * following
    dumped = 0.0
    if suit != "H" and known.unseen["H"]:
        dumped = 1.2 * sum([worth[heart] for heart in known.unseen["H"]]) / len(known.unseen["H"])
    if suit != "S":
        dumped += sum([worth.get(high, 0) for high in _HIGH_SPADES if high in known.unseen["S"]]) / known.holders["S"]
    return (1 - empty) * following + empty * dumped


# the moon


def _moon_threat(known: Knowledge) -> Seat | None:
    """Return the other seat that may be about to shoot the moon."""
    if not known.moon_possible or len(known.moon_cards) != 1:
        return None
    ((seat, count),) = known.moon_cards.items()
    return seat if seat != known.seat and count >= _MOON_THREAT * len(MOON_CARDS) else None


def _moon_stake(known: Knowledge) -> float:
    """Return what it is worth to stop a threatening moon: more, the more cards it has."""
    return sum([known.worth[card] for card in MOON_CARDS]) * sum(known.moon_cards.values()) / len(MOON_CARDS)


def _gift(known: Knowledge, card: Card) -> float:
    """Return what it costs to give a moon card to somebody who may be shooting the moon."""
    threat = _moon_threat(known)
    if threat is None or threat != known.best_seat or card not in MOON_CARDS:
        return 0.0
    if card[1] == known.trick[0][1] and RANK[card] > known.best:
        return 0.0
    return known.worth[card] + _moon_stake(known)


def _takes_the_rest(known: Knowledge) -> bool:
    """Whether the seat on lead shoots the moon with its highest cards, wherever the other cards are."""
    if not known.moon_possible or set(known.moon_cards) - {known.seat}:
        return False
    for suit in SUITS:
        unseen = known.unseen[suit]
        own = sorted([RANK[card] for card in known.hand if card[1] == suit], reverse=True)
        if any(unseen and rank < RANK[unseen[-1]] for rank in own[: len(unseen)]):
            return False
    return True


# any legal move


def sample(view: HeartsView, choose: Callable[[int], int]) -> HeartsMove:
    """Return any move that `legal` allows: over all choices, each of them."""
    entry = view.legal[0]
    if isinstance(entry, HeartsLegalPlay):
        return HeartsPlay(entry.cards[choose(len(entry.cards))])
    left = list(entry.cards)
    return HeartsPass(tuple(left.pop(choose(len(left))) for _ in range(entry.count)))
