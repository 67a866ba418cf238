"""Results of rounds and the end of the match: worked cases 13.5 and 13.6, H-35 to H-49."""

import msgspec
import pytest

from domain.cards import RANKS, Card
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsMatchEnded,
    HeartsOptions,
    HeartsPass,
    HeartsPlay,
    HeartsRoundDealt,
    HeartsRoundScored,
    HeartsState,
    HeartsTrick,
)
from domain.games.hearts.values import MOON_VALUE
from domain.ranking import places
from tests.games.hearts.positions import accepted, evolved, options, rejected

ROUNDS: dict[str, tuple[str, str, str, str]] = {
    # id: options, moon rule, taken by seat 0 / 1 / ..., results
    "HC-R-1": ("-", "add_to_others", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "5 17 4 0"),
    "HC-R-2": ("SPOT", "add_to_others", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "20 59 50 0"),
    "HC-R-3": ("BM", "none", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "5 17 4 17"),
    "HC-R-4": ("SPOT BM", "none", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "20 59 50 17"),
    "HC-R-5": ("OM", "add_to_others", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "5 17 4 -10"),
    "HC-R-6": ("SPOT BM OM", "none", "2H-6H / QS 7H-TH / JH-AH / JD KS AS", "20 59 50 7"),
    "HC-R-7": ("-", "add_to_others", "JD / 2H-AH QS / KS / AS", "26 0 26 26"),
    "HC-R-8": ("-", "subtract_from_own", "JD / 2H-AH QS / KS / AS", "0 -26 0 0"),
    "HC-R-9": ("SPOT", "add_to_others", "JD / 2H-AH QS / KS / AS", "129 0 129 129"),
    "HC-R-10": ("SPOT", "subtract_from_own", "JD / 2H-AH QS / KS / AS", "0 -129 0 0"),
    "HC-R-11": ("OM", "add_to_others", "KS / 2H-AH QS / JD / AS", "26 0 16 26"),
    "HC-R-12": ("OM", "add_to_others", "KS / 2H-AH QS JD / - / AS", "26 -10 26 26"),
    "HC-R-13": ("OM", "subtract_from_own", "KS / 2H-AH QS JD / - / AS", "0 -36 0 0"),
    "HC-R-14": ("OM", "subtract_from_own", "KS / 2H-AH QS / AS / JD", "0 -26 0 -10"),
    "HC-R-15": ("SPOT OM", "add_to_others", "KS AS / 2H-AH QS JD / - / -", "129 -10 129 129"),
    "HC-R-16": ("SPOT OM", "subtract_from_own", "KS AS JD / 2H-AH QS / - / -", "-10 -129 0 0"),
    "HC-R-17": ("BM", "none", "KS AS / 2H-AH QS / JD / -", "17 26 0 0"),
    "HC-R-18": ("BM", "none", "JD / 2H-AH QS KS AS / - / -", "0 43 0 0"),
    "HC-R-19": ("SPOT BM", "none", "JD / 2H-AH QS KS AS / - / -", "0 146 0 0"),
    "HC-R-20": ("-", "add_to_others", "2H-AH / JD KS / QS / AS", "13 0 13 0"),
    "HC-R-21": ("SPOT", "add_to_others", "2H-AH / JD KS / QS / AS", "104 0 25 0"),
    "HC-R-22": ("-", "add_to_others", "2H-KH QS / AH / JD KS / AS", "25 1 0 0"),
    "HC-R-23": ("SPOT", "add_to_others", "2H-KH QS / AH / JD KS / AS", "115 14 0 0"),
    "HC-R-24": ("OM", "add_to_others", "2H-4H QS JD / 5H-AH / KS / AS", "6 10 0 0"),
    "HC-R-25": ("SPOT", "add_to_others", "QH AH / 2H-JH / KH QS / JD KS AS", "26 65 38 0"),
    "HC-R-26": ("BM", "none", "2H-TH KS AS / JH-AH / QS / JD", "26 4 13 0"),
    "HC-R-27": ("SPOT", "add_to_others", "2H-AH QS / KS AS / JD", "0 129 129"),
    "HC-R-28": ("-", "add_to_others", "- / - / KS / 2H-AH QS AS JD / -", "26 26 26 0 26"),
    "HC-R-29": ("OM", "subtract_from_own", "- / JD / KS / 2H-AH QS AS / -", "0 -10 0 -26 0"),
}


def taken_cards(text: str) -> list[list[Card]]:
    """Read `2H-6H / QS / -`: the cards by seat."""
    return [[card for word in part.split() for card in run(word)] for part in text.split(" / ")]


def run(word: str) -> list[Card]:
    """Read a card, a range of one suit such as `2H-6H`, or a dash for no card."""
    if word == "-":
        return []
    first, last = RANKS.index(word[0]), RANKS.index(word[-2])
    return [rank + word[-1] for rank in RANKS[first : last + 1]]


def tricks_with(taken: list[list[Card]]) -> list[tuple[int, list[Card]]]:
    """Split the pack into tricks so that each seat takes its cards: pairs of winner and cards.

    The winner leads each of its tricks with the highest card in it. Worthless tricks come first.
    """
    players = len(taken)
    named = {card for cards in taken for card in cards}
    others = [card for card in PACK[players] if card not in named]
    tricks = []
    for seat, cards in enumerate(taken):
        for start in range(0, len(cards), players):
            trick = cards[start : start + players]
            tricks.append((seat, trick + [others.pop() for _ in range(players - len(trick))]))
    worthless = [(0, others[start : start + players]) for start in range(0, len(others), players)]
    return [
        (seat, sorted(trick, key=lambda card: RANKS.index(card[0]), reverse=True)) for seat, trick in worthless + tricks
    ]


def played_out(
    table: HeartsOptions, taken: list[list[Card]]
) -> tuple[HeartsRoundScored, HeartsRoundDealt | HeartsMatchEnded, HeartsState]:
    """Take these cards trick by trick through the decider; the facts after the last trick."""
    players, tricks = table.players, tricks_with(taken)
    state = msgspec.structs.replace(HEARTS_1.decider.new(table, players), phase="playing", round=1)
    for number, (winner, cards) in enumerate(tricks, start=1):
        last = (winner - 1) % players
        spare = [card for card in PACK[players] if card[1] != cards[0][1] and card not in cards][:1]
        hand = (cards[-1], *(spare if number < len(tricks) else []))
        state = msgspec.structs.replace(
            state,
            leader=winner,
            trick=tuple(cards[:-1]),
            hands=tuple(hand if seat == last else () for seat in range(players)),
        )
        facts, state = accepted(state, last, HeartsPlay(cards[-1]))
    scored, then = facts[2], facts[3]
    assert isinstance(scored, HeartsRoundScored)
    assert isinstance(then, HeartsRoundDealt | HeartsMatchEnded)
    return scored, then, state


@pytest.mark.parametrize("case", ROUNDS)
def test_a_round_is_scored_by_the_cards_taken(case: str) -> None:
    short, moon_rule, text, results = ROUNDS[case]
    taken = taken_cards(text)
    table = options(short, players=len(taken), moon_rule=moon_rule, target_score=5000)
    scored, then, state = played_out(table, taken)
    assert scored.results == tuple(map(int, results.split()))
    assert state.totals == scored.totals == scored.results
    assert isinstance(then, HeartsRoundDealt)
    board = HEARTS_1.views.board(state)
    assert (board.score_sheet[-1].points, board.score_sheet[-1].raw) == (scored.results, scored.raw)


def test_the_moon_shooter_is_named() -> None:
    moons = {}
    for case, (short, moon_rule, text, _) in ROUNDS.items():
        taken = taken_cards(text)
        table = options(short, players=len(taken), moon_rule=moon_rule, target_score=5000)
        moons[case] = played_out(table, taken)[0].moon
    assert {case: seat for case, seat in moons.items() if seat is not None} == {
        **{f"HC-R-{number}": 1 for number in range(7, 17)},
        "HC-R-27": 0,
        "HC-R-28": 3,
        "HC-R-29": 3,
    }


ENDS: dict[str, tuple[int, str, str, str, str | None]] = {
    # id: target, totals before, results, totals after, places if the match ends
    "HC-G-1": (100, "88 60 45 50", "12 5 4 5", "100 65 49 55", "4 3 1 2"),
    "HC-G-2": (100, "88 60 45 50", "11 6 4 5", "99 66 49 55", None),
    "HC-G-3": (100, "96 40 41 70", "10 8 7 1", "106 48 48 71", None),
    "HC-G-4": (100, "106 48 48 71", "5 9 8 4", "111 57 56 75", "4 2 1 3"),
    "HC-G-5": (100, "106 48 48 71", "-26 0 0 0", "80 48 48 71", None),
    "HC-G-6": (100, "90 70 70 20", "13 5 5 3", "103 75 75 23", "4 2 2 1"),
    "HC-G-7": (100, "80 20 99 50", "26 26 0 26", "106 46 99 76", "4 1 3 2"),
    "HC-G-8": (100, "95 98 40 60", "0 -26 0 0", "95 72 40 60", None),
    "HC-G-9": (100, "5 -10 0 95", "3 -10 13 10", "8 -20 13 105", "2 1 3 4"),
    "HC-G-10": (500, "480 300 350 410", "20 59 50 0", "500 359 400 410", "4 1 2 3"),
    "HC-G-11": (100, "0 0 0 0", "129 129 129 0", "129 129 129 0", "2 2 2 1"),
    "HC-G-12": (20, "10 12 12", "14 6 6", "24 18 18", None),
    "HC-G-13": (100, "90 90 90 90", "26 26 26 0", "116 116 116 90", "2 2 2 1"),
}


def before_last_card(case: str) -> HeartsState:
    """A state in which a worthless last card ends a round that gives the results of the case."""
    target, before, results, _, _ = ENDS[case]
    totals, gained = tuple(map(int, before.split())), tuple(map(int, results.split()))
    players = len(totals)
    variant = "spot" if sum(gained) % 129 == 0 else "standard"
    moon = {-26: min, 26 * (players - 1): min, 129 * (players - 1): min}.get(sum(gained))
    raw, takers = tuple(max(0, value) for value in gained), [0, 1]
    if moon is not None:
        takers = [gained.index(min(gained))] * 2
        raw = tuple(MOON_VALUE[variant] if seat == takers[0] else 0 for seat in range(players))
    table = options(
        variant=variant,
        players=players,
        omnibus=-10 in gained,
        target_score=target,
        moon_rule="subtract_from_own" if moon and min(gained) < 0 else "add_to_others",
    )
    return msgspec.structs.replace(
        HEARTS_1.decider.new(table, players),
        phase="playing",
        round=1,
        totals=totals,
        points=raw,
        bonus=tuple(-10 if value == -10 else 0 for value in gained),
        tricks=tuple(HeartsTrick(0, cards, seat) for cards, seat in zip((("2H",), ("QS",)), takers, strict=True)),
        trick=("7D", "4D", "5D", "3D")[: players - 1],
        hands=tuple(("9C",) if seat == players - 1 else () for seat in range(players)),
    )


@pytest.mark.parametrize("case", ENDS)
def test_the_match_ends_at_the_target_with_a_single_lowest_total(case: str) -> None:
    _, _, results, after, ranks = ENDS[case]
    state = before_last_card(case)
    facts, state = accepted(state, state.options.players - 1, HeartsPlay("9C"))
    scored, then = facts[2], facts[3]
    assert isinstance(scored, HeartsRoundScored)
    assert scored.results == tuple(map(int, results.split()))
    assert state.totals == HEARTS_1.views.totals(state) == tuple(map(int, after.split()))
    outcome = HEARTS_1.decider.outcome(state)
    if ranks is None:
        assert isinstance(then, HeartsRoundDealt)
        assert (then.round, outcome, state.phase) == (2, None, "passing")
    else:
        assert then == HeartsMatchEnded(state.totals, tuple(map(int, ranks.split())))
        assert outcome is not None
        assert (outcome.totals, outcome.places) == (state.totals, then.places)
        assert state.phase == "finished"


def test_after_the_end_nothing_is_legal_and_everything_refused() -> None:
    _, state = accepted(before_last_card("HC-G-1"), 3, HeartsPlay("9C"))
    assert HEARTS_1.decider.to_act(state) == ()
    for seat in range(4):
        assert HEARTS_1.views.legal(state, seat) == ()
        for move in (HeartsPlay("9C"), HeartsPass(("QS", "KS", "AS"))):
            assert rejected(state, seat, move).code == "match_over"


def test_the_passing_cycle_goes_on_after_a_tie_at_the_target() -> None:
    state = msgspec.structs.replace(before_last_card("HC-G-3"), round=3)
    facts, after = accepted(state, 3, HeartsPlay("9C"))
    assert evolved(state, facts) == after
    assert (after.round, after.offset, after.phase) == (4, 0, "playing")


def test_equal_totals_share_a_place() -> None:
    assert places((80, 20, 20, 5), low_wins=True) == (4, 2, 2, 1)
