"""Whole matches by very different players: cards are conserved, rounds end, everything survives the wire."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import msgspec
import pytest

from domain.decider import ImpossibleFactError, Rejection, view_of
from domain.games.von_herzen.facts import VonHerzenRoundDealt, VonHerzenTurnEnded
from domain.games.von_herzen.fold import hand_size
from domain.games.von_herzen.model import VonHerzenOptions, VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenCounter,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLeave,
    VonHerzenLegal,
    VonHerzenLegalCounter,
    VonHerzenLegalDrawPile,
    VonHerzenLegalOffer,
    VonHerzenMove,
    VonHerzenOffer,
)
from domain.games.von_herzen.runs import PACK, refusal_of_run, runs_in
from domain.games.von_herzen.scoring import score
from tests.conformance.zones import cards_in
from tests.games.von_herzen.conformance import OPTIONS, listed, zones
from tests.games.von_herzen.play import GAME, Player, Step, View, careless, chance_of, options_of, sensible, steps


def lazy(view: View, rng: Random) -> VonHerzenMove:
    """Never lays a card; draws what there is and discards at random."""
    while True:
        move = careless(view, rng)
        if not isinstance(move, VonHerzenLay | VonHerzenLayOff):
            return move


def stalling(view: View, rng: Random) -> VonHerzenMove:
    """Takes from the pile alone where it can and discards the same card again: as little progress as possible."""
    for entry in view.legal:
        if isinstance(entry, VonHerzenLegalDrawPile):
            return VonHerzenDrawPile(entry.cards[-1])
    taken = view.board.taken[view.seat]
    if taken and view.board.phase == "lay":
        return VonHerzenDiscard(taken[-1])
    return lazy(view, rng)


def haggling(view: View, rng: Random) -> VonHerzenMove:
    """Offers whole hands, counters every offer, leaves every other one: the longest swap phase there is."""
    for entry in view.legal:
        if isinstance(entry, VonHerzenLegalOffer):
            return VonHerzenOffer(entry.cards)
        if isinstance(entry, VonHerzenLegalCounter):
            return VonHerzenCounter(tuple(rng.sample(entry.cards, entry.most)))
        if isinstance(entry, VonHerzenLeave):
            return VonHerzenLeave()
    return careless(view, rng)


PLAYERS: dict[str, Player] = {
    "careless": careless,
    "lazy": lazy,
    "stalling": stalling,
    "haggling": haggling,
    "sensible": sensible,
}


def parsed(raw: dict[str, object], seats: int | None) -> VonHerzenOptions:
    options = GAME.options.parse(raw, seats)
    assert isinstance(options, VonHerzenOptions)
    return options


MATCHES = [
    pytest.param(parsed(raw, seats), name, number, id=f"{number}-{name}")
    for number, (raw, seats) in enumerate(OPTIONS)
    for name in PLAYERS
]


def turns_most(options: VonHerzenOptions) -> int:
    """The bound of section 10 on the turns of a round."""
    stock = len(PACK) - options.players * hand_size(options.players)
    return (stock + 32 + 1) * options.standstill_rounds * options.players


def test_the_bounds_of_the_default_options_are_those_of_the_rules() -> None:
    assert [turns_most(options_of(players)) for players in range(2, 7)] == [196, 246, 264, 350, 420]


def assert_conserved(step: Step, words: str) -> None:
    """Every card is somewhere once; hands keep their size while cards are swapped (V-25)."""
    before, _, _, _, after = step
    if after.phase != "over":
        assert Counter(cards_in(zones(after))) == Counter(PACK), words
    if before.phase.startswith("swap"):
        assert {len(hand) for hand in after.hands} == {hand_size(len(after.hands))}, words
        if before.swap is not None:
            assert set(before.swap.offered) <= set(before.hands[before.swap.giver]), words
            assert set(before.swap.countered) <= set(before.hands[before.swap.receiver]), words


@pytest.mark.parametrize(("options", "name", "seed"), MATCHES)
def test_cards_are_conserved_and_every_round_ends_in_time(options: VonHerzenOptions, name: str, seed: int) -> None:
    rounds = turns = swap_moves = 0
    for step in steps(options, seed, {}, PLAYERS[name]):
        before, _, _, facts, after = step
        words = f"{options}, players {name}, seed {seed}, round {before.round}"
        assert_conserved(step, words)
        if before.phase.startswith("swap"):
            swap_moves = swap_moves + 1 if before.phase != "swap_offer" else 1
            assert swap_moves <= options.players + 1, words
        turns += sum(isinstance(fact, VonHerzenTurnEnded) for fact in facts)
        assert turns <= turns_most(options), words
        if len(after.score_sheet) > rounds:
            rounds, turns = rounds + 1, 0
            assert after.totals == tuple(
                sum(column) for column in zip(*(row.points for row in after.score_sheet), strict=True)
            ), words
    assert rounds == options.complete_rounds * options.players


@pytest.mark.parametrize(("options", "name", "seed"), MATCHES)
def test_runs_on_the_table_are_runs_and_scores_are_the_sum_of_cards(
    options: VonHerzenOptions, name: str, seed: int
) -> None:
    for before, _, move, _, after in steps(options, seed + 100, {}, PLAYERS[name]):
        if not isinstance(move, VonHerzenLay | VonHerzenLayOff) or after.round != before.round:
            continue
        words = f"{options}, players {name}, seed {seed + 100}: {move}"
        assert all(refusal_of_run(run.cards) is None for run in after.melds), words
        jokers = sum(run.joker is not None for run in after.melds)
        laid = sum(len(run.cards) for run in after.melds)
        pure = 4 if options.pure_flute_four else 2
        flutes = sum(pure if run.joker is None else 2 for run in after.melds if len(run.cards) == 8)
        held = sum(len(hand) for hand in after.hands)
        assert sum(score(after)) == laid - jokers + flutes - held, words
        own = sum(run.owner == before.turn for run in after.melds)
        assert isinstance(move, VonHerzenLay) or own > 0, words


def round_trip(value: Any, type_: Any) -> None:
    data = msgspec.json.encode(value)
    assert data.isascii()
    again = msgspec.json.decode(data, type=type_)
    assert again == value
    assert msgspec.json.encode(again) == data


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_everything_survives_the_wire(number: int) -> None:
    options = parsed(*OPTIONS[number])
    for before, seat, move, facts, _ in steps(options, number + 200, {0: sensible}, careless):
        round_trip(before, VonHerzenState)
        round_trip(GAME.views.board(before), GAME.types.board)
        round_trip(move, GAME.types.move)
        for viewer in range(options.players):
            round_trip(GAME.views.private_part(before, viewer), GAME.types.private_part)
        round_trip(GAME.views.legal(before, seat), tuple[VonHerzenLegal, ...])
        for fact in facts:
            round_trip(fact, GAME.types.fact)
            round_trip(GAME.views.public_form(fact), GAME.types.public_form)
            for viewer in range(options.players):
                form = GAME.views.private_form(fact, viewer)
                if form is not None:
                    round_trip(form, GAME.types.private_form)


def test_a_round_is_dealt_singly_from_the_left_of_the_dealer() -> None:
    state = GAME.decider.new(options_of(5), 5)
    first, deal = GAME.decider.start(state, chance_of(5))
    assert isinstance(deal, VonHerzenRoundDealt)
    state = GAME.decider.evolve(GAME.decider.evolve(state, first), deal)
    for place, card in enumerate(deal.pack[:30]):
        assert card in state.hands[(deal.dealer + 1 + place) % 5]  # V-6
    assert state.stock == deal.pack[30:]  # V-7


def test_the_first_dealers_of_many_matches_are_spread_over_the_seats() -> None:
    dealers = Counter(chance_of(seed).draw("first_dealer", 4) for seed in range(400))
    assert all(60 < dealers[seat] < 140 for seat in range(4)), dealers


def test_facts_of_one_match_do_not_fit_another_place_of_it() -> None:
    played = list(steps(options_of(3, complete_rounds=1), 9, {}, careless))
    refused = 0
    for before, _, _, _, _ in played[::5]:
        for _, _, _, facts, _ in played[::7]:
            try:
                GAME.decider.evolve(before, facts[0])
            except ImpossibleFactError:
                refused += 1
    assert refused > len(played[::5]) * len(played[::7]) // 2


def naive_runs(hand: tuple[str, ...], longest: int) -> set[tuple[str, ...]]:
    """Every run of a hand up to a length, found by growing rank by rank."""
    found: set[tuple[str, ...]] = set()
    lists: list[tuple[str, ...]] = [(card,) for card in hand]
    for _ in range(longest):
        found.update(cards for cards in lists if refusal_of_run(cards) is None)
        lists = [
            (*cards, card)
            for cards in lists
            for card in hand
            if card not in cards and "789TJQKA789TJQKA".find(cards[-1][0] + card[0]) >= 0
        ]
    return found


@pytest.mark.parametrize("seed", range(30))
def test_runs_are_suggested_exactly_where_one_can_be_laid(seed: int) -> None:
    rng = Random(seed)
    hand = tuple(rng.sample(PACK, rng.randrange(3, 12)))

    def likes(melds: set[tuple[str, ...]] | tuple[tuple[str, ...], ...]) -> set[tuple[bool, str, int]]:
        return {(sum(card[1] in "HD" for card in run) > 1, run[0][0], len(run)) for run in melds}

    suggested = runs_in(hand)
    assert all(refusal_of_run(run) is None and set(run) <= set(hand) for run in suggested), f"seed {seed}"
    assert likes(suggested) == likes(naive_runs(hand, 9)), f"seed {seed}"
    assert len(suggested) == len(likes(suggested)), f"seed {seed}"


def every_answer(build: Callable[[Callable[[int], int]], VonHerzenMove]) -> set[bytes]:
    """Everything that can be built over all answers of a chooser."""
    found: set[bytes] = set()
    paths: list[list[int]] = [[]]
    while paths:
        path = paths.pop()
        asked: list[int] = []

        def choose(n: int, path: list[int] = path, asked: list[int] = asked) -> int:
            asked.append(n)
            return path[len(asked) - 1] if len(asked) <= len(path) else 0

        found.add(msgspec.json.encode(build(choose)))
        for depth in range(len(path), len(asked)):
            start = [*path, *[0] * (depth - len(path))]
            paths += [[*start, answer] for answer in range(1, asked[depth])]
    return found


def test_sample_reaches_every_listed_move_of_the_meld_phase() -> None:
    compared = 0
    for before, seat, _, _, _ in steps(options_of(4, complete_rounds=1), 4, {}, careless):
        if before.phase not in ("draw", "lay", "closing"):
            continue
        view = view_of(GAME, before, seat)
        built = every_answer(partial(GAME.players.sample, view))
        allowed = {msgspec.json.encode(move) for move in listed(view.legal, view.hand)}
        assert built == allowed
        compared += 1
        judged = [
            GAME.decider.decide(before, seat, msgspec.json.decode(move, type=GAME.types.move), chance_of(4))
            for move in built
        ]
        assert not any(isinstance(answer, Rejection) for answer in judged)
    assert compared > 20
