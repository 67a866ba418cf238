"""How much a hand is worth to the computer player: the best set of runs it can lay.

A hand is two masks of 16 bits, one bit for each kind of card (its rank and colour: the two cards of a
kind are alike, V-4). `once` has the kinds that are held, `twice` those of which both cards are held.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from domain.cards import Card
from domain.games.von_herzen.model import VonHerzenRun
from domain.games.von_herzen.moves import VonHerzenEnd
from domain.games.von_herzen.runs import COLOUR, FULL, LEAST_REAL, PACK, PLACE

KIND: Final = {card: PLACE[card] + (FULL if COLOUR[card] == "red" else 0) for card in PACK}
"""Number of a card's kind: 0..7 black, 8..15 red, in the order of ranks."""

Masks: TypeAlias = tuple[int, int]

REAL_GAIN: Final = 2
"""Points between a card in a run of one's own (+1) and the same card in the hand (-1)."""
JOKER_GAIN: Final = 1
FLUTE_GAIN: Final = 2
_NODES: Final = 300
"""Sets of runs looked at for one hand at most."""


class Pattern(NamedTuple):
    """A run by kinds of cards."""

    mask: int
    gain: int
    kinds: tuple[int, ...]
    """From low to high."""


class LaidEnd(NamedTuple):
    """A card to be added to a run on the table."""

    kind: int
    run: int
    end: VonHerzenEnd


class OwnRun(NamedTuple):
    """A run on the table as far as adding to it matters."""

    run: int
    red: bool
    low: int
    """Place of its lowest rank."""
    size: int
    joker_open: bool
    """Whether a joker may be added."""


def masks(cards: Iterable[Card]) -> Masks:
    """Return the masks of a hand."""
    once = twice = 0
    for card in cards:
        bit = 1 << KIND[card]
        twice |= once & bit
        once |= bit
    return once, twice


def own_runs(melds: Sequence[VonHerzenRun], seat: int, *, own_joker: bool) -> tuple[OwnRun, ...]:
    """Return the runs of a seat that are not closed."""
    return tuple(
        OwnRun(run.id, run.colour == "red", PLACE[run.cards[0]], len(run.cards), own_joker and run.joker is None)
        for run in melds
        if run.owner == seat and len(run.cards) < FULL
    )


def _pattern(red: bool, low: int, size: int, joker: int) -> Pattern:
    """Return the run of a colour from place `low`; `joker` is the index of its joker, -1 if it has none."""
    kinds = [(low + index) % FULL + (FULL if red != (index == joker) else 0) for index in range(size)]
    gain = REAL_GAIN * size + (FLUTE_GAIN if size == FULL else 0) - (REAL_GAIN - JOKER_GAIN) * (joker >= 0)
    return Pattern(sum(1 << kind for kind in kinds), gain, tuple(kinds))


def _patterns(red: bool) -> list[Pattern]:
    """Return every run of a colour, highest gain first; a flute only once for each joker."""
    found: dict[int, Pattern] = {}
    for low in range(FULL):
        for size in range(LEAST_REAL, FULL + 1):
            for joker in range(-1, size if size > LEAST_REAL else 0):
                pattern = _pattern(red, low, size, joker)
                found.setdefault(pattern.mask, pattern)
    return sorted(found.values(), key=lambda pattern: (-pattern.gain, pattern.kinds))


def _by_colour_held(red: bool) -> list[tuple[Pattern, ...]]:
    """Return for each set of ranks held in a colour the runs whose real cards are among them."""
    shift = FULL if red else 0
    own = 0xFF << shift
    patterns = _patterns(red)
    return [tuple(p for p in patterns if not p.mask & own & ~(held << shift)) for held in range(1 << FULL)]


_BLACK_RUNS: Final = _by_colour_held(red=False)
_RED_RUNS: Final = _by_colour_held(red=True)


def _near_runs(held: int) -> int:
    """Return in how many places of the cycle two of three neighbouring ranks are held."""
    return sum(
        sum(held >> (low + step) % FULL & 1 for step in range(LEAST_REAL)) == LEAST_REAL - 1 for low in range(FULL)
    )


_NEAR_RUNS: Final = tuple(_near_runs(held) for held in range(1 << FULL))


class Planner:
    """Judges hands of one seat at one moment by the best they can lay."""

    def __init__(self, table: tuple[OwnRun, ...], promise: float) -> None:
        """`table`: the seat's open runs; `promise`: what two cards of an unfinished run are worth."""
        self._table = table
        self._promises = tuple(promise * count for count in _NEAR_RUNS)
        self._nodes = 0

    def gain(self, cards: Iterable[Card]) -> float:
        """Return what a hand gains if all that pays is laid, the promise of the rest included."""
        once, twice = masks(cards)
        self._nodes = _NODES
        return self._best(once, twice, _fitting(once), 0)

    def next_run(self, cards: Iterable[Card]) -> Pattern | None:
        """Return the longest run of the best set of runs, None if the hand does best without any."""
        once, twice = masks(cards)
        fits = _fitting(once)
        best, best_gain = None, self._rest(once, twice)
        for pattern in fits:
            self._nodes = _NODES // len(fits)
            left = once & ~pattern.mask | twice & pattern.mask
            gain = pattern.gain + self._best(left, twice & ~pattern.mask, fits, 0)
            if gain > best_gain:
                best, best_gain = pattern, gain
        return best

    def next_end(self, cards: Iterable[Card]) -> LaidEnd | None:
        """Return a card of the hand to be added to a run of one's own, None if none fits."""
        once, twice = masks(cards)
        ends: list[LaidEnd] = []
        for run in self._table:
            _, once, twice = _add_to(run, once, twice, ends)
        return ends[0] if ends else None

    def _best(self, once: int, twice: int, fits: Sequence[Pattern], first: int) -> float:
        """Return the gain of the best set of runs out of `fits[first:]`."""
        self._nodes -= 1
        best = self._rest(once, twice)
        for index in range(first, len(fits)):
            mask, gain, _ = fits[index]
            if mask & ~once:
                continue
            if self._nodes <= 0:
                break
            with_run = gain + self._best(once & ~mask | twice & mask, twice & ~mask, fits, index)
            if with_run > best:
                best = with_run
        return best

    def _rest(self, once: int, twice: int) -> float:
        """Return the gain of a hand that lays no more runs: cards added to own runs, the rest kept."""
        gain = 0.0
        for run in self._table:
            added, once, twice = _add_to(run, once, twice, None)
            gain += added
        return gain + self._promises[once & 0xFF] + self._promises[once >> FULL]


def _fitting(once: int) -> list[Pattern]:
    """Return the runs that can be laid from a hand, highest gain first."""
    fits = [p for p in (*_BLACK_RUNS[once & 0xFF], *_RED_RUNS[once >> FULL]) if not p.mask & ~once]
    fits.sort(key=_gain_first)
    return fits


def _gain_first(pattern: Pattern) -> int:
    return -pattern.gain


def _add_to(run: OwnRun, once: int, twice: int, ends: list[LaidEnd] | None) -> tuple[int, int, int]:
    """Add cards to a run as long as any fits, real ones first; return the gain and the masks left."""
    own, other = (FULL, 0) if run.red else (0, FULL)
    low, size, joker_open, gain = run.low, run.size, run.joker_open, 0
    while size < FULL:
        up, down = (low + size) % FULL, (low - 1) % FULL
        if once >> (up + own) & 1:
            kind, end = up + own, "up"
        elif once >> (down + own) & 1:
            kind, end = down + own, "down"
        elif joker_open and once >> (up + other) & 1:
            kind, end = up + other, "up"
        elif joker_open and once >> (down + other) & 1:
            kind, end = down + other, "down"
        else:
            break
        real = (kind >= FULL) == run.red
        joker_open = joker_open and real
        gain += REAL_GAIN if real else JOKER_GAIN
        size += 1
        gain += FLUTE_GAIN if size == FULL else 0
        low = low if end == "up" else down
        bit = 1 << kind
        once, twice = once & ~bit | twice & bit, twice & ~bit
        if ends is not None:
            ends.append(LaidEnd(kind, run.run, "up" if end == "up" else "down"))
    return gain, once, twice
