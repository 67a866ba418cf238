"""A game's values as they are stored and sent: bytes, and what comes back from them."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from domain.cards import Card
from domain.decider import AnyGame, Seat, SeatView

canonical = msgspec.json.Encoder().encode
"""The bytes of a value: compact JSON, fields in declared order."""


def _several(member: Any) -> Any:
    return tuple[member, ...]


class Wire:
    """Decoders for all types of one game."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self.state = msgspec.json.Decoder(game.types.state).decode
        self.move = msgspec.json.Decoder(game.types.move).decode
        self.fact = msgspec.json.Decoder(game.types.fact).decode
        self.public = msgspec.json.Decoder(game.types.public_form).decode
        self.confided = msgspec.json.Decoder(game.types.private_form).decode
        self.options = msgspec.json.Decoder(game.options.type).decode
        self.board = msgspec.json.Decoder(game.types.board).decode
        self.private = msgspec.json.Decoder(game.types.private_part).decode
        self.legal: Any = msgspec.json.Decoder(_several(game.types.legal)).decode
        self.hand = msgspec.json.Decoder(tuple[Card, ...]).decode

    def view(self, view: SeatView[Any, Any, Any, Any]) -> SeatView[Any, Any, Any, Any]:
        """Return a view as a client has it after reading it from JSON."""
        return SeatView(
            seat=view.seat,
            options=self.options(canonical(view.options)),
            board=self.board(canonical(view.board)),
            hand=self.hand(canonical(view.hand)),
            legal=self.legal(canonical(view.legal)),
            private=self.private(canonical(view.private)),
        )

    def stored(self, facts: Sequence[Any]) -> tuple[tuple[bytes, ...], dict[int, bytes]]:
        """Return facts as an event keeps them: all public forms, and for the server alone the complete
        ones that differ, by their index."""
        public = tuple(canonical(self._game.views.public_form(fact)) for fact in facts)
        complete = [canonical(fact) for fact in facts]
        return public, {index: whole for index, whole in enumerate(complete) if whole != public[index]}

    def restored(self, public: Sequence[bytes], server: dict[int, bytes]) -> Iterator[Any]:
        """Return the complete facts of an event."""
        for index, form in enumerate(public):
            yield self.fact(server.get(index, form))


def view_parts(game: AnyGame, state: Any, viewer: Seat | None) -> dict[str, bytes]:
    """Return everything a viewer is sent of a state, part by part; a spectator is None."""
    parts = {
        "to_act": canonical(game.decider.to_act(state)),
        "round_number": canonical(game.views.round_number(state)),
        "totals": canonical(game.views.totals(state)),
        "outcome": canonical(game.decider.outcome(state)),
        "options": canonical(game.views.options(state)),
        "board": canonical(game.views.board(state)),
    }
    if viewer is not None:
        parts["hand"] = canonical(game.views.hand(state, viewer))
        parts["private"] = canonical(game.views.private_part(state, viewer))
        parts["legal"] = canonical(game.views.legal(state, viewer))
    return parts


def shown_facts(game: AnyGame, facts: Sequence[Any], viewer: Seat | None) -> list[bytes]:
    """Return what a viewer is told of each fact: the public form and the confided one, if there is one."""
    told = []
    for fact in facts:
        form = canonical(game.views.public_form(fact))
        confided = None if viewer is None else game.views.private_form(fact, viewer)
        told.append(form if confided is None else form + b"\n" + canonical(confided))
    return told
