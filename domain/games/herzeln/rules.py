"""What is allowed: judging moves, what may be done now, and the move made for an absent player."""

from typing import Final, assert_never

from domain.cards import Card
from domain.decider import Chance, Rejection, Seat
from domain.games.herzeln.fold import (
    contract_of,
    dealer_of,
    decided,
    evolve,
    place_points,
    ranking,
    rounds_of,
    score,
    trick_points,
)
from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnCardPlayed,
    HerzelnEnd,
    HerzelnFact,
    HerzelnFirstDealerDrawn,
    HerzelnLayout,
    HerzelnLegal,
    HerzelnLegalPlace,
    HerzelnLegalPlay,
    HerzelnMatchEnded,
    HerzelnMove,
    HerzelnPackDealt,
    HerzelnPass,
    HerzelnPassed,
    HerzelnPlace,
    HerzelnPlacement,
    HerzelnPlay,
    HerzelnSeatFinished,
    HerzelnState,
    HerzelnTricks,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import HAND_SIZE, PACKS, STRENGTH, asked
from domain.tricks import following, winner

# refusals, in the order of Z-70

_MATCH_OVER: Final = Rejection("match_over", "Z-53")
_NOT_SEATED: Final = Rejection("not_seated", "Z-1")
_WRONG_PHASE: Final = Rejection("wrong_phase", "Z-9")
_NOT_YOUR_TURN: Final = Rejection("not_your_turn", "Z-7")
_FOREHAND_LEADS: Final = Rejection("not_your_turn", "Z-11")
_WINNER_LEADS: Final = Rejection("not_your_turn", "Z-16")
_SEAT_TO_THE_LEFT_IS_NEXT: Final = Rejection("not_your_turn", "Z-32")
_TURN_IS_OVER: Final = Rejection("not_your_turn", "Z-33")
_HAS_FINISHED: Final = Rejection("not_your_turn", "Z-41")
_INVALID_CARD: Final = Rejection("invalid_card", "Z-2")
_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "Z-5")
_MUST_FOLLOW_SUIT: Final = Rejection("must_follow_suit", "Z-12")
_WRONG_END: Final = Rejection("wrong_end", "Z-37")
_MUST_OPEN_WITH_JACK: Final = Rejection("must_open_with_jack", "Z-31")
_CARD_DOES_NOT_FIT: Final = Rejection("card_does_not_fit", "Z-34")
_JACK_DOES_NOT_FIT: Final = Rejection("card_does_not_fit", "Z-36")
_MUST_PLACE: Final = Rejection("must_place", "Z-38")

# start and judging, in the order of Z-70


def start(state: HerzelnState, chance: Chance) -> tuple[HerzelnFact, ...]:
    """Return the facts that start the match: the first dealer and the first deal."""
    drawn = HerzelnFirstDealerDrawn(chance.draw("first_dealer", state.options.players))  # Z-8
    return (drawn, _deal(evolve(state, drawn), chance))


def _deal(state: HerzelnState, chance: Chance) -> HerzelnPackDealt:
    """Return the next round's deal: fixed contract, fresh shuffle (Z-9)."""
    assert state.first_dealer is not None
    players = state.options.players
    number = len(state.score_sheet) + 1
    dealer = dealer_of(number, state.first_dealer, players)
    return HerzelnPackDealt(number, contract_of(number), dealer, chance.shuffle(number, 0, PACKS[players]))


def decide(state: HerzelnState, seat: Seat, move: HerzelnMove, chance: Chance) -> tuple[HerzelnFact, ...] | Rejection:
    """Judge a move and return everything that follows from it, or why it is refused."""
    if state.places is not None:
        return _MATCH_OVER
    if not 0 <= seat < state.options.players:
        return _NOT_SEATED
    now = state.round
    match move:
        case HerzelnPlay():
            if not isinstance(now, HerzelnTricks):
                return _WRONG_PHASE
            return _refusal_of_play(now, seat, move.card) or _after_play(state, now, seat, move.card, chance)
        case HerzelnPlace():
            if not isinstance(now, HerzelnLayout):
                return _WRONG_PHASE
            return _refusal_of_place(now, seat, move.card, move.end) or _after_place(state, now, seat, move, chance)
        case HerzelnPass():
            if not isinstance(now, HerzelnLayout):
                return _WRONG_PHASE
            return _refusal_of_pass(now, seat) or (HerzelnPassed(seat),)
        case _:
            assert_never(move)


def _refusal_of_play(now: HerzelnTricks, seat: Seat, card: Card) -> Rejection | None:
    if seat != _trick_actor(now):
        if now.trick:
            return _NOT_YOUR_TURN
        return _WINNER_LEADS if now.taken else _FOREHAND_LEADS
    refused = _refusal_of_card(now.hands, seat, card)
    if refused is not None:
        return refused
    if now.trick and card[1] != now.trick[0][1] and following(now.hands[seat], now.trick[0][1]):
        return _MUST_FOLLOW_SUIT
    return None


def _refusal_of_place(now: HerzelnLayout, seat: Seat, card: Card, end: HerzelnEnd) -> Rejection | None:
    refused = _refusal_of_turn(now, seat) or _refusal_of_card(now.hands, seat, card)
    if refused is not None:
        return refused
    if (end == "open") != (not now.line):
        return _WRONG_END
    if not now.line:
        return None if card[0] == "J" else _MUST_OPEN_WITH_JACK
    up, down = asked(now.line, len(now.hands))
    if card[0] != (up if end == "up" else down):
        return _JACK_DOES_NOT_FIT if card[0] == "J" else _CARD_DOES_NOT_FIT
    return None


def _refusal_of_pass(now: HerzelnLayout, seat: Seat) -> Rejection | None:
    refused = _refusal_of_turn(now, seat)
    if refused is not None:
        return refused
    return _MUST_PLACE if _placements(now, seat) else None


def _refusal_of_turn(now: HerzelnLayout, seat: Seat) -> Rejection | None:
    if seat == now.turn:
        return None
    if seat in now.finished:
        return _HAS_FINISHED
    return _TURN_IS_OVER if seat == now.last_mover else _SEAT_TO_THE_LEFT_IS_NEXT


def _refusal_of_card(hands: tuple[tuple[Card, ...], ...], seat: Seat, card: Card) -> Rejection | None:
    if card in hands[seat]:
        return None
    if card not in PACKS[len(hands)]:
        return _INVALID_CARD
    return _CARD_NOT_IN_HAND


def _after_play(
    state: HerzelnState, now: HerzelnTricks, seat: Seat, card: Card, chance: Chance
) -> tuple[HerzelnFact, ...]:
    played = HerzelnCardPlayed(seat, card)
    players = len(now.hands)
    if len(now.trick) + 1 < players:
        return (played,)
    cards = (*now.trick, card)
    number = len(now.taken) + 1
    taker = (now.leader + winner(cards, STRENGTH)) % players  # Z-15
    taken = HerzelnTrickTaken(taker, trick_points(now.contract, cards, number))  # Z-19
    after = evolve(evolve(state, played), taken)
    assert isinstance(after.round, HerzelnTricks)
    if number == HAND_SIZE or (state.options.stop_when_decided and decided(after.round)):  # Z-18, Z-28
        return (played, taken, *_close_round(after, chance))
    return (played, taken)


def _after_place(
    state: HerzelnState, now: HerzelnLayout, seat: Seat, move: HerzelnPlace, chance: Chance
) -> tuple[HerzelnFact, ...]:
    placed = HerzelnCardPlaced(seat, move.card, move.end)
    after = evolve(state, placed)
    if len(now.hands[seat]) > 1:
        _assert_never_blocked(after)
        return (placed,)
    place = len(now.finished) + 1
    finished = HerzelnSeatFinished(seat, place, place_points(place))  # Z-41, Z-43
    after = evolve(after, finished)
    if place + 1 == len(now.hands):  # Z-42
        return (placed, finished, *_close_round(after, chance))
    _assert_never_blocked(after)
    return (placed, finished)


def _assert_never_blocked(state: HerzelnState) -> None:
    """Check the claim of section 9: some hand can still serve each end of the line."""
    assert isinstance(state.round, HerzelnLayout)
    held = {card[0] for hand in state.round.hands for card in hand}
    assert held.issuperset(asked(state.round.line, len(state.round.hands)))


def _close_round(state: HerzelnState, chance: Chance) -> tuple[HerzelnFact, ...]:
    """Return the score of the round that has just ended, then the next deal or the end of the match."""
    scored = score(state)
    after = evolve(state, scored)
    if scored.round < rounds_of(state.options):  # Z-53
        return (scored, _deal(after, chance))
    return (scored, HerzelnMatchEnded(scored.totals, ranking(scored.totals)))


# what may be done now


def to_act(state: HerzelnState) -> tuple[Seat, ...]:
    """Return the seat whose turn it is, as a tuple; empty before the start and after the end."""
    now = state.round
    if now is None or len(state.score_sheet) >= now.number:
        return ()
    if isinstance(now, HerzelnTricks):
        return ((now.leader + len(now.trick)) % len(now.hands),)  # Z-7
    return (now.turn,)


def _trick_actor(now: HerzelnTricks) -> Seat:
    return (now.leader + len(now.trick)) % len(now.hands)  # Z-7


def legal(state: HerzelnState, seat: Seat) -> tuple[HerzelnLegal, ...]:
    """Return the one kind of move open to the seat, with all cards and ends; empty if it has no turn."""
    now = state.round
    if now is None or to_act(state) != (seat,):
        return ()
    if isinstance(now, HerzelnTricks):
        return (HerzelnLegalPlay(_playable(now, seat)),)
    placements = _placements(now, seat)
    return (HerzelnLegalPlace(placements) if placements else HerzelnPass(),)  # Z-38


def _playable(now: HerzelnTricks, seat: Seat) -> tuple[Card, ...]:
    hand = now.hands[seat]
    return (following(hand, now.trick[0][1]) or hand) if now.trick else hand  # Z-12, Z-14


def _placements(now: HerzelnLayout, seat: Seat) -> tuple[HerzelnPlacement, ...]:
    hand = now.hands[seat]
    if not now.line:
        return tuple(HerzelnPlacement(card, ("open",)) for card in hand if card[0] == "J")  # Z-31
    up, down = asked(now.line, len(now.hands))
    both: tuple[HerzelnEnd, ...] = ("up", "down")
    ends: dict[str, tuple[HerzelnEnd, ...]] = {up: both} if up == down else {up: ("up",), down: ("down",)}
    return tuple(HerzelnPlacement(card, ends[card[0]]) for card in hand if card[0] in ends)  # Z-34, Z-37


# an absent player


def timeout_move(state: HerzelnState, seat: Seat) -> HerzelnMove:
    """Return the neutral move for an absent seat that has to act (Z-45)."""
    (entry,) = legal(state, seat)
    match entry:
        case HerzelnLegalPlay():
            return HerzelnPlay(min(entry.cards, key=lambda card: STRENGTH[card[0]]))
        case HerzelnLegalPlace():
            first = entry.placements[0]
            return HerzelnPlace(first.card, first.ends[0])
        case HerzelnPass():
            return entry
        case _:
            assert_never(entry)
