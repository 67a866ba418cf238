"""What the conformance suite needs to know of Rommé."""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from domain.cards import RANKS, SUITS, Card
from domain.decider import Seat
from domain.games.romme.deck import DECK, FACE
from domain.games.romme.facts import RommeCardDrawn, RommeFact, RommePrivateStream, RommeRoundEnded
from domain.games.romme.fold import running
from domain.games.romme.melds import chosen
from domain.games.romme.model import RommeLegal, RommeMeld, RommeState
from domain.games.romme.moves import (
    RommeArrangeHand,
    RommeAskMelds,
    RommeAskPartition,
    RommeAskReadings,
    RommeChosenCard,
    RommeChosenMeld,
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommeLay,
    RommeLayOff,
    RommeMove,
    RommeMoveCard,
    RommePrepare,
    RommePrivateMove,
    RommeQuestion,
    RommeSortHand,
    RommeSwapJoker,
    RommeTakeBack,
)
from domain.games.romme.offers import listed_moves
from domain.games.romme.partition import possible_melds
from domain.games.romme.private_stream import open_drafts
from tests.conformance.zones import EVERYBODY, Zone

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({"rounds": 1}, 2),
    ({}, None),
    ({"rounds": 2, "joker_swap": True, "first_meld_min": 0}, 3),
    ({"match_end": "points", "target_score": 100, "hand_romme_double": False}, 4),
    ({"match_end": "points", "target_score": 200, "first_meld_min": 40, "joker_swap": True}, 5),
    ({"match_end": "points", "target_score": 300, "discard_draw": "after_out"}, 6),
    ({"match_end": "points", "joker_swap": True, "hand_romme_double": False, "discard_draw": "after_out"}, 6),
    ({"match_end": "points", "target_score": 1000, "first_meld_min": 0, "joker_swap": True}, 6),
    ({"match_end": "open", "first_meld_min": 40, "discard_draw": "after_out"}, 3),
    ({"rounds": 3, "joker_swap": True, "hand_romme_double": False}, 4),
    ({"rounds": 1, "first_meld_min": 0, "joker_swap": True, "discard_draw": "after_out"}, 5),
]
OPTION_CHANGES: tuple[dict[str, object], ...] = (
    {"joker_swap": True},
    {"first_meld_min": 40, "discard_draw": "after_out"},
    {"first_meld_min": 0, "hand_romme_double": False, "joker_swap": False},
    {"rounds": 30},
)
SHORT = ({"rounds": 1}, 3)
PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "two_players_three_rounds": ({"rounds": 3}, 2),
    "four_players_to_100_points": ({"match_end": "points", "target_score": 100, "joker_swap": True}, 4),
    "three_players_open_end": ({"match_end": "open", "first_meld_min": 40, "discard_draw": "after_out"}, 3),
    "six_players_any_first_meld": ({"rounds": 2, "first_meld_min": 0, "hand_romme_double": False}, 6),
}
EVENTS_MAX = 12_000
FACTS_THAT_REVEAL = (RommeCardDrawn, RommeRoundEnded)

_NO_CARDS = ("QX#1", "QS", "QS#3", "JK#7", "", "qs#1")


def reveals(fact: RommeFact, viewer: Seat | None) -> bool:
    """A card from the stock is shown to whoever drew it, hands at the end to everybody."""
    return not isinstance(fact, RommeCardDrawn) or fact.seat == viewer


def unlisted(move: RommeMove) -> bool:
    """Melds cannot be listed, nor can several cards that are laid off together."""
    return isinstance(move, RommeLay) or (isinstance(move, RommeLayOff) and len(move.cards) > 1)


def listed(legal: tuple[RommeLegal, ...], hand: tuple[Card, ...]) -> Iterable[RommeMove]:
    """All moves that these entries list."""
    for entry in legal:
        yield from listed_moves(entry)


# moves that a seat might try


def candidates(state: RommeState, seat: Seat) -> Iterator[RommeMove]:
    """Draws, discards of every card, lay-offs and swaps at every meld, and some lays, good and bad."""
    yield from (RommeDrawStock(), RommeDrawPile())
    yield from (RommeDiscard(card) for card in (*DECK, *_NO_CARDS))
    hand = state.hands[seat]
    others = state.hands[(seat + 1) % state.seats][:2]
    for meld in state.melds:
        yield from _lay_offs(meld, (*hand, *others))
        for slot in meld.slots:
            yield from (RommeSwapJoker(meld.id, slot.card, card) for card in (*hand, *others[:1]))
    yield RommeLayOff("m99", (RommeChosenCard(DECK[0]),))
    yield RommeSwapJoker("m99", "JK#1", DECK[0])
    yield from _lays(hand, others)


def _lay_offs(meld: RommeMeld, cards: tuple[Card, ...]) -> Iterator[RommeMove]:
    yield RommeLayOff(meld.id, ())
    yield RommeLayOff(meld.id, (RommeChosenCard("XX"),))
    rank, suit = meld.slots[0].face[0], meld.slots[0].face[1]
    near = [rank + other for other in SUITS] if meld.kind == "set" else [other + suit for other in RANKS]
    for card in cards:
        faces = (None,) if card in FACE else (None, *near, "2C", "nothing")
        for face in faces:
            yield RommeLayOff(meld.id, (RommeChosenCard(card, face),))
            if "A" in (card[0], (face or "-")[:1]):
                yield RommeLayOff(meld.id, (RommeChosenCard(card, face),), "low")
                yield RommeLayOff(meld.id, (RommeChosenCard(card, face),), "high")
    yield RommeLayOff(meld.id, tuple(RommeChosenCard(card) for card in cards[:2]))


def _lays(hand: tuple[Card, ...], others: tuple[Card, ...]) -> Iterator[RommeMove]:
    yield from (RommeLay(), RommeLay(()), RommeLay((RommeChosenMeld(()),)))
    found = [meld.meld for meld in possible_melds(hand)][:12]
    yield from (RommeLay((meld,)) for meld in found)
    yield from (RommeLay((one, two)) for one, two in pairwise(found))
    for cards in (hand[:3], hand[-3:], (*hand[:2], *others[:1]), ("XX", *hand[:2])):
        yield RommeLay((RommeChosenMeld(tuple(map(RommeChosenCard, cards))),))


def private_moves(state: RommeState, seat: Seat, own: RommePrivateStream) -> Iterator[RommePrivateMove]:
    """Orders of the hand, melds to prepare, drafts to take back; some that do not fit."""
    hand = state.hands[seat]
    yield from (RommeSortHand("suit"), RommeSortHand("rank"), RommeArrangeHand(hand[::-1]), RommeArrangeHand(hand[1:]))
    for card in (*hand[:2], *hand[-1:], "XX", DECK[0]):
        yield from (RommeMoveCard(card, 0), RommeMoveCard(card, len(hand) - 1), RommeMoveCard(card, 99))
    for meld in possible_melds(hand)[:6]:
        yield RommePrepare(meld.meld.cards, meld.meld.end)
    yield RommePrepare(tuple(map(RommeChosenCard, hand[:3])))
    for draft in open_drafts(state, seat, own):
        again = chosen(draft.kind, draft.slots)
        yield from (RommePrepare(again.cards, again.end), RommeTakeBack(draft.draft))
    yield from (RommeTakeBack(), RommeTakeBack("p99"))


def questions(state: RommeState, seat: Seat) -> Iterator[RommeQuestion]:
    """Everything that can be asked, of cards held and not held, for melds that are there and not."""
    hand = state.hands[seat]
    yield from (RommeAskPartition(), RommeAskMelds(), RommeAskReadings(()), RommeAskReadings(("XX",)))
    yield from (RommeAskReadings(hand[:3]), RommeAskReadings(hand[:3], "m99"), RommeAskReadings(DECK[:3]))
    yield from (RommeAskReadings(hand[:1], meld.id) for meld in state.melds)
    for meld in possible_melds(hand)[:6]:
        yield RommeAskReadings(tuple(card.card for card in meld.meld.cards))


# cards and what is hidden of them


def zones(state: RommeState) -> list[Zone]:
    """Hands, known to all when the round is over and where they were taken openly; stock, pile and table."""
    table = [slot.card for meld in state.melds for slot in meld.slots]
    found = [Zone(state.stock[state.stock_drawn :], ()), Zone((*state.pile, *table), EVERYBODY)]
    for seat, hand in enumerate(state.hands):
        found.append(Zone([card for card in hand if card in state.shown[seat]], EVERYBODY))
        kept = [card for card in hand if card not in state.shown[seat]]
        found.append(Zone(kept, (seat,) if running(state) else EVERYBODY))
    return found
