"""Properties of section 12, in matches played at random; every failure names table and seed."""

from collections.abc import Callable
from functools import cache
from random import Random

import msgspec

from domain.cards import CANONICAL, in_canonical_order
from domain.decider import view_of
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsFact,
    HeartsLegalPlay,
    HeartsMove,
    HeartsPass,
    HeartsPlay,
    HeartsRoundScored,
    HeartsState,
)
from domain.games.hearts.rules import legal_cards
from domain.games.hearts.values import MOON_CARDS
from tests.conformance.zones import cards_in, hidden_cards
from tests.games.hearts.conformance import candidates, listed, permute_hidden, zones
from tests.games.hearts.positions import (
    TABLES,
    Step,
    by_bot,
    by_sample,
    chance,
    evolved,
    options,
    steps,
    table_of,
)
from tests.games.hearts.test_scoring import played_out

MOONS: dict[str, tuple[dict[str, object], list[list[str]]]] = {
    f"moon of seat {seat} of {players}, {variant}, {moon_rule}, jack to seat {jack}": (
        {"variant": variant, "moon_rule": moon_rule, "omnibus": True, "target_score": 5000},
        [[*MOON_CARDS] * (other == seat) + ["JD"] * (other == jack) for other in range(players)],
    )
    for players, seat, jack in ((3, 0, 0), (4, 3, 1), (5, 2, 4))
    for variant in ("standard", "spot")
    for moon_rule in ("add_to_others", "subtract_from_own")
}

SUMS = {("standard", False): 26, ("standard", True): 43, ("spot", False): 129, ("spot", True): 146}


@cache
def matches() -> tuple[tuple[str, Step], ...]:
    """Every step of one short match at each of the 36 tables, every third one played by bots."""
    return tuple(
        (f"{table} seed={seed}", step)
        for seed, table in enumerate(TABLES)
        for step in steps(
            table_of({**table, "target_score": 150 if table["variant"] == "spot" else 30}),
            seed,
            by_bot if seed % 3 == 0 else by_sample,
        )
    )


def test_every_card_is_in_exactly_one_place_and_hands_stay_even() -> None:
    for name, step in matches():
        state = step.after
        assert in_canonical_order(cards_in(zones(state))) == PACK[state.options.players], name
        if not state.trick:
            assert len({len(hand) for hand in state.hands}) == 1, name


def test_whoever_is_to_play_has_a_legal_card_of_its_hand() -> None:
    for name, step in matches():
        for seat in HEARTS_1.decider.to_act(step.after):
            (entry,) = HEARTS_1.views.legal(step.after, seat)
            assert entry.cards, name
            assert set(entry.cards) <= set(step.after.hands[seat]), name


def test_hearts_are_broken_exactly_if_a_heart_was_played() -> None:
    for name, step in matches():
        state = step.after
        played = [card for trick in state.tricks for card in trick.cards] + [*state.trick]
        assert state.broken == any(card[1] == "H" for card in played), name


def test_results_of_a_round_add_up() -> None:
    scored = [
        (name, step.after.options, fact)
        for name, step in matches()
        for fact in step.facts
        if isinstance(fact, HeartsRoundScored)
    ]
    moons = [(case, table_of({**raw, "players": len(taken)}), taken) for case, (raw, taken) in MOONS.items()]
    scored += [(case, table, played_out(table, taken)[0]) for case, table, taken in moons]
    for name, table, fact in scored:
        value = SUMS[table.variant, table.black_maria]
        assert sum(fact.raw) == value, name
        assert sum(fact.bonus) == (-10 if table.omnibus else 0), name
        if fact.moon is None:
            expected = value
        elif table.moon_rule == "add_to_others":
            expected = value * (table.players - 1)
        else:
            expected = -value
        assert sum(fact.results) - sum(fact.bonus) == expected, name
    assert sum(fact.moon is not None for _, _, fact in scored) >= len(MOONS)


def test_tables_with_other_values_have_the_same_legal_cards() -> None:
    for name, step in matches():
        state = step.after
        if state.phase != "playing":
            continue
        for other in TABLES:
            if other["players"] == state.options.players:
                changed = msgspec.structs.replace(state, options=table_of(other))
                if other["black_maria"] == state.options.black_maria or state.tricks:
                    assert legal_cards(changed) == legal_cards(state), (name, other)


def test_what_a_seat_is_sent_does_not_depend_on_hidden_cards() -> None:
    rng = Random(52)
    for name, step in matches():
        if rng.random() < 0.85:
            continue
        for seat in (*range(step.after.options.players), None):
            if not hidden_cards(zones(step.after), seat):
                continue
            other = permute_hidden(step.after, seat, rng)
            assert sent(other, seat) == sent(step.after, seat), (name, seat)
            for public in (HEARTS_1.views.board, HEARTS_1.decider.to_act, HEARTS_1.decider.outcome):
                assert public(other) == public(step.after), (name, seat)


def sent(state: HeartsState, seat: int | None) -> bytes:
    return msgspec.json.encode(HEARTS_1.views.board(state) if seat is None else view_of(HEARTS_1, state, seat))


def test_permuted_states_differ_where_something_is_hidden() -> None:
    rng = Random(1)
    differing = total = 0
    for _, step in matches():
        if len(hidden_cards(zones(step.after), 0)) > 10:
            total += 1
            differing += permute_hidden(step.after, 0, rng).hands != step.after.hands
    assert differing > total * 0.95


def test_recorded_facts_rebuild_every_state_also_from_json() -> None:
    decoder = msgspec.json.Decoder(tuple[HeartsFact, ...])
    state_decoder = msgspec.json.Decoder(HeartsState)
    state: HeartsState | None = None
    for name, step in matches():
        if step.move is None:
            state = step.before
        assert state is not None
        state = evolved(state, decoder.decode(msgspec.json.encode(step.facts)))
        assert state == step.after, name
        assert state_decoder.decode(msgspec.json.encode(state)) == state, name


def test_legal_lists_exactly_what_is_accepted() -> None:
    rng = Random(3)
    for name, step in matches():
        if rng.random() < 0.98:
            continue
        for seat in range(step.after.options.players):
            allowed = set(listed(HEARTS_1.views.legal(step.after, seat), step.after.hands[seat]))
            for move in candidates(step.after, seat):
                right = in_order(move)
                verdict = HEARTS_1.decider.decide(step.after, seat, move, chance())
                assert isinstance(verdict, tuple) == (right in allowed), (name, seat, move)


def in_order(move: HeartsMove) -> HeartsMove:
    """A pass of existing cards with the cards in canonical order, as it is listed."""
    if isinstance(move, HeartsPass) and all(card in CANONICAL for card in move.cards):
        return HeartsPass(in_canonical_order(move.cards))
    return move


def test_sample_reaches_every_legal_move() -> None:
    state = next(iter(steps(options(), 4))).after
    rng = Random(9)
    passes = {frozenset(pass_of(state, 0, rng)) for _ in range(6000)}
    assert len(passes) == 286
    for _, step in zip(range(40), steps(options(), 4), strict=False):
        for seat in HEARTS_1.decider.to_act(step.after):
            view = view_of(HEARTS_1, step.after, seat)
            if isinstance(view.legal[0], HeartsLegalPlay):
                cards = view.legal[0].cards
                reached = [HEARTS_1.players.sample(view, always(place)) for place in range(len(cards))]
                assert reached == [HeartsPlay(card) for card in cards]


def always(place: int) -> Callable[[int], int]:
    return lambda _: place


def pass_of(state: HeartsState, seat: int, rng: Random) -> tuple[str, ...]:
    move = HEARTS_1.players.sample(view_of(HEARTS_1, state, seat), rng.randrange)
    assert isinstance(move, HeartsPass)
    return move.cards
