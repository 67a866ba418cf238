"""What is allowed: judging moves, legal cards, and the move made for an absent player."""

from collections.abc import Sequence
from typing import Final, assert_never

from domain.cards import CANONICAL, SUITS, Card, in_canonical_order
from domain.decider import Chance, Rejection, Seat
from domain.games.hearts.deal import FIRST_CARD, PACK, PASS_COUNT, passing_offset
from domain.games.hearts.fold import evolve, exchanged, holder_of_first_card, match_over, ranking, score
from domain.games.hearts.model import (
    HeartsCardPlayed,
    HeartsCardsExchanged,
    HeartsFact,
    HeartsLegal,
    HeartsLegalPass,
    HeartsLegalPlay,
    HeartsMatchEnded,
    HeartsMove,
    HeartsPass,
    HeartsPassCommitted,
    HeartsPlay,
    HeartsRoundDealt,
    HeartsState,
    HeartsTrickTaken,
)
from domain.games.hearts.values import STRENGTH, bonus_of, penalties, points_of
from domain.tricks import following, winner

# refusals, in the order of H-56

_MATCH_OVER: Final = Rejection("match_over", "H-50")
_NOT_SEATED: Final = Rejection("not_seated", "H-56")
_WRONG_PHASE: Final = Rejection("wrong_phase", "H-56")
_HOLD_ROUND: Final = Rejection("wrong_phase", "H-15")
_ALREADY_PASSED: Final = Rejection("already_passed", "H-17")
_NOT_YOUR_TURN: Final = Rejection("not_your_turn", "H-21")
_INVALID_CARD: Final = Rejection("invalid_card", "H-3")
_DUPLICATE_CARD: Final = Rejection("duplicate_card", "H-14")
_PASSED_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "H-18")
_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "H-56")
_MUST_LEAD_FIRST_CARD: Final = Rejection("must_lead_two_of_clubs", "H-20")
_MUST_FOLLOW_SUIT: Final = Rejection("must_follow_suit", "H-22")
_NO_PENALTY: Final = Rejection("no_penalty_on_first_trick", "H-23")
_NO_BLACK_MARIA_PENALTY: Final = Rejection("no_penalty_on_first_trick", "H-25")
_HEARTS_NOT_BROKEN: Final = Rejection("hearts_not_broken", "H-27")
_SPADES_FIRST: Final = Rejection("hearts_not_broken", "H-28")

# start and judging


def start(state: HeartsState, chance: Chance) -> tuple[HeartsFact, ...]:
    """Return the first deal."""
    return (_deal(state, chance),)


def _deal(state: HeartsState, chance: Chance) -> HeartsRoundDealt:
    seats, number = state.options.players, state.round + 1
    order = chance.shuffle(number, 0, PACK[seats])  # H-12, H-13
    return HeartsRoundDealt(number, passing_offset(seats, number), seats, order)


def decide(state: HeartsState, seat: Seat, move: HeartsMove, chance: Chance) -> tuple[HeartsFact, ...] | Rejection:
    """Judge a move in the order of H-56: what follows from it, or the first reason against it."""
    if state.phase == "finished":
        return _MATCH_OVER
    if not 0 <= seat < len(state.hands):
        return _NOT_SEATED
    match move:
        case HeartsPlay():
            return refusal_of_play(state, seat, move.card) or _play(state, HeartsCardPlayed(seat, move.card), chance)
        case HeartsPass():
            return refusal_of_pass(state, seat, move.cards) or _pass(
                state, HeartsPassCommitted(seat, in_canonical_order(move.cards))
            )
        case _:
            assert_never(move)


def refusal_of_pass(state: HeartsState, seat: Seat, cards: Sequence[Card]) -> Rejection | None:
    """Return why a seat may not pass these cards, None if it may."""
    if state.phase != "passing":
        return _WRONG_PHASE if state.offset or not state.round else _HOLD_ROUND
    if state.passes[seat]:
        return _ALREADY_PASSED
    if any(card not in CANONICAL for card in cards):
        return _INVALID_CARD
    if len(cards) != PASS_COUNT:
        return Rejection("wrong_pass_count", "H-14", have=len(cards), need=PASS_COUNT)
    if len(set(cards)) != PASS_COUNT:
        return _DUPLICATE_CARD
    if any(card not in state.hands[seat] for card in cards):
        return _PASSED_CARD_NOT_IN_HAND
    return None


def refusal_of_play(state: HeartsState, seat: Seat, card: Card) -> Rejection | None:
    """Return why a seat may not play this card, None if it may."""
    if state.phase != "playing":
        return _WRONG_PHASE
    if seat != turn(state):
        return _NOT_YOUR_TURN
    if card not in CANONICAL:
        return _INVALID_CARD
    if card not in state.hands[seat]:
        return _CARD_NOT_IN_HAND
    legal = legal_cards(state)
    return None if card in legal else _refusal_of_held_card(state, card, legal)


def _refusal_of_held_card(state: HeartsState, card: Card, legal: Sequence[Card]) -> Rejection:
    if not state.trick:
        if not state.tricks:
            return _MUST_LEAD_FIRST_CARD
        values = penalties(state.options)
        return _SPADES_FIRST if all(other in values for other in legal) else _HEARTS_NOT_BROKEN
    if legal[0][1] == state.trick[0][1]:
        return _MUST_FOLLOW_SUIT
    return _NO_BLACK_MARIA_PENALTY if card in ("KS", "AS") else _NO_PENALTY


def _pass(state: HeartsState, fact: HeartsPassCommitted) -> tuple[HeartsFact, ...]:
    state = evolve(state, fact)
    if not all(state.passes):
        return (fact,)
    return (fact, HeartsCardsExchanged(state.offset, holder_of_first_card(exchanged(state)), state.passes))


def _play(state: HeartsState, fact: HeartsCardPlayed, chance: Chance) -> tuple[HeartsFact, ...]:
    cards = (*state.trick, fact.card)
    if len(cards) < len(state.hands):
        return (fact,)
    taken = HeartsTrickTaken(
        seat=(state.leader + winner(cards, STRENGTH)) % len(cards),  # H-29
        points=points_of(state.options, cards),
        bonus=bonus_of(state.options, cards),
    )
    if len(state.hands[fact.seat]) > 1:  # H-30
        return (fact, taken)
    return (fact, taken, *_after_last_trick(evolve(evolve(state, fact), taken), chance))


def _after_last_trick(state: HeartsState, chance: Chance) -> tuple[HeartsFact, ...]:
    scored = score(state)
    if match_over(state.options, scored.totals):  # H-45
        return (scored, HeartsMatchEnded(scored.totals, ranking(scored.totals)))
    return (scored, _deal(state, chance))


# what may be done now


def turn(state: HeartsState) -> Seat:
    """Return the seat to play, while the phase is `playing`."""
    return (state.leader + len(state.trick)) % len(state.hands)  # H-21


def to_act(state: HeartsState) -> tuple[Seat, ...]:
    """Return the seats with an open decision, ascending."""
    if state.phase == "playing":
        return ((state.leader + len(state.trick)) % len(state.hands),)  # H-21
    if state.phase == "passing":
        return tuple(seat for seat, cards in enumerate(state.passes) if not cards)  # H-16
    return ()


def legal_cards(state: HeartsState) -> tuple[Card, ...]:
    """Return the cards that the seat to play may play, in canonical order."""
    hand, trick = state.hands[turn(state)], state.trick
    if trick:
        follow = following(hand, trick[0][1])
        if follow or state.tricks:
            return follow or hand  # H-22
        values = penalties(state.options)
        return tuple([card for card in hand if card not in values]) or hand  # H-23, H-24, H-25
    if not state.tricks:
        return (FIRST_CARD,)  # H-20
    if state.broken:
        return hand
    return tuple([card for card in hand if card[1] != "H"]) or hand  # H-27, H-28


def legal(state: HeartsState, seat: Seat) -> tuple[HeartsLegal, ...]:
    """Return what the seat may do now: at most one entry, none without an open decision."""
    if state.phase == "playing":
        return (HeartsLegalPlay(legal_cards(state)),) if seat == turn(state) else ()
    if state.phase == "passing" and not state.passes[seat]:
        return (HeartsLegalPass(state.hands[seat], PASS_COUNT),)  # H-18
    return ()


# an absent player

_BY_RANK: Final = {card: STRENGTH[card[0]] * len(SUITS) + SUITS.index(card[1]) for card in CANONICAL}


def timeout_move(state: HeartsState, seat: Seat) -> HeartsMove:
    """Return the move made for an absent player who has to act: high cards away, then low cards (H-58)."""
    if state.phase == "passing":
        highest = sorted(state.hands[seat], key=_BY_RANK.__getitem__)[-PASS_COUNT:]
        return HeartsPass(in_canonical_order(highest))
    return HeartsPlay(min(legal_cards(state), key=_BY_RANK.__getitem__))
