"""The suite finds what it is there for: each planted fault of the toy game is caught by its check.

The toy itself passes all checks, so what a check catches is the fault.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, get_args

import pytest
from msgspec import Struct, defstruct
from msgspec.structs import asdict
from msgspec.structs import replace as changed

from domain.cards import CANONICAL, pack
from domain.decider import AnyGame, Rejection, Rule
from domain.games.von_herzen.moves import VonHerzenLay, VonHerzenOffer
from tests.conformance.altered import altered
from tests.conformance.checks import cards, declarations, ends, folding, forms, interference, legality, secrecy
from tests.conformance.hooks import Hooks
from tests.conformance.matches import Match, play
from tests.conformance.playthrough import FOLDER
from tests.conformance.suite import CHECKS, all_plans, played, run_checks
from tests.conformance.zones import EVERYBODY, Zone, cards_in
from tests.toy import highest_conformance as conformance
from tests.toy import overboard_conformance
from tests.toy.highest import GAMES as TOYS
from tests.toy.highest.model import (
    HighestBoard,
    HighestCardChosen,
    HighestCardsShown,
    HighestChoices,
    HighestChoose,
    HighestHandReceived,
    HighestOptions,
    HighestRoundDealt,
)
from tests.toy.overboard import OVERBOARD_1

TOY = TOYS[0]
HOOKS = Hooks.of(conformance)
OVERBOARD_HOOKS = Hooks.of(overboard_conformance)


def _match(game: AnyGame, *, players: str = "sample", options: int = 0) -> Match:
    return play(game, HOOKS, HOOKS.options[options], players=players, seed=1)


@pytest.mark.parametrize("players", ["sample", "bot", "timeout", "mixed"])
@pytest.mark.parametrize("options", range(len(HOOKS.options)))
@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.rules_id)
def test_the_toy_passes_every_check(toy: AnyGame, options: int, players: str) -> None:
    match = _match(toy, players=players, options=options)
    for check in CHECKS:
        check(match, 50)


@pytest.mark.parametrize("players", ["sample", "bot"])
@pytest.mark.parametrize("options", range(len(OVERBOARD_HOOKS.options)))
def test_a_toy_with_elimination_and_rounds_that_end_in_their_deal_passes_every_check(
    options: int, players: str
) -> None:
    match = play(OVERBOARD_1, OVERBOARD_HOOKS, OVERBOARD_HOOKS.options[options], players=players, seed=1)
    for check in CHECKS:
        check(match, 20)


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ({"facts_that_reveal": ()}, "OverboardHandSwapped is not among FACTS_THAT_REVEAL"),
        ({"history": ()}, "hidden cards|could tell from"),
        ({"places_follow_totals": True}, "say PLACES_FOLLOW_TOTALS = False"),
    ],
)
def test_a_hook_that_is_wrong_is_named(planted: dict[str, Any], said: str) -> None:
    hooks = replace(OVERBOARD_HOOKS, **planted)
    match = play(OVERBOARD_1, hooks, OVERBOARD_HOOKS.options[2], players="sample", seed=1)
    with pytest.raises(AssertionError, match=said):
        run_checks(match, 40)


@pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.rules_id)
def test_the_toy_declares_what_it_should(toy: AnyGame) -> None:
    declarations.check_identity(toy)
    declarations.check_types(toy)
    declarations.check_moves(toy)
    declarations.check_names_of_moves(toy)
    declarations.check_options(toy, HOOKS)
    declarations.check_bad_options(toy, HOOKS)
    declarations.check_option_sets(toy, HOOKS)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"key": "Highest"}, "key 'Highest' is not in snake_case"),
        ({"rules_version": 0}, "rules_version is 0"),
        ({"seats": (3, 7)}, r"seats are \(3, 7\); fewest and most lie in 2 to 6"),
        ({"seats": (1, 3)}, "fewest and most lie in 2 to 6"),
        ({"rules": (Rule("T-1", "A rule."), Rule("T-2", " "))}, "rules without a text: .'T-2'"),
        ({"rejections": {"NotYou": "Not you."}}, "not in snake_case: .'NotYou'"),
        ({"rejections": {"not_you": ""}}, "without a sentence: .'not_you'"),
    ],
)
def test_a_declaration_that_is_wrong_is_named(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        declarations.check_identity(replace(TOY, **declared))


def test_bad_options_that_are_refused_under_an_unknown_rule_are_named() -> None:
    lost = replace(TOY, rules=(Rule("T-99", "Another rule."),))
    with pytest.raises(AssertionError, match="breaks a rule that RULES do not have"):
        declarations.check_bad_options(lost, HOOKS)


class HighestBoardWithTotals(HighestBoard, frozen=True):
    """A board that repeats what the view has beside it."""

    totals: tuple[int, ...]


def test_a_board_that_repeats_what_every_view_has_is_named() -> None:
    with pytest.raises(AssertionError, match=r"the board has \['totals'\], which stand beside it"):
        declarations.check_types(replace(TOY, types=replace(TOY.types, board=HighestBoardWithTotals)))


class HighestBoardWithSheet(HighestBoard, frozen=True):
    """A board whose sheet has the options of each round."""

    sheet: tuple[HighestOptions, ...]


def test_options_that_are_in_the_board_again_are_named() -> None:
    def board(state: Any) -> HighestBoardWithSheet:
        sheet = (state.options,)
        return HighestBoardWithSheet(**asdict(TOY.views.board(state)), sheet=sheet)

    sound = _match(TOY)
    faulty = replace(TOY, types=replace(TOY.types, board=HighestBoardWithSheet), views=replace(TOY.views, board=board))
    with pytest.raises(AssertionError, match=r"board\.sheet\[0\] has the options again"):
        forms.check_views(replace(sound, game=faulty), 30)


def test_options_of_another_type_are_named() -> None:
    sound = _match(TOY)
    faulty = replace(TOY, views=replace(TOY.views, options=lambda _: {}))
    with pytest.raises(AssertionError, match="are no options"):
        forms.check_views(replace(sound, game=faulty), 30)


def test_numbers_of_seats_and_values_that_are_not_played_are_named() -> None:
    few = replace(HOOKS, options=HOOKS.options[:1])
    with pytest.raises(AssertionError, match="no set of OPTIONS has"):
        declarations.check_option_sets(TOY, few)
    with pytest.raises(AssertionError, match=r"no set of OPTIONS has \[4, 5\] seats"):
        declarations.check_option_sets(replace(OVERBOARD_1, seats=(4, 6)), replace(OVERBOARD_HOOKS, options=(({}, 6),)))


def test_the_versions_of_the_toy_differ_in_their_totals() -> None:
    one, two = (_match(toy, players="timeout").steps[-1].after.totals for toy in TOYS)
    assert one != two


# faults that decide and legal may have


def _refuses_own_card(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """A legal card is refused."""
    if move.card == max(state.hands[seat], default="", key=lambda card: CANONICAL[card]) and len(state.hands[seat]) > 1:
        return Rejection("card_not_in_hand", "T-3")
    return TOY.decider.decide(state, seat, move, chance)


def _accepts_twice(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """A seat that has chosen may choose again."""
    if state.chosen[seat] is not None and move.card in state.hands[seat]:
        return (HighestCardsShown((), 0, 0),)
    return TOY.decider.decide(state, seat, move, chance)


def _invents_codes(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """A code that no client was told of."""
    facts = TOY.decider.decide(state, seat, move, chance)
    return Rejection("unheard_of", "T-3") if isinstance(facts, Rejection) else facts


def _invents_rules(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """A rule that the rulebook does not have."""
    facts = TOY.decider.decide(state, seat, move, chance)
    return Rejection(facts.code, "T-99") if isinstance(facts, Rejection) else facts


def _tells_who_has_it(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """A refusal that depends on another hand."""
    facts = TOY.decider.decide(state, seat, move, chance)
    if isinstance(facts, Rejection) and any(move.card in hand for hand in state.hands):
        return Rejection("not_your_choice", "T-3")
    return facts


def _judges_once(calls: Iterator[int]) -> Callable[..., Any]:
    """Facts that depend on how often they were asked for."""

    def decide(state: Any, seat: int, move: Any, chance: Any) -> Any:
        facts = TOY.decider.decide(state, seat, move, chance)
        if isinstance(facts, Rejection) or len(facts) == 1:
            return facts
        return (facts[0], changed(facts[1], points=next(calls)), *facts[2:])

    return decide


def _lists_one_less(state: Any, seat: int) -> Any:
    """A legal card is missing."""
    return tuple(HighestChoices(entry.cards[:-1] or entry.cards) for entry in TOY.views.legal(state, seat))


def _lists_strangers(state: Any, seat: int) -> Any:
    """The first card of the stock is listed, too."""
    return tuple(HighestChoices((*entry.cards, state.stock[0])) for entry in TOY.views.legal(state, seat))


def _lists_for_all(state: Any, seat: int) -> Any:
    """Seats that have chosen are offered their hand."""
    return (HighestChoices(state.hands[seat]),)


# faults of the fold


def _loses_a_card(state: Any, fact: Any) -> Any:
    """The last card of the stock disappears."""
    after = TOY.decider.evolve(state, fact)
    return changed(after, stock=after.stock[:-1]) if isinstance(fact, HighestCardsShown) else after


def _counts(calls: Iterator[int]) -> Callable[..., Any]:
    """A state that depends on how often it was folded."""

    def evolve(state: Any, fact: Any) -> Any:
        after = TOY.decider.evolve(state, fact)
        return changed(after, totals=(next(calls), *after.totals[1:]))

    return evolve


def _folds_anything(state: Any, fact: Any) -> Any:
    """A fact that does not fit changes nothing."""
    try:
        return TOY.decider.evolve(state, fact)
    except Exception:
        return state


def _stumbles(state: Any, fact: Any) -> Any:
    """A fact that does not fit fails by accident."""
    try:
        return TOY.decider.evolve(state, fact)
    except Exception as error:
        raise KeyError(0) from error


# faults of the views


class LeakyBoard(Struct, frozen=True):
    """A board with a thing too much."""

    extra: Any


def _board(extra: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda state: LeakyBoard(extra(state))


def _first_of_stock(state: Any) -> Any:
    return state.stock[0] if state.stock else None


def _places_of_a_hand(state: Any) -> Any:
    return [pack().index(card) for card in state.hands[0]]


def _bits_of_a_hand(state: Any) -> Any:
    return sum(1 << CANONICAL[card] for card in state.hands[0])


def _hearts_in_stock(state: Any) -> Any:
    return sum(card[1] == "H" for card in state.stock)


def _publishes_the_choice(fact: Any) -> Any:
    """The card that is face down is shown."""
    return fact if isinstance(fact, HighestCardChosen) else TOY.views.public_form(fact)


def _hints_at_the_choice(fact: Any) -> Any:
    """A published number depends on the card that is face down."""
    public = TOY.views.public_form(fact)
    if isinstance(fact, HighestCardChosen):
        return changed(public, seat=CANONICAL[fact.card] % 2)
    return public


def _hints_at_the_deal(fact: Any) -> Any:
    """A published number depends on the stock."""
    public = TOY.views.public_form(fact)
    return changed(public, hand_size=CANONICAL[fact.order[-1]]) if isinstance(fact, HighestRoundDealt) else public


def _confides_to_all(fact: Any, seat: int) -> Any:
    """Every seat gets the hand of seat 0."""
    confided = TOY.views.private_form(fact, seat)
    return TOY.views.private_form(fact, 0) if isinstance(confided, HighestHandReceived) else confided


def _next_private(state: Any, seat: int) -> Any:
    """A seat sees the choice of its left neighbour."""
    return TOY.views.private_part(state, (seat + 1) % len(state.hands))


# faults of machines and of the end


def _of_two_minds(calls: Iterator[int]) -> Callable[..., Any]:
    def bot(view: Any, seed: int) -> Any:
        cards = view.legal[0].cards
        return HighestChoose(cards[next(calls) % len(cards)])

    return bot


def _late_move(state: Any, seat: int) -> Any:
    return HighestChoose("XX")


def _places(state: Any) -> Any:
    outcome = TOY.decider.outcome(state)
    return outcome and changed(outcome, places=tuple(range(1, len(outcome.places) + 1)))


class ForgetfulState(Struct, frozen=True):
    """A declared state with less than the real one."""

    options: Any
    round: int


@dataclass(frozen=True)
class Fault:
    """What is planted, which check has to find it, and what it says then."""

    said: str
    check: Callable[[Match, int], None]
    planted: dict[str, Any]
    played: bool = False
    """Whether the match is played with the fault, and not only looked at with it."""


LEGAL = legality.check_legal_is_what_is_accepted
SAME = interference.check_hidden_cards_change_nothing
VIEWS = secrecy.check_no_view_names_a_hidden_card
FACTS = secrecy.check_no_fact_names_a_hidden_card
MACHINES = legality.check_machines_are_accepted
PLAIN = forms.check_plain_json

FAULTS = {
    "a legal card is refused": Fault("is listed, but gives", LEGAL, {"decide": _refuses_own_card}),
    "seats may act twice": Fault("is not to act, but may do", LEGAL, {"decide": _accepts_twice}),
    "unknown codes": Fault("unknown code", LEGAL, {"decide": _invents_codes}),
    "unknown rules": Fault("unknown rule", LEGAL, {"decide": _invents_rules}),
    "legal lists too few": Fault("legal does not list it", LEGAL, {"legal": _lists_one_less}),
    "legal lists too many": Fault("is listed, but gives", LEGAL, {"legal": _lists_strangers}),
    "legal for others": Fault("act, but seat", LEGAL, {"legal": _lists_for_all}),
    "probing by refusals": Fault("gives Rejection", SAME, {"decide": _tells_who_has_it}),
    "facts by hidden cards": Fault("told b", SAME, {"public_form": _hints_at_the_choice}),
    "facts by chance": Fault(
        "other facts the second time", folding.check_decide_is_repeatable, {"decide": _judges_once(count())}
    ),
    "a card is lost": Fault("lost Counter", cards.check_cards, {"evolve": _loses_a_card}, played=True),
    "states by chance": Fault("another state after", folding.check_fold, {"evolve": _counts(count())}),
    "snapshots by chance": Fault("from a snapshot", folding.check_fold_from_snapshots, {"evolve": _counts(count())}),
    "impossible facts are folded": Fault(
        "once more is folded", folding.check_impossible_facts, {"evolve": _folds_anything}
    ),
    "impossible facts fail by accident": Fault(
        "fails with KeyError", folding.check_impossible_facts, {"evolve": _stumbles}
    ),
    "a forgetful state": Fault("state comes back as", forms.check_states, {"state": ForgetfulState}),
    "public forms of another type": Fault(
        "public form is not of its type",
        forms.check_facts,
        {"types": replace(TOY.types, public_form=HighestCardsShown)},
    ),
    "floats on the board": Fault("the number 0.5", PLAIN, {"board": _board(lambda _: 0.5)}),
    "large numbers on the board": Fault("the number 9007199254740992", PLAIN, {"board": _board(lambda _: 2**53)}),
    "spaces in keys": Fault("the keys", PLAIN, {"board": _board(lambda _: {"a b": 1})}),
    "another board than declared": Fault("board is not of its type", forms.check_views, {"board": _board(lambda _: 0)}),
    "a card on the board": Fault("hidden cards .* board", VIEWS, {"board": _board(_first_of_stock)}),
    "places on the board": Fault("as places", VIEWS, {"board": _board(_places_of_a_hand)}),
    "bits on the board": Fault("as bits", VIEWS, {"board": _board(_bits_of_a_hand)}),
    "a count on the board": Fault("could tell from .* differs in .*board", SAME, {"board": _board(_hearts_in_stock)}),
    "the choice of another": Fault("hidden cards .* private", VIEWS, {"private_part": _next_private}),
    "a choice that is shown": Fault("card_chosen", FACTS, {"public_form": _publishes_the_choice}),
    "looks of a choice": Fault("told b", SAME, {"public_form": _publishes_the_choice}),
    "a hand for everybody": Fault("hand_received", FACTS, {"private_form": _confides_to_all}),
    "a deal with a hint": Fault(
        "told b", interference.check_deals_tell_only_ones_own_cards, {"public_form": _hints_at_the_deal}
    ),
    "a bot of two minds": Fault("of two minds", MACHINES, {"bot": _of_two_minds(count())}),
    "a bad move for the absent": Fault("invalid_card", MACHINES, {"timeout_move": _late_move}),
    "places that ignore totals": Fault("places|equal totals", ends.check_end, {"outcome": _places}),
    "rounds from nought": Fault(
        "no round after the start", ends.check_rounds, {"round_number": lambda state: max(0, state.round - 1)}
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_fault_is_caught(fault: Fault) -> None:
    sound = _match(TOY)
    fault.check(sound, 50)
    faulty = altered(TOY, **fault.planted)
    planted = _match(faulty) if fault.played else replace(sound, game=faulty)
    with pytest.raises(AssertionError, match=fault.said):
        fault.check(planted, 50)


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ({"outcome": lambda _: None}, "nobody acts"),
        ({"sample": lambda _view, _choose: HighestChoose("XX")}, "refused"),
        ({"evolve": lambda state, fact: changed(TOY.decider.evolve(state, fact), chosen=(None,) * 3)}, "does not end"),
    ],
)
def test_a_match_that_cannot_be_played_fails(planted: dict[str, Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        _match(altered(TOY, **planted))


def test_what_a_game_raises_while_it_is_played_names_the_match() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        _match(altered(TOY, decide=lambda *_: 1 // 0))
    (note,) = raised.value.__notes__
    assert note.startswith(_match(TOY).name)
    assert "after version 1" in note


def test_a_move_with_the_name_of_a_command_of_the_table_fails() -> None:
    start = defstruct("HighestStart", [], frozen=True, tag_field="type", tag="start")
    with pytest.raises(AssertionError, match="start"):
        declarations.check_names_of_moves(altered(TOY, types=replace(TOY.types, move=start | HighestChoose)))


@pytest.mark.parametrize("form", [lambda move: move, lambda move: changed(move, cards=())])
def test_a_move_that_is_not_known_in_another_order_is_caught(monkeypatch: pytest.MonkeyPatch, form: Any) -> None:
    plan = next(plan for plan in all_plans() if plan.rules_id.startswith("von_herzen"))
    legality.check_equal_moves_are_recognised(played(plan), 1_000)
    for type_ in (VonHerzenOffer, VonHerzenLay):
        monkeypatch.setattr(type_, "canonical", form)
    with pytest.raises(AssertionError, match="denies it"):
        legality.check_equal_moves_are_recognised(played(plan), 1_000)


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ((HighestCardsShown, HighestChoose), "no function for .*HighestMatchEnded"),
        ((*get_args(TOY.types.fact), HighestChoose), "functions for .'HighestChoose'., which the union"),
    ],
)
def test_a_fold_without_a_function_for_a_fact_or_with_one_too_many_fails(kinds: tuple[type, ...], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        declarations.check_changes(altered(TOY, changes=dict.fromkeys(kinds, lambda state, _: state)))


def test_a_permutation_that_exchanges_nothing_is_no_proof() -> None:
    idle = replace(HOOKS, permute_hidden=lambda state, _seat, _rng: state)
    with pytest.raises(AssertionError, match="ever changes its place"):
        interference.check_hidden_cards_are_exchanged([replace(_match(TOY), hooks=idle)], 50)


def test_a_fact_that_may_not_reveal_to_a_viewer_is_held_to_it() -> None:
    narrow = replace(HOOKS, reveals=lambda _fact, viewer: viewer != 1)
    with pytest.raises(AssertionError, match="cards_shown"):
        interference.check_hidden_cards_change_nothing(replace(_match(TOY), hooks=narrow), 50)


def test_hidden_cards_that_are_not_named_are_no_proof() -> None:
    blind = replace(HOOKS, zones=lambda state: [Zone(cards_in(HOOKS.zones(state)), EVERYBODY)])
    with pytest.raises(AssertionError, match="never hide"):
        secrecy.check_every_hand_is_hidden([replace(_match(TOY), hooks=blind)], 50)


def test_a_zone_that_hides_a_hand_from_its_owner_is_found() -> None:
    blind = replace(HOOKS, zones=lambda state: [Zone(cards_in(HOOKS.zones(state)), ())])
    with pytest.raises(AssertionError, match="which holds them"):
        secrecy.check_no_hand_is_hidden_from_its_owner(replace(_match(TOY), hooks=blind), 50)


def test_playthroughs_are_kept_beside_the_tests() -> None:
    assert FOLDER.parent.name == "tests"
