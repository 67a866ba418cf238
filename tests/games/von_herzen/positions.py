"""Positions of Von Herzen for tests: built from text, and moved on by accepted or refused moves."""

from collections.abc import Mapping, Sequence

from domain.cards import Card, in_canonical_order
from domain.decider import Chance
from domain.games.von_herzen.facts import VonHerzenCards, VonHerzenFact
from domain.games.von_herzen.model import VonHerzenPhase, VonHerzenState, VonHerzenSwap
from domain.games.von_herzen.moves import VonHerzenMove
from domain.games.von_herzen.runs import PACK, new_run
from tests.games import given
from tests.games.given import Stacked
from tests.games.von_herzen.play import GAME, options_of

Given = tuple[int, str]


def cards(text: str) -> VonHerzenCards:
    """`8H KS` as cards, in the order written."""
    return tuple(text.split())


def stacked(dealer: int, packs: Mapping[int, Sequence[Card]] | None = None, seed: int = 0) -> Stacked:
    """A chance that deals the packs and draws the dealer it was given; what is not named follows `seed`."""
    return Stacked(packs, {"first_dealer": dealer}, seed)


def dealt(players: int, *, dealer: int = 0, hands: Sequence[str] = (), **options: object) -> VonHerzenState:
    """The start of a match's first round; `hands` (all of them, with the rest as stock) stack the pack."""
    packs: dict[int, Sequence[Card]] = {}
    if hands:
        held = [cards(hand) for hand in hands]
        order = [held[(dealer + 1 + place) % players][place // players] for place in range(len(held[0]) * players)]
        packs[1] = [*order, *(card for card in PACK if card not in order)]
    state = GAME.decider.new(options_of(players, **options), players)
    for fact in GAME.decider.start(state, stacked(dealer, packs)):
        state = GAME.decider.evolve(state, fact)
    return state


def melding(
    hands: Sequence[str],
    *,
    turn: int,
    phase: VonHerzenPhase = "lay",
    dealer: int = 0,
    melds: Sequence[Given] = (),
    pile: str = "",
    stock: str = "",
    turn_number: int | None = None,
    idle_turns: int = 0,
    progress: bool = False,
    out: int | None = None,
    **options: object,
) -> VonHerzenState:
    """A position of the meld phase; `turn` is that of the actor in the first go-round if not given."""
    players = len(hands)
    return VonHerzenState(
        options=options_of(players, **options),
        totals=(0,) * players,
        round=1,
        dealer=dealer,
        phase=phase,
        turn=turn,
        hands=tuple(in_canonical_order(cards(hand)) for hand in hands),
        stock=cards(stock),
        pile=cards(pile),
        melds=tuple(new_run(number, owner, cards(text)) for number, (owner, text) in enumerate(melds)),
        taken=((),) * players,
        turn_number=(turn - dealer - 1) % players if turn_number is None else turn_number,
        idle_turns=idle_turns,
        progress=progress,
        out=out,
    )


def giving(state: VonHerzenState) -> VonHerzenSwap:
    """The running giver's turn."""
    assert state.swap is not None
    return state.swap


def facts_of(
    state: VonHerzenState, seat: int, move: VonHerzenMove, chance: Chance | None = None
) -> tuple[VonHerzenFact, ...]:
    """The facts of a move that must be accepted."""
    facts: tuple[VonHerzenFact, ...] = given.accepted(GAME, state, seat, move, chance)[0]
    return facts


def after(state: VonHerzenState, *moves: tuple[int, VonHerzenMove], chance: Chance | None = None) -> VonHerzenState:
    """The state after these moves of these seats, which must all be accepted."""
    for seat, move in moves:
        for fact in facts_of(state, seat, move, chance):
            state = GAME.decider.evolve(state, fact)
    return state


def refused(state: VonHerzenState, seat: int, move: VonHerzenMove) -> tuple[str, str]:
    """Code and rule of a move that must be refused."""
    rejection = given.refused(GAME, state, seat, move)
    return rejection.code, rejection.rule


def laid(state: VonHerzenState) -> list[str]:
    """The runs on the table as text."""
    return [" ".join(run.cards) for run in state.melds]
