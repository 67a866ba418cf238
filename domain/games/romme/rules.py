"""What is allowed: the start of rounds, judging moves, what may be done now, and absent players."""

from domain.decider import Chance, Rejection, Seat
from domain.games.romme import offers
from domain.games.romme.deck import DECK, FACE, PLACE, VALUE, in_deck_order
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeFact,
    RommeMatchEnded,
    RommePackDealt,
    RommeRoundStarted,
    RommeStockEmptied,
    RommeStockShuffled,
)
from domain.games.romme.fold import between_rounds, evolve, running
from domain.games.romme.judge import judge, may_draw_pile
from domain.games.romme.model import (
    RommeLegal,
    RommeLegalDrawPile,
    RommeLegalDrawStock,
    RommeState,
)
from domain.games.romme.moves import RommeDiscard, RommeDrawStock, RommeMove
from domain.games.romme.scoring import match_over, ranking, round_ended

# start and judging


def start(state: RommeState, chance: Chance) -> tuple[RommeFact, ...]:
    """Return the facts that start the next round, the first as well (R-7 to R-10).

    The table asks for it only between rounds; otherwise ValueError.
    """
    if not between_rounds(state):
        raise ValueError("a round is running or the match has ended")
    number = state.round + 1
    starter = (state.starter + 1) % state.seats if state.round else chance.draw("starter", state.seats)
    order = chance.shuffle(number, 0, DECK)
    return (RommeRoundStarted(number, starter, state.options), RommePackDealt(starter, state.seats, order))


def decide(state: RommeState, seat: Seat, move: RommeMove, chance: Chance) -> tuple[RommeFact, ...] | Rejection:
    """Judge a move in the order of R-91: what follows from it, or the first reason against it."""
    made = judge(state, seat, move)
    if isinstance(made, RommeCardDiscarded):
        return (made, *_after_discard(state, made, chance))
    return made if isinstance(made, Rejection) else (made,)


def _after_discard(before: RommeState, fact: RommeCardDiscarded, chance: Chance) -> tuple[RommeFact, ...]:
    if before.stock_size and len(before.hands[fact.seat]) > 1:
        return ()
    state = evolve(before, fact)
    if state.phase == "scoring":
        return _ended(state)
    emptied = RommeStockEmptied(state.empties + 1)
    state = evolve(state, emptied)
    if state.phase == "scoring":
        return (emptied, *_ended(state))
    cards = in_deck_order(state.pile[:-1])
    return (emptied, RommeStockShuffled(emptied.count, chance.shuffle(state.round, emptied.count, cards)))


def _ended(state: RommeState) -> tuple[RommeFact, ...]:
    ended = round_ended(state)
    if match_over(state.options, state.round, ended.totals):
        return (ended, RommeMatchEnded(ended.totals, ranking(ended.totals)))
    return (ended,)


# what may be done now


def to_act(state: RommeState) -> tuple[Seat, ...]:
    """Return the seat with an open decision, none between rounds."""
    return (state.turn,) if running(state) else ()


def legal(state: RommeState, seat: Seat) -> tuple[RommeLegal, ...]:
    """Return what the seat may do now, without regard to drafts; none unless it is on turn."""
    if not running(state) or seat != state.turn:
        return ()
    if state.phase == "draw":
        return draws(state)
    if state.phase == "opening":
        return (offers.discard(state, seat),)
    found = (
        offers.lay(state, seat, offers.melds_of(state, seat)),
        offers.lay_off(state, seat),
        offers.swap_joker(state, seat),
        offers.discard(state, seat),
    )
    return tuple([entry for entry in found if entry is not None])


def draws(state: RommeState) -> tuple[RommeLegal, ...]:
    """Return how the seat on turn may draw (R-14)."""
    if may_draw_pile(state):
        return (RommeLegalDrawStock(),)
    return (RommeLegalDrawStock(), RommeLegalDrawPile(state.pile[-1]))


# an absent player


def timeout_move(state: RommeState, seat: Seat) -> RommeMove:
    """Return the move made for an absent player who has to act (R-88).

    It is no answer to drafts: what a seat has prepared ends with the turn that this discard ends.
    """
    if state.phase == "draw":
        return RommeDrawStock()
    hand = state.hands[seat]
    if state.drawn in hand:
        return RommeDiscard(state.drawn)
    allowed = [card for card in hand if card != state.taken]
    return RommeDiscard(min(allowed, key=lambda card: (card not in FACE, -VALUE[card], PLACE[card])))
