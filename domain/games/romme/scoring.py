"""What a round counts, when a match is over, and the places."""

from operator import add
from typing import Final, assert_never

from domain.decider import Seat
from domain.games.romme.deck import hand_value, in_deck_order
from domain.games.romme.facts import RommeRoundEnded
from domain.games.romme.model import RommeEndReason, RommeOptions, RommeState
from domain.ranking import places

EMPTIES_MAX: Final = 4
"""The empty stock that ends a round (R-59)."""


def round_ended(state: RommeState) -> RommeRoundEnded:
    """Return the fact that counts the round, which the last discard has ended."""
    values, discarded = tuple(map(hand_value, state.hands)), (state.turn - 1) % state.seats
    reason: RommeEndReason = "exhausted" if state.hands[discarded] else "out"
    if reason == "out":
        winners: tuple[Seat, ...] = (discarded,)
    else:
        winners = tuple([seat for seat, value in enumerate(values) if value == min(values)])
    hand_romme = reason == "out" and not state.out_at_turn_start
    factor = 2 if hand_romme and state.round_options.hand_romme_double else 1
    points = tuple([0 if seat in winners else factor * value for seat, value in enumerate(values)])
    return RommeRoundEnded(
        round=state.round,
        reason=reason,
        winners=winners,
        hand_romme=hand_romme,
        hands=tuple(map(in_deck_order, state.hands)),
        values=values,
        points=points,
        totals=tuple(map(add, state.totals, points)),
    )


def match_over(options: RommeOptions, rounds_played: int, totals: tuple[int, ...]) -> bool:
    """Whether the match ends by itself after a round."""
    match options.match_end:
        case "rounds":
            return rounds_played == options.rounds
        case "points":
            return options.target_score is not None and max(totals) >= options.target_score
        case "open":
            return False
        case _:
            assert_never(options.match_end)


def match_decided(state: RommeState) -> bool:
    """Whether the rounds played so far end the match by themselves."""
    return bool(state.score_sheet) and match_over(state.options, len(state.score_sheet), state.totals)


def ranking(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of each seat, the lowest total first (R-69)."""
    return places(totals, low_wins=True)
