"""The tables of melds by their faces against the one check of declared cards, and what faces are worth."""

from random import Random

from domain.games.romme.deck import FACE_VALUE
from domain.games.romme.melds import RommeShape, check_meld
from domain.games.romme.moves import RommeChosenCard
from domain.games.romme.patterns import BIT, RUNS, SET_OF, SETS, Pattern, patterns_in, run_at, worth

SETS_THERE_ARE = 13 * (4 + 1)
RUNS_THERE_ARE = 4 * sum(14 - count + 1 for count in range(3, 14))


def all_patterns() -> list[Pattern]:
    runs = [pattern for suit in RUNS for by_low in suit for pattern in by_low]
    return [*(pattern for of_rank in SETS for pattern in of_rank), *runs]


def test_every_meld_is_there_once() -> None:
    patterns = all_patterns()
    assert len(patterns) == SETS_THERE_ARE + RUNS_THERE_ARE
    assert len({pattern.faces for pattern in patterns}) == len(patterns)


def test_every_pattern_is_the_meld_that_the_check_finds() -> None:
    for pattern in all_patterns():
        # an ace of a shorter run lies where the others say, whatever end is asked for
        shape = check_meld([RommeChosenCard(f"{face}#1") for face in pattern.faces], pattern.end)
        assert isinstance(shape, RommeShape), pattern
        assert (shape.kind, shape.points) == (pattern.kind, pattern.points), pattern
        assert tuple(slot.face for slot in shape.slots) == pattern.faces
        assert pattern.bits == sum(BIT[face] for face in pattern.faces)


def test_every_pattern_is_found_in_its_faces_and_with_a_joker_for_each_of_them() -> None:
    for pattern in all_patterns():
        assert pattern in patterns_in(pattern.bits, 0), pattern
        for face in pattern.faces:
            assert pattern in patterns_in(pattern.bits - BIT[face], 1), (pattern, face)


def test_patterns_are_found_by_their_place() -> None:
    assert run_at(2, 1, 3).faces == ("AH", "2H", "3H")
    assert run_at(0, 12, 3).faces == ("QC", "KC", "AC")
    assert SET_OF[BIT["7C"] + BIT["7H"] + BIT["7D"]].faces == ("7C", "7H", "7D")


def test_faces_are_worth_what_their_ranks_are() -> None:
    rng = Random(1)
    for count in range(len(BIT) + 1):
        faces = rng.sample(sorted(BIT), count)
        assert worth(sum(BIT[face] for face in faces)) == sum(FACE_VALUE[face[0]] for face in faces)
