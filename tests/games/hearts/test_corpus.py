"""Every step of the rounds that another engine recorded (section 15)."""

from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.games.hearts.corpus.comparison import difference, occurrences
from tests.games.hearts.corpus.recorded import FILE, RecordedRound, read, write

OFTEN_ENOUGH = {
    "rounds": 2000,
    "jd_bonus False": 1000,
    "jd_bonus True": 1000,
    **{f"direction {direction}": 400 for direction in range(4)},
    "H-23: ban binds in the first trick": 200,
    "H-24: only penalty cards in the first trick": 200,
    "H-24: a heart played": 100,
    "H-24: QS played": 10,
    "H-27: hearts may not be led": 1000,
    "H-27: lead from only hearts, unbroken": 200,
    "H-28: QS must be led": 50,
    "moon": 200,
    "moon with bonus, jack taken by the shooter": 50,
    "moon with bonus, jack taken by another": 50,
}


@cache
def corpus() -> tuple[RecordedRound, ...]:
    return tuple(read())


def test_our_rules_agree_with_every_step_of_every_recorded_round() -> None:
    differing = [
        f"round {number} ({recorded.kind}): {found}"
        for number, recorded in enumerate(corpus())
        if (found := difference(recorded))
    ]
    assert not differing, "\n".join(differing[:5])


def test_the_recorded_rounds_contain_what_is_rare_often_enough() -> None:
    count = occurrences(corpus())
    assert {name: count[name] for name, least in OFTEN_ENOUGH.items() if count[name] < least} == {}


def test_the_file_is_small_and_survives_being_written_again(tmp_path: Path) -> None:
    again = tmp_path / "again.xz"
    write(corpus()[:100], 0, "copy", again)
    assert tuple(read(again)) == corpus()[:100]
    assert FILE.stat().st_size < 400_000


def test_a_difference_is_reported_with_its_step() -> None:
    recorded = next(recorded for recorded in corpus() if recorded.direction)
    step = recorded.plays[20]
    for wrong, found in (
        (replace(step, legal=step.legal[1:]), f"play 20: seat {step.seat} may play"),
        (replace(step, seat=(step.seat + 1) % 4), "play 20: seat"),
        (replace(step, broken=not step.broken), "play 20: hearts broken"),
    ):
        plays = (*recorded.plays[:20], wrong, *recorded.plays[21:])
        assert str(difference(replace(recorded, plays=plays))).startswith(found)
    passes = (*recorded.passes[:4], replace(recorded.passes[4], legal=("2C",)), *recorded.passes[5:])
    assert str(difference(replace(recorded, passes=passes))).startswith("pass 4: seat 1 may pass")
    points = (*recorded.points[:7], (99, 0, 0, 0), *recorded.points[8:])
    assert str(difference(replace(recorded, points=points))).startswith("play 31: points")
    assert str(difference(replace(recorded, results=(1, 2, 3, 4)))).startswith("results")
