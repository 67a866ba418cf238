"""Private streams and advice: what only one seat asks or keeps, and what may not leak through it."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_args

import msgspec

from domain.decider import Rejection, Seat, SeatView
from domain.explain import every_choice
from tests.conformance.checks.legality import check_reason
from tests.conformance.matches import Match
from tests.conformance.wire import canonical

MOVES_MAX = 3
"""Private moves of one seat in one position."""
SAMPLES_MAX = 40
"""Moves of the table that are tried beside them."""


def check_private_streams(match: Match, positions: int) -> None:
    """Private moves are judged with reasons, fold from JSON, keep the hand's cards, and tell nothing hidden."""
    stream = match.game.private_stream
    if stream is None:
        return
    rng = match.rng("private streams")
    for words, state in match.positions(positions // 2, "private streams"):
        for seat in range(match.seats):
            before = canonical(state)
            other = match.hooks.other_distribution(match.game, state, seat, rng)
            own = stream.new()
            for _ in range(MOVES_MAX):
                where = f"{words} seat {seat} with private state {own}"
                _check_seat(match, state, other, seat, own, where)
                if seat in match.game.decider.to_act(state):
                    _check_moves(match, state, seat, own, where)
                facts = _accepted(match, state, other, seat, own, where)
                if not facts:
                    break
                for fact in rng.choice(facts):
                    own = stream.evolve(own, _through(stream.fact_type)(canonical(fact)))
            assert canonical(state) == before, f"{words} the state was changed by private moves"


def check_advice(match: Match, positions: int) -> None:
    """Answers have their type, refusals a reason, and neither depends on hidden cards."""
    advice, questions = match.game.advice, match.hooks.questions
    if advice is None:
        return
    assert questions is not None, "a game with advice needs the hook questions"
    rng = match.rng("advice")
    for words, state in match.positions(positions, "advice"):
        for seat in range(match.seats):
            other = match.hooks.other_distribution(match.game, state, seat, rng)
            for asked in questions(state, seat):
                question = _through(advice.question_type)(canonical(asked))
                answer = advice.answer(state, seat, question)
                where = f"{words} seat {seat} asks {question}"
                if isinstance(answer, Rejection):
                    check_reason(match.game, answer, where)
                else:
                    assert _through(advice.answer_type)(canonical(answer)) == answer, f"{where}: {answer}"
                assert canonical(advice.answer(other, seat, question)) == canonical(answer), f"{where}: it depends"


def _accepted(match: Match, state: Any, other: Any, seat: Seat, own: Any, where: str) -> list[tuple[Any, ...]]:
    stream, offered = match.game.private_stream, match.hooks.private_moves
    assert stream is not None
    assert offered is not None, "a game with private streams needs the hook private_moves"
    accepted = []
    for offer in offered(state, seat, own):
        move = _through(stream.move_type)(canonical(offer))
        judged = stream.decide(state, seat, own, move)
        same = canonical(stream.decide(other, seat, own, move)) == canonical(judged)
        assert same, f"{where}: the answer to {move} depends on hidden cards"
        if isinstance(judged, Rejection):
            check_reason(match.game, judged, f"{where}: {move}")
        else:
            accepted.append(judged)
    return accepted


def _check_seat(match: Match, state: Any, other: Any, seat: Seat, own: Any, where: str) -> None:
    stream, game, wire = match.game.private_stream, match.game, match.wire
    assert stream is not None
    assert sorted(stream.hand(state, seat, own)) == sorted(game.views.hand(state, seat)), f"{where}: not the same hand"
    hidden = {card.encode() for card in match.hooks.hidden_from(state, seat)}
    for part, decode in ((stream.hand, wire.hand), (stream.private, wire.private), (stream.legal, wire.legal)):
        value = part(state, seat, own)
        data = canonical(value)
        assert decode(data) == value, f"{where}: {value} comes back as {decode(data)}"
        assert canonical(part(other, seat, own)) == data, f"{where}: {part} depends on hidden cards"
        assert not any(card in data for card in hidden), f"{where}: a hidden card in {data!r}"
    for offered in _offered(stream.private(state, seat, own), stream.move_type):
        sent = _through(stream.move_type)(canonical(offered))
        judged = stream.decide(state, seat, own, sent)
        assert not isinstance(judged, Rejection), f"{where}: {offered} is offered as a draft, but gives {judged}"
    moves = list(match.hooks.candidates(state, seat))
    for move in match.rng(where).sample(moves, min(len(moves), SAMPLES_MAX)):
        resolved = stream.resolve(state, seat, own, move)
        if isinstance(resolved, Rejection):
            check_reason(game, resolved, f"{where}: {move}")
        else:
            assert wire.move(canonical(resolved)) == resolved, f"{where}: {resolved}"
        if not stream.consulted(state, seat):
            unchanged = resolved == move or resolved == game.decider.decide(state, seat, move, match.chance)
            assert unchanged, f"{where}: {move} becomes {resolved} without being consulted"


def _offered(part: Any, move_type: Any) -> Iterator[Any]:
    """Yield the private moves that a private part holds, which a client sends as they are."""
    kinds = get_args(move_type) or (move_type,)
    waiting = [part]
    while waiting:
        value = waiting.pop()
        if isinstance(value, kinds):
            yield value
        elif isinstance(value, msgspec.Struct):
            waiting += [getattr(value, name) for name in value.__struct_fields__]
        elif isinstance(value, tuple):
            waiting += value


def _check_moves(match: Match, state: Any, seat: Seat, own: Any, where: str) -> None:
    """Moves built from `legal` in the light of the private state are accepted. If there are none (ValueError), the
    drafts stand against every move."""
    stream, game, wire = match.game.private_stream, match.game, match.wire
    assert stream is not None
    view = SeatView(
        seat=seat,
        options=game.views.options(state),
        board=game.views.board(state),
        hand=stream.hand(state, seat, own),
        legal=stream.legal(state, seat, own),
        private=stream.private(state, seat, own),
    )
    try:
        moves = list(every_choice(lambda choose: game.players.sample(wire.view(view), choose), SAMPLES_MAX))
    except ValueError:
        for move in match.hooks.candidates(state, seat):
            resolved = stream.resolve(state, seat, own, move)
            possible = not isinstance(resolved, Rejection) and not isinstance(
                game.decider.decide(state, seat, resolved, match.chance), Rejection
            )
            assert not possible, f"{where}: {move} is possible, but not listed in {view.legal}"
        return
    for move in moves:
        resolved = stream.resolve(state, seat, own, wire.move(canonical(move)))
        assert not isinstance(resolved, Rejection), f"{where}: {move} is listed, but gives {resolved}"
        judged = game.decider.decide(state, seat, resolved, match.chance)
        assert not isinstance(judged, Rejection), f"{where}: {move} is listed, but gives {judged}"


@cache
def _through(declared: Any) -> Callable[[bytes], Any]:
    return msgspec.json.Decoder(declared).decode
