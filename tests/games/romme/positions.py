"""Positions, hands and notations for the tests of Rommé."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.cards import Card
from domain.decider import Rejection, Seat
from domain.fairness import MatchChance
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.deck import DECK, dealt_hands, first_stock
from domain.games.romme.facts import RommeFact, RommePrivateStream, RommePrivateStreamFact
from domain.games.romme.melds import RommeShape, check_meld
from domain.games.romme.model import RommeMeld, RommeOptions, RommePhase, RommeState
from domain.games.romme.moves import (
    RommeChosenCard,
    RommeChosenMeld,
    RommeLay,
    RommeLayOff,
    RommeMove,
    RommePrepare,
    RommePrivateMove,
)
from domain.games.romme.options import OPTIONS
from tests.games import given

CHANCE = MatchChance(bytes(32))

# notation: "7H 8H#2 JK#1=9H", the first pack if none is named


def chosen_cards(text: str) -> tuple[RommeChosenCard, ...]:
    """Return cards as a player declares them."""
    found = []
    for word in text.split():
        card, _, face = word.partition("=")
        found.append(RommeChosenCard(card_of(card), face or None))
    return tuple(found)


def card_of(word: str) -> Card:
    """Return the id of a card, of the first pack if none is named."""
    return word if "#" in word else f"{word}#1"


def cards(text: str) -> tuple[Card, ...]:
    """Return ids."""
    return tuple(map(card_of, text.split()))


def lay(*melds: str) -> RommeLay:
    """Return the move that lays these melds."""
    return RommeLay(tuple(RommeChosenMeld(chosen_cards(meld)) for meld in melds))


def lay_off(text: str, meld: str = "m1") -> RommeLayOff:
    """Return the move that adds cards to a meld."""
    return RommeLayOff(meld, chosen_cards(text))


def prepare(text: str) -> RommePrepare:
    """Return the private move that prepares a meld."""
    return RommePrepare(chosen_cards(text))


def laid(*melds: str, seat: Seat = 0) -> tuple[RommeMeld, ...]:
    """Return melds as they lie on the table."""
    found = []
    for number, text in enumerate(melds, start=1):
        shape = check_meld(chosen_cards(text))
        assert isinstance(shape, RommeShape), text
        found.append(RommeMeld(f"m{number}", seat, shape.kind, shape.slots, shape.points))
    return tuple(found)


# positions


def options(**given: object) -> RommeOptions:
    """Return options that must be right."""
    parsed = OPTIONS.parse(given, None)
    assert isinstance(parsed, RommeOptions), parsed
    return parsed


def before(*, seats: int = 3, **given: object) -> RommeState:
    """Return the state before the first deal."""
    state: RommeState = ROMME_1.decider.new(options(**given), seats)
    return state


def position(
    hand: str,
    *,
    melds: Sequence[str] = (),
    out: bool = False,
    phase: RommePhase = "play",
    taken: str | None = None,
    drawn: str | None = None,
    others: Sequence[str] = (),
    pile: str = "",
    stock: int | None = None,
    seats: int = 3,
    totals: tuple[int, ...] | None = None,
    **given: object,
) -> RommeState:
    """Return a state in which seat 0 is on turn with this hand; it has taken or drawn a card of it.

    Cards that are not named are in the other hands, the pile's bottom (if the stock is counted) or
    the stock.
    """
    lying = laid(*melds, seat=seats - 1)
    own = cards(hand)
    named = {card for text in (hand, pile, *others) for card in cards(text)}
    named |= {slot.card for meld in lying for slot in meld.slots}
    free = [card for card in DECK if card not in named]
    rest_of_hands = [tuple(free.pop() for _ in range(13)) for _ in range(len(others) + 1, seats)]
    hands = [own, *map(cards, others), *rest_of_hands]
    top = cards(pile) or (free.pop(),)
    rest = len(free) if stock is None else stock
    deeper, left = free[: len(free) - rest], free[len(free) - rest :]
    return replace(
        before(seats=seats, **given),
        totals=totals or (0,) * seats,
        round=1,
        starter=seats - 1,
        phase=phase,
        turn=0,
        turn_number=5,
        arrivals=9,
        hands=tuple(hands),
        entered=tuple((1,) * len(each) for each in hands),
        first_lay=(30 if out else None, *(None,) * (seats - 1)),
        out_at_turn_start=out,
        taken=card_of(taken) if taken else None,
        drawn=card_of(drawn) if drawn else None,
        progress=drawn is not None,
        stock=tuple(left),
        pile=(*deeper, *top),
        melds=lying,
    )


# what happens in them


def folded(state: RommeState, facts: tuple[RommeFact, ...]) -> RommeState:
    """Return the state after facts."""
    after: RommeState = given.folded(ROMME_1, state, facts)
    return after


def accepted(
    state: RommeState, move: RommeMove, *, seat: Seat | None = None
) -> tuple[tuple[RommeFact, ...], RommeState]:
    """Return the facts of a move that must be accepted, and the state after them."""
    return given.accepted(ROMME_1, state, state.turn if seat is None else seat, move, CHANCE)


def after(state: RommeState, *moves: RommeMove) -> RommeState:
    """Return the state after moves of whoever is on turn, all of which must be accepted."""
    for move in moves:
        _, state = accepted(state, move)
    return state


def rejected(state: RommeState, move: RommeMove, *, seat: Seat | None = None) -> Rejection:
    """Return why a move is refused; it must be."""
    return given.refused(ROMME_1, state, state.turn if seat is None else seat, move, CHANCE)


def code(state: RommeState, move: RommeMove, *, seat: Seat | None = None) -> str:
    """Return the code of the refusal, `ok` if there is none."""
    answer = ROMME_1.decider.decide(state, state.turn if seat is None else seat, move, CHANCE)
    return answer.code if isinstance(answer, Rejection) else "ok"


def privately(
    state: RommeState, own: RommePrivateStream, *moves: RommePrivateMove, seat: Seat = 0
) -> RommePrivateStream:
    """Return the private state after private moves, all of which must be accepted."""
    for move in moves:
        _, own = private_facts(state, own, move, seat=seat)
    return own


def private_facts(
    state: RommeState, own: RommePrivateStream, move: RommePrivateMove, *, seat: Seat = 0
) -> tuple[tuple[RommePrivateStreamFact, ...], RommePrivateStream]:
    """Return the facts of a private move that must be accepted, and the private state after them."""
    facts = private_stream.decide(state, seat, own, move)
    assert not isinstance(facts, Rejection), facts
    for fact in facts:
        own = private_stream.evolve(own, fact)
    return facts, own


def started(seats: int, order: Sequence[Card], starter: Seat = 0, **given: object) -> RommeState:
    """Return the first round after the deal of a stacked pack."""
    hands = dealt_hands(tuple(order), starter, seats)
    return replace(
        before(seats=seats, **given),
        round=1,
        starter=starter,
        turn=starter,
        phase="opening",
        turn_number=1,
        arrivals=1,
        hands=hands,
        entered=tuple((1,) * len(hand) for hand in hands),
        stock=first_stock(tuple(order), seats),
    )
