"""What can these cards be? Answers to a seat's questions about its own hand, whoever is on turn."""

from typing import assert_never

from domain.decider import Rejection, Seat
from domain.games.romme import offers
from domain.games.romme.fold import running
from domain.games.romme.judge import UNKNOWN_MELD, refusal_between_rounds, refusal_of_cards
from domain.games.romme.melds import extensions, readings
from domain.games.romme.model import RommeAnswer, RommeMelds, RommePartition, RommeReadings, RommeState
from domain.games.romme.moves import RommeAskMelds, RommeAskPartition, RommeAskReadings, RommeQuestion
from domain.games.romme.partition import HandSearch


def answer(state: RommeState, seat: Seat, question: RommeQuestion) -> RommeAnswer | Rejection:
    """Answer a question from the seat's hand and the table, in the light of no drafts."""
    if not running(state):
        return refusal_between_rounds(state)
    match question:
        case RommeAskReadings():
            return _readings(state, seat, question)
        case RommeAskPartition():
            return _partition(state, seat)
        case RommeAskMelds():
            return RommeMelds(offers.melds_of(state, seat))
        case _:
            assert_never(question)


def _readings(state: RommeState, seat: Seat, question: RommeAskReadings) -> RommeAnswer | Rejection:
    meld = None if question.meld is None else state.meld_named(question.meld)
    if question.meld is not None and meld is None:
        return UNKNOWN_MELD
    refusal = refusal_of_cards(state.hands[seat], question.cards)
    if refusal:
        return refusal
    return RommeReadings(readings(question.cards) if meld is None else extensions(meld, question.cards))


def _partition(state: RommeState, seat: Seat) -> RommeAnswer:
    search = HandSearch(state.hands[seat], state.taken if seat == state.turn else None)
    best = search.split("cards")
    first_lay = () if state.is_out(seat) else search.split("points").melds
    return RommePartition(best.melds, best.points, best.left, first_lay)
