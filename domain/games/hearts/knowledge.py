"""What a seat that is to play can work out from its view: unseen cards, empty suits, who took what."""

from dataclasses import dataclass
from typing import Final, TypeAlias

from domain.cards import SUITS, Card
from domain.decider import Seat, SeatView
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import HeartsBoard, HeartsLegal, HeartsOptions, HeartsPrivate
from domain.games.hearts.values import BONUS, BONUS_CARD, MOON_CARDS, STRENGTH, penalties

HeartsView: TypeAlias = SeatView[HeartsOptions, HeartsBoard, HeartsPrivate, HeartsLegal]

RANK: Final[dict[Card, int]] = {card: STRENGTH[card[0]] for card in PACK[4]}
"""Place of a card's rank: 0 for the two to 12 for the ace."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the seat to play knows, as far as the rules of thumb need it."""

    seat: Seat
    hand: tuple[Card, ...]
    trick: tuple[Card, ...]
    first: bool
    """It is the first trick, in which hardly anybody may discard a penalty card."""
    worth: dict[Card, int]
    """Points of penalty cards, and of the bonus card (negative) if it counts."""
    unseen: dict[str, list[Card]]
    """By suit, the cards in other hands, lowest first."""
    holders: dict[str, int]
    """By suit, how many other seats may still hold it; at least 1."""
    later: tuple[Seat, ...]
    """The seats that play to the trick after this one."""
    lacking: list[set[str]]
    """By seat, the suits it has shown not to hold."""
    points_left: int
    """Points of all penalty cards that are still in hands."""
    best: int
    """Rank of the card that takes the trick so far; -1 for an empty trick."""
    best_seat: Seat | None
    """The seat that takes the trick so far."""
    moon_possible: bool
    """The table has a moon."""
    moon_cards: dict[Seat, int]
    """How many hearts and queens of spades each seat has taken in this round, if any."""

    def lower(self, card: Card) -> int:
        """Return how many unseen cards of the suit are lower."""
        rank = RANK[card]
        return sum([RANK[other] < rank for other in self.unseen[card[1]]])


def knowledge(view: HeartsView) -> Knowledge:
    """Return what the seat of a view knows when it is to play."""
    board = view.board
    trick, seats = board.trick, len(board.hand_sizes)
    played = {*view.hand, *trick, *[card for done in board.tricks for card in done.cards]}
    unseen: dict[str, list[Card]] = {suit: [] for suit in SUITS}
    for card in PACK[seats]:
        if card not in played:
            unseen[card[1]].append(card)
    lacking = _lacking(board)
    others = [other for other in range(seats) if other != view.seat]
    worth = penalties(view.options)
    best, best_seat = _best(board)
    return Knowledge(
        seat=view.seat,
        hand=view.hand,
        trick=trick,
        first=not board.tricks,
        worth={**worth, BONUS_CARD: BONUS} if view.options.omnibus else worth,
        unseen=unseen,
        holders={suit: max(1, sum([suit not in lacking[other] for other in others])) for suit in SUITS},
        later=tuple([(view.seat + step) % seats for step in range(1, seats - len(trick))]),
        lacking=lacking,
        points_left=sum(worth.values()) - sum(board.points) - sum([worth.get(card, 0) for card in trick]),
        best=best,
        best_seat=best_seat,
        moon_possible=not view.options.black_maria,
        moon_cards=_moon_cards(board),
    )


def _lacking(board: HeartsBoard) -> list[set[str]]:
    seats = len(board.hand_sizes)
    lacking: list[set[str]] = [set() for _ in range(seats)]
    for leader, cards in [*[(done.leader, done.cards) for done in board.tricks], (board.leader or 0, board.trick)]:
        for place, card in enumerate(cards):
            if card[1] != cards[0][1]:
                lacking[(leader + place) % seats].add(cards[0][1])
    return lacking


def _best(board: HeartsBoard) -> tuple[int, Seat | None]:
    best, best_place = -1, None
    for place, card in enumerate(board.trick):
        if card[1] == board.trick[0][1] and RANK[card] > best:
            best, best_place = RANK[card], place
    if best_place is None or board.leader is None:
        return best, None
    return best, (board.leader + best_place) % len(board.hand_sizes)


def _moon_cards(board: HeartsBoard) -> dict[Seat, int]:
    taken: dict[Seat, int] = {}
    for trick in board.tricks:
        if count := sum([card in MOON_CARDS for card in trick.cards]):
            taken[trick.winner] = taken.get(trick.winner, 0) + count
    return taken
