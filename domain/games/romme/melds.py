"""What is a meld: the one check of declared cards, the places left, and the readings of bare cards."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from domain.cards import CANONICAL, RANKS, SUITS, Card
from domain.decider import Rejection
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE, FACE_VALUE, POSITION, position_value
from domain.games.romme.model import RommeMeld, RommeMeldKind, RommeReading, RommeSlot
from domain.games.romme.moves import RommeChosenCard, RommeChosenMeld, RommeEnd
from domain.structs import Value

SMALLEST: Final = 3
LARGEST_SET: Final = len(SUITS)
LARGEST_RUN: Final = len(RANKS)

_FACE_MISSING: Final = Rejection("joker_face_missing", "R-28")
_SET_TOO_SMALL: Final = Rejection("meld_too_small", "R-20")
_RUN_TOO_SMALL: Final = Rejection("meld_too_small", "R-21")
_TOO_MANY_JOKERS: Final = Rejection("too_many_jokers", "R-26")
_WRONG_FACE: Final = Rejection("meld_invalid", "R-28")
_NO_SET: Final = Rejection("meld_invalid", "R-20")
_NO_RUN: Final = Rejection("meld_invalid", "R-21")
_RANK_TWICE: Final = Rejection("meld_invalid", "R-22")
_TWINS: Final = Rejection("meld_invalid", "R-23")
_DOES_NOT_FIT: Final = Rejection("meld_invalid", "R-46")


class RommeShape(Value, frozen=True):
    """What valid slots form: runs from low to high, sets in suit order."""

    kind: RommeMeldKind
    slots: tuple[RommeSlot, ...]
    points: int


Declared = RommeChosenCard | RommeSlot
"""A card and the face it is to show; a real card may leave its face out."""


# checking declared cards


def check_meld(cards: Sequence[Declared], end: RommeEnd | None = None) -> RommeShape | Rejection:
    """Return what declared cards form, or the first fault in the order of R-91."""
    aces = (ACE_LOW, ACE_HIGH) if end == "low" else (ACE_HIGH, ACE_LOW)
    return _check(cards, aces)


def extended(meld: RommeMeld, cards: Sequence[Declared], end: RommeEnd | None = None) -> RommeShape | Rejection:
    """Return what a meld on the table becomes with more cards, or the first fault (R-45, R-46)."""
    ace = _ace_of(meld)
    declared = (*meld.slots, *cards)
    result = check_meld(declared, end) if ace is None else _check(declared, (ace,))
    return _DOES_NOT_FIT if result is _NO_RUN else result


def _ace_of(meld: RommeMeld) -> int | None:
    """Return the position of the ace that lies in a run; it stays there (R-48)."""
    if meld.kind == "set":
        return None
    if meld.slots[0].face[0] == "A":
        return ACE_LOW
    return ACE_HIGH if meld.slots[-1].face[0] == "A" else None


def _check(cards: Sequence[Declared], aces: Sequence[int]) -> RommeShape | Rejection:
    slots: list[RommeSlot] = []
    for card in cards:
        face = FACE.get(card.card) if card.face is None else card.face
        if face is None:
            return _FACE_MISSING
        slots.append(RommeSlot(card.card, face))
    ranks = [slot.face[:1] for slot in slots]
    same_rank = len(set(ranks)) <= 1
    if len(slots) < SMALLEST:
        return _SET_TOO_SMALL if same_rank else _RUN_TOO_SMALL
    if 2 * sum(slot.card not in FACE for slot in slots) > len(slots):
        return _TOO_MANY_JOKERS
    if any(slot.face not in CANONICAL or FACE.get(slot.card, slot.face) != slot.face for slot in slots):
        return _WRONG_FACE
    return _set(slots) if same_rank else _run(slots, ranks, aces)


def _set(slots: list[RommeSlot]) -> RommeShape | Rejection:
    if len(slots) > LARGEST_SET:
        return _NO_SET
    if len({slot.face for slot in slots}) < len(slots):
        return _TWINS if _real_twins(slots) else _NO_SET
    ordered = sorted(slots, key=lambda slot: CANONICAL[slot.face])
    return RommeShape("set", tuple(ordered), len(slots) * FACE_VALUE[slots[0].face[0]])


def _run(slots: list[RommeSlot], ranks: list[str], aces: Sequence[int]) -> RommeShape | Rejection:
    if len({slot.face[1] for slot in slots}) > 1:
        return _NO_RUN
    if len(slots) > LARGEST_RUN:
        return _RANK_TWICE
    if len(set(ranks)) < len(slots):
        return _TWINS if _real_twins(slots) else _RANK_TWICE
    for ace in aces:
        placed = sorted((ace if rank == "A" else POSITION[rank], number) for number, rank in enumerate(ranks))
        if placed[-1][0] - placed[0][0] == len(slots) - 1:
            points = sum(position_value(position) for position, _ in placed)
            return RommeShape("run", tuple(slots[number] for _, number in placed), points)
    return _NO_RUN


def _real_twins(slots: list[RommeSlot]) -> bool:
    """Whether both copies of a face are among the real cards (R-23)."""
    faces = [slot.face for slot in slots if slot.card in FACE]
    return len(set(faces)) < len(faces)


# declaring a shape again


def declared(slots: Sequence[RommeSlot]) -> tuple[RommeChosenCard, ...]:
    """Return slots as a player declares them: only jokers with their face."""
    return tuple(RommeChosenCard(slot.card, None if slot.card in FACE else slot.face) for slot in slots)


def chosen(kind: RommeMeldKind, slots: Sequence[RommeSlot]) -> RommeChosenMeld:
    """Return slots of a valid meld as the move that gives just this meld."""
    low = kind == "run" and len(slots) == LARGEST_RUN and slots[0].face[0] == "A"
    return RommeChosenMeld(declared(slots), "low" if low else None)


def reading(shape: RommeShape) -> RommeReading:
    """Return a valid shape as a suggestion."""
    return RommeReading(shape.kind, shape.points, chosen(shape.kind, shape.slots))


# places of a meld on the table


def face_at(position: int, suit: str) -> str:
    """Return the face at a position of a run, 1 to 14."""
    return ("A" if position == ACE_LOW else RANKS[position - 2]) + suit


def first_position(meld: RommeMeld) -> int:
    """Return the position of the lowest slot of a run."""
    return _low_position(meld.slots[0].face)


def _low_position(face: str) -> int:
    return ACE_LOW if face[0] == "A" else POSITION[face[0]]


def places_left(meld: RommeMeld) -> tuple[tuple[str, RommeEnd | None], ...]:
    """Return the faces by which one more card extends a meld, with its end where both are possible (R-46)."""
    if meld.kind == "set":
        return _places_in_set(tuple([slot.face for slot in meld.slots]))
    return _places_beside_run(meld.slots[0].face, len(meld.slots))


@lru_cache(maxsize=1024)
def open_faces(melds: tuple[RommeMeld, ...]) -> frozenset[str]:
    """Return all faces by which one more card extends a meld of the table."""
    return frozenset([face for meld in melds for face, _ in places_left(meld)])


@lru_cache(maxsize=128)
def _places_in_set(used: tuple[str, ...]) -> tuple[tuple[str, RommeEnd | None], ...]:
    rank = used[0][0]
    return tuple((rank + suit, None) for suit in SUITS if rank + suit not in used)


@lru_cache(maxsize=512)
def _places_beside_run(lowest: str, count: int) -> tuple[tuple[str, RommeEnd | None], ...]:
    if count == LARGEST_RUN:
        return ()
    suit, low = lowest[1], _low_position(lowest)
    high = low + count - 1
    if low - 1 == ACE_LOW and high + 1 == ACE_HIGH:
        return ("A" + suit, "high"), ("A" + suit, "low")
    below: tuple[tuple[str, RommeEnd | None], ...] = ((face_at(low - 1, suit), None),) if low > ACE_LOW else ()
    return (*below, (face_at(high + 1, suit), None)) if high < ACE_HIGH else below


def faces_beyond(meld: RommeMeld) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the faces that may follow a run, outward from its high and from its low end (R-22)."""
    room = LARGEST_RUN - len(meld.slots)
    suit, low = meld.slots[0].face[1], first_position(meld)
    high = low + len(meld.slots) - 1
    above = range(high + 1, min(high + room, ACE_HIGH) + 1)
    below = range(low - 1, max(low - room, ACE_LOW) - 1, -1)
    return tuple(face_at(position, suit) for position in above), tuple(face_at(position, suit) for position in below)


def takes_joker(meld: RommeMeld) -> bool:
    """Whether one more joker keeps the jokers of a meld from outnumbering its real cards (R-26)."""
    jokers = sum([slot.card not in FACE for slot in meld.slots])
    return 2 * (jokers + 1) <= len(meld.slots) + 1


# melds as they lie


def _lying() -> dict[tuple[str, ...], tuple[RommeMeldKind, int]]:
    """Return all melds by the faces they show, runs from low to high, sets in suit order."""
    found: dict[tuple[str, ...], tuple[RommeMeldKind, int]] = {}
    for count in range(SMALLEST, LARGEST_SET + 1):
        for rank in RANKS:
            for suits in combinations(SUITS, count):
                found[tuple(rank + suit for suit in suits)] = "set", count * FACE_VALUE[rank]
    for count in range(SMALLEST, LARGEST_RUN + 1):
        for low in range(ACE_LOW, ACE_HIGH - count + 2):
            positions = range(low, low + count)
            for suit in SUITS:
                found[tuple(face_at(position, suit) for position in positions)] = (
                    "run",
                    sum(map(position_value, positions)),
                )
    return found


_LYING: Final = _lying()


def shape_of(slots: tuple[RommeSlot, ...]) -> tuple[RommeMeldKind, int] | None:
    """Return kind and points of cards that lie as a meld does, None if they are none."""
    faces: list[str] = []
    jokers = 0
    for slot in slots:
        faces.append(slot.face)
        real = FACE.get(slot.card)
        if real is None:
            jokers += 1
        elif real != slot.face:
            return None
    return None if 2 * jokers > len(slots) else _LYING.get(tuple(faces))


# readings of bare cards


def readings(cards: Sequence[Card]) -> tuple[RommeReading, ...]:
    """Return every meld that exactly these cards of the game can be (section 18)."""
    real, jokers = _sorted_out(cards)
    faces = [FACE[card] for card in real]
    if len(cards) < SMALLEST or len(jokers) > len(real) or len(set(faces)) < len(faces):
        return ()
    if len({face[0] for face in faces}) == 1:
        return _declared_readings(cards, _free_suits(faces, len(jokers)))
    if len({face[1] for face in faces}) == 1:
        return _declared_readings(cards, _free_positions(faces, len(cards)))
    return ()


def extensions(meld: RommeMeld, cards: Sequence[Card]) -> tuple[RommeReading, ...]:
    """Return every way to lay off exactly these cards of the game to a meld, kind and points of the result."""
    real, jokers = _sorted_out(cards)
    faces = [slot.face for slot in meld.slots] + [FACE[card] for card in real]
    if not cards or len(set(faces)) < len(faces):
        return ()
    if meld.kind == "set":
        same, free = 0, _free_suits(faces, len(jokers))
    else:
        same, free = 1, _free_positions(faces, len(faces) + len(jokers))
    if len({face[same] for face in faces}) > 1:
        return ()
    found: list[RommeReading] = []
    for assigned, end in free:
        added = _with_faces(cards, assigned)
        shape = extended(meld, added, end)
        if isinstance(shape, RommeShape):
            needed = end if _ace_of(meld) is None else None
            found.append(RommeReading(shape.kind, shape.points, RommeChosenMeld(added, needed)))
    return tuple(dict.fromkeys(found))


def _sorted_out(cards: Sequence[Card]) -> tuple[list[Card], list[Card]]:
    return [card for card in cards if card in FACE], [card for card in cards if card not in FACE]


def _with_faces(cards: Sequence[Card], faces: Sequence[str]) -> tuple[RommeChosenCard, ...]:
    free = iter(faces)
    return tuple(RommeChosenCard(card, None if card in FACE else next(free)) for card in cards)


def _declared_readings(
    cards: Sequence[Card], free: Iterator[tuple[tuple[str, ...], RommeEnd | None]]
) -> tuple[RommeReading, ...]:
    found: list[RommeReading] = []
    for faces, end in free:
        shape = check_meld(_with_faces(cards, faces), end)
        if isinstance(shape, RommeShape):
            found.append(reading(shape))
    return tuple(found)


def _free_suits(faces: Sequence[str], jokers: int) -> Iterator[tuple[tuple[str, ...], RommeEnd | None]]:
    """Yield the faces that jokers may take in a set of these faces."""
    rank = faces[0][0]
    free = [rank + suit for suit in SUITS if rank + suit not in faces]
    for taken in combinations(free, jokers):
        yield taken, None


def _free_positions(faces: Sequence[str], count: int) -> Iterator[tuple[tuple[str, ...], RommeEnd | None]]:
    """Yield the faces that jokers may take in a run of `count` cards that has these faces."""
    suit = faces[0][1]
    has_ace = any(face[0] == "A" for face in faces)
    for ace in (ACE_LOW, ACE_HIGH) if has_ace else (ACE_HIGH,):
        lying = {ace if face[0] == "A" else POSITION[face[0]] for face in faces}
        low, high = min(lying), max(lying)
        for start in range(max(ACE_LOW, high - count + 1), min(low, ACE_HIGH + 1 - count) + 1):
            window = range(start, start + count)
            taken = tuple(face_at(position, suit) for position in window if position not in lying)
            yield taken, "low" if count == LARGEST_RUN and start == ACE_LOW else None
