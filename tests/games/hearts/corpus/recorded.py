"""The recorded rounds: what is known of each step, and the file they are kept in.

The file is LZMA over a line of JSON and columns of fixed width, one after the other, each for all
rounds: kind; flags (bit 0: the jack of diamonds counts, bits 1 and 2: direction); owner of each of the
52 cards after the deal, two bits each; then for the 12 single passes and the 52 plays the seat (with
broken hearts as bit 2), the legal cards and the place of the chosen card among them; points after each
of the first twelve tricks; results. Legal cards are 16 bits, from bit 0 on the cards that the seat
holds, by suit (clubs, diamonds, hearts, spades) and rank.
"""

import lzma
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from domain.cards import RANKS, Card

FILE: Final = Path(__file__).with_name("rounds.xz")
PROBLEM_TYPES: Final = ("uniform", "hoarded_hearts", "penalty_hand", "long_hearts", "moon")
"""How a round was made: by chance, or so that something rare happens."""

ORDER: Final[dict[Card, int]] = {
    card: place for place, card in enumerate(rank + suit for suit in "CDHS" for rank in RANKS)
}
"""Place of each card by suit and rank."""

_PASSES, _PLAYS, _VALUES = 12, 52, 48
_WIDTHS: Final = (1, 1, 13, _PASSES, 2 * _PASSES, _PASSES, _PLAYS, 2 * _PLAYS, _PLAYS, _VALUES, 4)


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of a seat: what was legal, and what was done."""

    seat: int
    legal: tuple[Card, ...]
    """By suit and rank."""
    broken: bool
    card: Card


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """A round of four players at a standard table."""

    kind: str
    jd_bonus: bool
    direction: int
    """Places clockwise that three cards are passed; 0: none."""
    hands: tuple[tuple[Card, ...], ...]
    """The dealt hands, by suit and rank."""
    passes: tuple[Step, ...]
    """Twelve single cards, three by each seat in turn; none in a hold round."""
    plays: tuple[Step, ...]
    points: tuple[tuple[int, ...], ...]
    """Points by seat after each trick but the last, the bonus of the jack included."""
    results: tuple[int, ...]

    def deal(self) -> tuple[Card, ...]:
        """Return an order of the pack in which card k goes to seat k modulo 4."""
        return tuple(self.hands[place % 4][place // 4] for place in range(52))


def by_suit(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return the cards by suit and rank."""
    return tuple(sorted(cards, key=ORDER.__getitem__))


def after_passing(hands: Sequence[Sequence[Card]], passes: Sequence[Step], direction: int) -> list[tuple[Card, ...]]:
    """Return the hands after the exchange."""
    held = [set(hand) for hand in hands]
    for step in passes:
        held[step.seat].remove(step.card)
    for step in passes:
        held[(step.seat + direction) % 4].add(step.card)
    return [by_suit(hand) for hand in held]


class _Header(msgspec.Struct, frozen=True):
    rounds: int
    seed: int
    source: str


def _packed(steps: Sequence[Step], hands: Sequence[Sequence[Card]]) -> tuple[bytes, bytes, bytes]:
    """Return the three columns of some steps, beginning with these hands."""
    held = [list(hand) for hand in hands]
    masks = []
    for step in steps:
        masks.append(sum(1 << held[step.seat].index(card) for card in step.legal))
        held[step.seat].remove(step.card)
    return (
        bytes(step.seat | step.broken << 2 for step in steps),
        struct.pack(f"<{len(steps)}H", *masks),
        bytes(step.legal.index(step.card) for step in steps),
    )


def _unpacked(columns: tuple[bytes, bytes, bytes], hands: Sequence[Sequence[Card]]) -> tuple[Step, ...]:
    held = [list(hand) for hand in hands]
    steps = []
    for seat, mask, choice in zip(
        columns[0], struct.unpack(f"<{len(columns[0])}H", columns[1]), columns[2], strict=True
    ):
        hand = held[seat & 3]
        legal = tuple([card for place, card in enumerate(hand) if mask >> place & 1])
        steps.append(Step(seat & 3, legal, bool(seat >> 2), legal[choice]))
        hand.remove(legal[choice])
    return tuple(steps)


def write(rounds: Sequence[RecordedRound], seed: int, source: str, path: Path = FILE) -> None:
    """Write the rounds to a file."""
    columns: list[list[bytes]] = [[] for _ in _WIDTHS]
    for recorded in rounds:
        owners = {card: seat for seat, hand in enumerate(recorded.hands) for card in hand}
        held = after_passing(recorded.hands, recorded.passes, recorded.direction)
        passes = _packed(recorded.passes, recorded.hands)
        row = (
            bytes([PROBLEM_TYPES.index(recorded.kind)]),
            bytes([recorded.jd_bonus | recorded.direction << 1]),
            sum(owners[card] << 2 * place for card, place in ORDER.items()).to_bytes(13, "little"),
            *(column.ljust(width, b"\0") for column, width in zip(passes, _WIDTHS[3:6], strict=True)),
            *_packed(recorded.plays, held),
            struct.pack(f"<{_VALUES}b", *(value for points in recorded.points for value in points)),
            struct.pack("<4b", *recorded.results),
        )
        for column, value, width in zip(columns, row, _WIDTHS, strict=True):
            assert len(value) == width
            column.append(value)
    header = msgspec.json.encode(_Header(len(rounds), seed, source))
    data = header + b"\n" + b"".join(value for column in columns for value in column)
    path.write_bytes(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME))


def read(path: Path = FILE) -> list[RecordedRound]:
    """Read all rounds of a file."""
    first, _, data = lzma.decompress(path.read_bytes()).partition(b"\n")
    count = msgspec.json.decode(first, type=_Header).rounds
    columns, start = [], 0
    for width in _WIDTHS:
        columns.append([data[start + number * width : start + (number + 1) * width] for number in range(count)])
        start += count * width
    assert start == len(data)
    return [_round(row) for row in zip(*columns, strict=True)]


def _round(row: tuple[bytes, ...]) -> RecordedRound:
    kind, flags, owners, pass_seats, pass_masks, pass_choices, seats, masks, choices, points, results = row
    direction = flags[0] >> 1
    owner = int.from_bytes(owners, "little")
    hands = tuple(tuple([card for card, place in ORDER.items() if owner >> 2 * place & 3 == seat]) for seat in range(4))
    passes = _unpacked((pass_seats, pass_masks, pass_choices), hands) if direction else ()
    values = struct.unpack(f"<{_VALUES}b", points)
    return RecordedRound(
        kind=PROBLEM_TYPES[kind[0]],
        jd_bonus=bool(flags[0] & 1),
        direction=direction,
        hands=hands,
        passes=passes,
        plays=_unpacked((seats, masks, choices), after_passing(hands, passes, direction)),
        points=tuple(values[start : start + 4] for start in range(0, _VALUES, 4)),
        results=struct.unpack("<4b", results),
    )
