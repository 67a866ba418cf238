"""Who sees what: worked cases 13.7, H-52 to H-55."""

import json

import msgspec

from domain.cards import CANONICAL
from domain.decider import view_of
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsCardsExchanged,
    HeartsCardsReceived,
    HeartsExchangeMade,
    HeartsFact,
    HeartsHandDealt,
    HeartsLegalPass,
    HeartsPass,
    HeartsPlay,
    HeartsPrivate,
    HeartsRoundBegun,
    HeartsRoundDealt,
    HeartsRoundScored,
    HeartsState,
)
from tests.games.given import Stacked
from tests.games.hearts.complete_rounds import FOUR_PLAYERS
from tests.games.hearts.positions import (
    accepted,
    by_bot,
    dealt,
    evolved,
    options,
    playing,
    rejected,
    steps,
)

PASSES = tuple(HeartsPass(tuple(cards.split())) for cards in FOUR_PLAYERS.passes)
BEFORE = dealt(FOUR_PLAYERS.deck.split(), options())


def cards_in(payload: object) -> set[str]:
    """Every card named anywhere in what would be sent."""
    found = set()
    todo = [json.loads(msgspec.json.encode(payload))]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += item.values()
        elif isinstance(item, list):
            todo += item
        elif item in CANONICAL:
            found.add(item)
    return found


def sent_to(state: HeartsState, seat: int | None) -> tuple[object, ...]:
    """All that a view of this state holds for a seat or a spectator."""
    return (HEARTS_1.views.board(state),) if seat is None else (view_of(HEARTS_1, state, seat),)


def committed(*seats: int) -> HeartsState:
    state = BEFORE
    for seat in seats:
        _, state = accepted(state, seat, PASSES[seat])
    return state


def test_hc_v_1_a_receiver_sees_that_a_seat_has_committed_but_not_what() -> None:
    state = committed(0, 3)
    assert HEARTS_1.views.board(state).committed == (0, 3)
    assert cards_in(sent_to(state, 1)) == set(state.hands[1])
    assert HEARTS_1.views.private_part(state, 1) == HeartsPrivate((), 2, (), 0)


def test_hc_v_2_a_seat_sees_its_own_pass_and_still_counts_its_full_hand() -> None:
    state = committed(0, 3)
    assert HEARTS_1.views.private_part(state, 0) == HeartsPrivate(("AC", "KS", "QH"), 1, (), 3)
    assert HEARTS_1.views.board(state).hand_sizes == (13, 13, 13, 13)
    assert cards_in(sent_to(state, 0)) == set(state.hands[0])
    assert HEARTS_1.views.legal(state, 0) == ()


def test_hc_v_3_after_the_exchange_giver_and_receiver_know_the_cards() -> None:
    facts, state = accepted(committed(0, 3, 1), 2, PASSES[2])
    exchange = facts[1]
    assert HEARTS_1.views.private_part(state, 1) == HeartsPrivate(("4H", "5H", "7H"), 2, ("AC", "KS", "QH"), 0)
    assert HEARTS_1.views.private_form(exchange, 1) == HeartsCardsReceived(0, ("AC", "KS", "QH"))
    assert cards_in(sent_to(state, 1)) == {*state.hands[1], "4H", "5H", "7H"}


def test_hc_v_4_a_spectator_sees_that_cards_changed_hands_and_who_leads() -> None:
    facts, state = accepted(committed(0, 3, 1), 2, PASSES[2])
    assert [HEARTS_1.views.public_form(fact) for fact in facts][1] == HeartsExchangeMade(1, 0)
    assert cards_in([HEARTS_1.views.public_form(fact) for fact in facts]) == set()
    assert cards_in(sent_to(state, None)) == set()
    assert HEARTS_1.views.board(state).turn == 0


def test_hc_v_5_a_refused_move_changes_nothing() -> None:
    state = playing(options(), seat=2, hand="3D 4D QH", trick="5D 6D", number=11, broken=True)
    seen = sent_to(state, 0)
    assert rejected(state, 2, HeartsPlay("QH")).code == "must_follow_suit"
    assert sent_to(state, 0) == seen


def test_hc_v_6_only_the_seat_to_play_learns_its_legal_cards() -> None:
    state = playing(options(), seat=3, hand="3D 4D QH", trick="5D 6D", number=11, broken=True)
    assert HEARTS_1.views.board(state).turn == 3
    assert HEARTS_1.views.legal(state, 0) == ()
    assert cards_in(sent_to(state, 0)).isdisjoint(state.hands[3])


def test_hc_v_7_after_the_round_all_see_tricks_and_results_but_no_passes() -> None:
    facts: list[HeartsFact] = []
    for step in steps(options(target_score=1), seed=7, mover=by_bot):
        facts += step.facts
    public = [HEARTS_1.views.public_form(fact) for fact in facts]
    results = [fact for fact in public if isinstance(fact, HeartsRoundScored)]
    first, scored = results[0], results[-1]
    assert (sum(first.raw), first.bonus, first.totals) == (26, (0, 0, 0, 0), first.results)
    assert len(cards_in(step.after.tricks)) == 52
    board = HEARTS_1.views.board(step.after)
    assert board.tricks == step.after.tricks
    assert board.last_trick == step.after.tricks[-1]
    assert (board.score_sheet[-1].points, board.score_sheet[-1].moon) == (scored.results, scored.moon)
    assert not any(hasattr(fact, "passes") or hasattr(fact, "cards") for fact in public)
    for seat in range(4):
        assert HEARTS_1.views.private_part(step.after, seat).passed == step.after.passes[seat]


def test_hc_v_8_the_complete_facts_show_every_deal_and_pass() -> None:
    facts = [fact for step in steps(options(target_score=1), seed=8) for fact in step.facts]
    dealt_facts = [fact for fact in facts if isinstance(fact, HeartsRoundDealt)]
    exchanges = [fact for fact in facts if isinstance(fact, HeartsCardsExchanged)]
    assert len(cards_in(dealt_facts[0].order)) == 52
    assert [len(cards) for cards in exchanges[0].passes] == [3, 3, 3, 3]


def test_a_deal_is_shown_to_each_seat_as_its_own_hand() -> None:
    (fact,) = HEARTS_1.decider.start(HEARTS_1.decider.new(options(), 4), Stacked({1: PACK[4]}))
    state = evolved(HEARTS_1.decider.new(options(), 4), [fact])
    assert HEARTS_1.views.public_form(fact) == HeartsRoundBegun(1, 1, 13, None)
    for seat in range(4):
        assert HEARTS_1.views.private_form(fact, seat) == HeartsHandDealt(state.hands[seat])
        assert HEARTS_1.views.legal(state, seat) == (HeartsLegalPass(state.hands[seat], 3),)


def test_in_a_hold_round_everybody_learns_who_leads() -> None:
    state = msgspec.structs.replace(HEARTS_1.decider.new(options(), 4), round=3)
    (fact,) = HEARTS_1.decider.start(state, Stacked({4: PACK[4]}))
    assert HEARTS_1.views.public_form(fact) == HeartsRoundBegun(4, 0, 13, 0)
    assert HEARTS_1.views.private_part(evolved(state, [fact]), 2) == HeartsPrivate((), None, (), None)


def test_sets_of_cards_are_always_in_canonical_order() -> None:
    for step in steps(options(players=5, target_score=60), seed=5):
        for seat in range(5):
            view = view_of(HEARTS_1, step.after, seat)
            sets = [view.hand, view.private.passed, view.private.received, *(entry.cards for entry in view.legal)]
            for cards in sets:
                assert list(cards) == sorted(cards, key=CANONICAL.__getitem__)
