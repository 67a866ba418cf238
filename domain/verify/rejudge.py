"""Judging a recorded command again: what must have followed from it, if it was allowed at all."""

import re
from collections.abc import Sequence
from typing import Any, Final

from domain.cards import Card
from domain.codec import Event
from domain.decider import AnyGame, Chance, OptionProblem, Rejection, Seat
from domain.fairness import MatchChance, match_key
from domain.table import rules
from domain.table.model import (
    Accepted,
    Adjudicated,
    BotSeated,
    ClientSeedGiven,
    Facts,
    ReadyMarked,
    SeatFreed,
    SeatTaken,
    TableCreated,
    TableRefusal,
    TableState,
)

_SEED: Final = re.compile("[0-9a-f]{64}")


class WatchedChance:
    """A `Chance` that remembers what it gave."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.orders: list[tuple[Card, ...]] = []

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        order = self._chance.shuffle(round_number, shuffle_number, cards)
        self.orders.append(order)
        return order

    def draw(self, name: str, n: int) -> int:
        return self._chance.draw(name, n)


def chance_of(state: TableState, table: bytes, secret: bytes) -> MatchChance:
    """Return the randomness of the match, as it is fixed when the match starts."""
    seeds = [bytes.fromhex(seat.seed) if seat.seed else None for seat in state.seats]
    return MatchChance(match_key(table, secret, state.setup.game.rules_id, seeds))


def rejudge_creation(game: AnyGame, facts: Facts) -> Facts | TableRefusal | OptionProblem | None:
    """Return what creating the recorded table gives; None if the facts create none."""
    fact = facts.table[0] if facts.table else None
    if not isinstance(fact, TableCreated):
        return None
    bots = tuple(other.seat for other in facts.table[1:] if isinstance(other, BotSeated))
    return rules.create(
        game,
        fact.options,
        fact.seats,
        bots,
        player=fact.player,
        visibility=fact.visibility,
        commitment=fact.commitment,
        bot_pace=fact.bot_pace,
    )


def rejudge(
    state: TableState, event: Event, chance: Chance, secret: str
) -> Facts | TableRefusal | OptionProblem | Rejection | None:
    """Return what follows from the recorded command; None if the record does not say what was asked."""
    if event.move is not None:
        return _rejudge_move(state, event, chance, secret)
    fact: Any = event.facts.table[0] if event.facts.table else None
    match event.type, fact:
        case "sit", SeatTaken() if fact.client_seed is None or _is_seed(fact.client_seed):
            return rules.sit(state, fact.player, fact.seat, fact.client_seed)
        case "sit", ClientSeedGiven() if _is_seed(fact.client_seed):
            player = _player_on(state, fact.seat)
            return None if player is None else rules.sit(state, player, fact.seat, fact.client_seed)
        case "seat_bot", BotSeated():
            return rules.seat_bot(state, event.actor, fact.seat)
        case "unseat_bot", SeatFreed():
            return rules.unseat_bot(state, event.actor, fact.seat)
        case (("leave_table" | "leave"), _):  # the second one in records of before: see `FORMER_COMMANDS`
            return rules.leave(state, event.actor, secret)
        case "start", _:
            return rules.start(state, event.actor, chance, secret)
        case "options", _:
            values = {change.name: change.new for change in event.facts.game}
            return rules.change_options(state, event.actor, values)
        case "ready", ReadyMarked():
            return rules.mark_ready(state, event.actor, fact.ready)
        case "end", _:
            return rules.end_match(state, event.actor, secret)
        case "adjudicate", Adjudicated():
            return rules.adjudicate(state, fact) if event.actor is None else None
        case _:
            return None


def is_outlined(state: TableState | None, event: Event) -> bool:
    """Whether type, actor and decision of an event are those of its command at a table in this state.

    What is judged again are moves and facts; these three only say whose and of which kind they are.
    """
    if event.move is not None:
        return state is not None and event.type == event.move.__struct_config__.tag
    if event.decision is not None:
        return False
    if state is None:
        return event.actor is None
    fact: Any = event.facts.table[0] if event.facts.table else None
    match event.type:
        case "sit":
            return bool(event.actor == (fact.seat if isinstance(fact, ClientSeedGiven) else None))
        case "options":
            return bool(event.facts.game)  # what changes nothing is not recorded
        case _:
            return True


def _rejudge_move(
    state: TableState, event: Event, chance: Chance, secret: str
) -> Facts | TableRefusal | Rejection | None:
    if event.actor is None or event.decision is None:
        return None
    if not 0 <= event.actor < state.setup.seats or state.decisions[event.actor] != event.decision:
        return TableRefusal("stale_decision")
    judged = rules.move(state, event.actor, event.decision, event.move, chance, secret)
    return judged.facts if isinstance(judged, Accepted) else judged


def _player_on(state: TableState, seat: Seat) -> str | None:
    return state.seats[seat].player if 0 <= seat < state.setup.seats else None


def _is_seed(text: str) -> bool:
    """Whether it is a client seed as bw1 has them: 32 bytes in hex, written in one way only."""
    return _SEED.fullmatch(text) is not None
