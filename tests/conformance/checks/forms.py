"""Everything that is stored or sent has the type that is declared for it, and comes back unchanged."""

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

import msgspec

from tests.conformance.matches import Match
from tests.conformance.wire import canonical

_KEY: Final = re.compile(r"[a-zA-Z0-9_#-]+")
_INTEGER_LIMIT: Final = 2**53


def check_states(match: Match, positions: int) -> None:
    """Every state after every event, and the one before the first, survives JSON unchanged."""
    _same(match, "state", match.steps[0].before, match.wire.state)
    for step in match.steps:
        _same(match, "state", step.after, match.wire.state)


def check_facts(match: Match, positions: int) -> None:
    """Facts, their public forms and what is confided, survive JSON unchanged."""
    game, wire = match.game, match.wire
    for step in match.steps:
        if step.kind == "move":
            _same(match, "move", step.move, wire.move)
        for fact in step.facts:
            _same(match, "fact", fact, wire.fact)
            _same(match, "public form", game.views.public_form(fact), wire.public)
            for seat in range(match.seats):
                confided = game.views.private_form(fact, seat)
                if confided is not None:
                    _same(match, "confided form", confided, wire.confided)


def check_views(match: Match, positions: int) -> None:
    """Options, boards, hands, private parts and legal entries survive JSON unchanged, and options are there once."""
    game, wire = match.game, match.wire
    for words, state in match.positions(positions, "views"):
        options = game.views.options(state)
        assert isinstance(options, game.options.type), f"{words}: {options} are no options"
        board = game.views.board(state)
        _same(match, "board", board, wire.board)
        _nothing_twice(words, msgspec.to_builtins(board), msgspec.to_builtins(options))
        for seat in range(match.seats):
            _same(match, "hand", game.views.hand(state, seat), wire.hand)
            _same(match, "private part", game.views.private_part(state, seat), wire.private)
            _same(match, "legal entries", game.views.legal(state, seat), wire.legal)


def _nothing_twice(words: str, board: Any, options: Any) -> None:
    """Nowhere in the board are the options again, which stand beside it in every view."""
    waiting = [("board", board)] if options else []
    while waiting:
        where, value = waiting.pop()
        assert value != options, f"{words}: {where} has the options again, which stand beside the board"
        if isinstance(value, dict):
            waiting += [(f"{where}.{name}", part) for name, part in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(f"{where}[{number}]", part) for number, part in enumerate(value)]


def check_plain_json(match: Match, positions: int) -> None:
    """What is stored or sent is plain: ASCII, no floats, integers below 2**53."""
    game = match.game
    for words, state in match.positions(positions, "plain JSON"):
        _plain(words, [state, game.views.board(state)])
        _plain(
            words,
            [part(state, seat) for part in (game.views.private_part, game.views.legal) for seat in range(match.seats)],
        )
    for step in match.steps:
        _plain(match.at(step), step.facts)
        _plain(match.at(step), [game.views.public_form(fact) for fact in step.facts])


def _same(match: Match, what: str, value: Any, decode: Callable[[bytes], Any]) -> None:
    data = canonical(value)
    try:
        back = decode(data)
    except msgspec.MsgspecError as error:
        raise AssertionError(match.at(None, f"{what} is not of its type: {error}: {data!r}")) from error
    assert back == value, match.at(None, f"{what} comes back as {back} from {data!r}")
    assert canonical(back) == data, match.at(None, f"{what} has other bytes the second time: {data!r}")


def _plain(words: str, values: Iterable[Any]) -> None:
    for value in values:
        data = canonical(value)
        assert data.isascii(), f"{words} not ASCII: {data!r}"
        try:
            json.loads(data, parse_float=_refuse, parse_constant=_refuse, parse_int=_integer, object_pairs_hook=_object)
        except ValueError as error:
            raise AssertionError(f"{words} {error}: {data!r}") from error


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"the number {text}")


def _integer(text: str) -> int:
    if abs(int(text)) >= _INTEGER_LIMIT:
        _refuse(text)
    return int(text)


def _object(pairs: list[tuple[str, Any]]) -> None:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys) or not all(_KEY.fullmatch(key) for key in keys):
        raise ValueError(f"the keys {keys}")
