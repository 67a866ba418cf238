"""What every registered game version declares holds, whatever is played."""

import pytest

from domain.decider import AnyGame
from domain.registry import CURRENT, GAMES
from tests.conformance.checks import declarations
from tests.conformance.hooks import brings_hooks, hooks_of

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@every_game
def test_every_game_tells_the_suite_about_itself(game: AnyGame) -> None:
    assert brings_hooks(game), f"tests/games/{game.key}/conformance.py is missing"


@every_game
def test_identity_rules_and_refusals_are_complete(game: AnyGame) -> None:
    declarations.check_identity(game)


@every_game
def test_types_of_the_api_are_frozen_tagged_and_named_after_the_game(game: AnyGame) -> None:
    declarations.check_types(game)


@every_game
def test_the_fold_has_a_function_for_each_kind_of_fact(game: AnyGame) -> None:
    declarations.check_changes(game)


@every_game
def test_moves_are_bounded_and_closed(game: AnyGame) -> None:
    declarations.check_moves(game)


@every_game
def test_moves_and_commands_of_the_table_have_names_of_their_own(game: AnyGame) -> None:
    declarations.check_names_of_moves(game)


@every_game
def test_complete_options_are_read_as_what_they_are(game: AnyGame) -> None:
    declarations.check_options(game, hooks_of(game))


@every_game
def test_bad_options_are_refused_and_never_repaired(game: AnyGame) -> None:
    declarations.check_bad_options(game, hooks_of(game))


@every_game
def test_the_suite_plays_every_option_value_and_every_number_of_seats(game: AnyGame) -> None:
    declarations.check_option_sets(game, hooks_of(game))


def test_versions_of_a_game_are_numbered_from_one_and_the_newest_is_current() -> None:
    for key, current in CURRENT.items():
        versions = [game.rules_version for game in GAMES.values() if game.key == key]
        assert versions == list(range(1, len(versions) + 1)), key
        assert current.rules_version == versions[-1]


def test_a_code_says_the_same_in_every_game() -> None:
    said: dict[str, tuple[str, str]] = {}
    for game in GAMES.values():
        for code, sentence in game.rejections.items():
            first, theirs = said.setdefault(code, (game.rules_id, sentence))
            assert sentence == theirs, (
                f"{game.rules_id} says of {code}: {sentence!r}, and {first}: {theirs!r}. "
                "Clients know codes in all games: take the same sentence, or another code for what means something else"
            )
