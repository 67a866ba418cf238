"""Examples of the contract. Those of tables are real: folded from commands with a fixed secret and time."""

import json
from functools import cache
from typing import Any, Final
from uuid import UUID

import msgspec

from domain import fairness
from domain.codec import Codec, Event
from domain.decider import AnyGame, OptionProblem
from domain.explain import explain, moves_with
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import apply, begin
from domain.table.model import Accepted, Facts, TableState
from domain.table.views import event_seen
from projections.table_view import project, splice

_TABLE: Final = UUID("018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
_PLAYER: Final = "5f0c2d8e-41c7-4b1e-9b7d-0d7b6f3c2a10"
_TOKEN: Final = "a3f1b2c4-0d5e-4f6a-8b7c-9d0e1f2a3b4c"  # noqa: S105 - an id
_SECRET: Final = bytes(range(32))
_TIME: Final = 1_750_000_000_000
_BEARER: Final = "bw_" + "A" * 43


class _Match:
    """A short match of bots against one person, for examples."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._codec = Codec(game)
        self.events: list[Event] = []
        made = rules.create(
            game,
            {},
            _asked_seats(game),
            tuple(range(1, _count(game))),
            player=_PLAYER,
            visibility="public",
            commitment=fairness.commitment(_TABLE.bytes, _SECRET).hex(),
        )
        if not isinstance(made, Facts):
            raise TypeError(f"{game.key}: {made}")
        self.state: TableState = begin(game, str(_TABLE), made, _TIME)
        self._record(made, "create", None, None, None)
        key = fairness.match_key(_TABLE.bytes, _SECRET, game.rules_id, [None] * self.state.setup.seats)
        self.chance = fairness.MatchChance(key)
        started = rules.start(self.state, 0, self.chance)
        if not isinstance(started, Facts):
            raise TypeError(f"{game.key}: {started}")
        self._apply(started, "start", 0, None, None)

    def play_until_own_move(self) -> None:
        """Let everybody play by the timeout move until seat 0 has moved once."""
        for _ in range(200):
            seat = next(seat for seat, decision in enumerate(self.state.decisions) if decision is not None)
            move = self.game.timeout_move(self.state.play, seat)
            decision = self.state.decisions[seat]
            judged = rules.move(self.state, seat, decision or 0, move, self.chance, _SECRET.hex())
            if not isinstance(judged, Accepted):
                raise TypeError(f"{self.game.key}: {judged}")
            self._apply(judged.facts, move.__struct_config__.tag, seat, decision, move)
            if seat == 0:
                return

    def _apply(self, facts: Facts, type_: str, seat: int, decision: int | None, move: Any) -> None:
        self._record(facts, type_, seat, decision, move)
        self.state = apply(self.state, seat, facts)

    def _record(self, facts: Facts, type_: str, seat: int | None, decision: int | None, move: Any) -> None:
        version = len(self.events) + 1
        sealed = self._codec.seal(
            facts,
            seats=self.state.setup.seats,
            salts=fairness.Salts(_SECRET),
            version=version,
            time=_TIME + 1000 * version,
            type_=type_,
            actor=seat,
            decision=decision,
            move=move,
        )
        self.events.append(sealed.event)

    def view(self, seat: int | None = 0) -> Any:
        """Return the view as JSON."""
        projection = project(self.state, {_PLAYER: "Ada"})
        return json.loads(splice(projection.public, None if seat is None else projection.seats[seat]))


def _asked_seats(game: AnyGame) -> int | None:
    """The number of seats to ask for, None where the options' defaults say it."""
    return None if "default" in game.options_schema.get("properties", {}).get("players", {}) else 3


def _count(game: AnyGame) -> int:
    asked = _asked_seats(game)
    parsed = game.parse_options({}, asked)
    if isinstance(parsed, OptionProblem):
        raise TypeError(f"{game.key}: {parsed}")
    return game.seat_count(parsed, asked)


@cache
def _matches() -> dict[str, _Match]:
    matches = {key: _Match(game) for key, game in CURRENT.items()}
    for match in matches.values():
        match.play_until_own_move()
    return matches


def _builtin(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


@cache
def bodies() -> dict[str, dict[str, Any]]:
    """Return examples of request bodies by operation."""
    tables: dict[str, Any] = {}
    moves: dict[str, Any] = {}
    for key, match in _matches().items():
        tables[key] = {"value": {"game": key, "bots": [1, 2]} | ({"seats": 3} if _asked_seats(match.game) else {})}
        answered = match.events[-1]
        moves[key] = {"value": {"decision": answered.decision, "move": _builtin(answered.move)}}
    return {
        "createPlayer": {"ada": {"value": {"name": "Ada"}}},
        "changeMe": {"ada": {"value": {"name": "Ada L."}}},
        "createToken": {"phone": {"value": {"label": "phone", "expires_in_days": 90}}},
        "createTable": tables,
        "takeSeat": {"first_open": {"value": {"client_seed": "20" * 32}}, "bot": {"value": {"bot": True, "seat": 2}}},
        "startRound": {"match": {"value": {"round": 1}}},
        "markReady": {"ready": {"value": {"ready": True}}},
        "changeOptions": {"none": {"value": {}}},
        "makeMove": moves,
    }


@cache
def answers() -> dict[str, dict[str, Any]]:
    """Return examples of answers by operation."""
    views = {key: {"value": match.view()} for key, match in _matches().items()}
    pages: dict[str, Any] = {}
    results: dict[str, Any] = {}
    for key, match in _matches().items():
        seen = [_builtin(event_seen(event, 0, over=False)) for event in match.events[:3]]
        pages[key] = {"value": {"game": key, "version": match.state.version, "items": seen, "next_after": 3}}
        last = _builtin(event_seen(match.events[-1], 0, over=False))
        results[key] = {"value": {"game": key, "version": match.state.version, "event": last, "view": match.view()}}
    replays: dict[str, Any] = {}
    explained: dict[str, Any] = {}
    for key, match in _matches().items():
        last = _builtin(event_seen(match.events[-1], 0, over=False))
        version = match.state.version
        step = {"version": version, "event": last, "view": match.view(), "hands": None}
        replays[key] = {"value": {"game": key, "version": version, "seat": "0", "items": [step], "next_from": None}}
        judged = _builtin(explain(match.state, 0, moves_with(match.game, match.view()["you"]["hand"][:2])))
        explained[key] = {
            "value": {"game": key, "version": version, "seat": 0, "view": match.view(), "answers": judged}
        }
    tables = ("createTable", "getTable", "takeSeat", "freeSeat", "startRound", "changeOptions", "markReady", "endMatch")
    return {
        **dict.fromkeys(tables, views),
        "makeMove": results,
        "listEvents": pages,
        "getReplay": replays,
        "explainMove": explained,
        "createPlayer": {"ada": {"value": {"player": _PLAYER, "name": "Ada", "token_id": _TOKEN, "token": _BEARER}}},
        "getPlayer": {"ada": {"value": {"player": _PLAYER, "name": "Ada"}}},
        "getMe": {"ada": {"value": {"player": _PLAYER, "name": "Ada", "role": "player", "created": _TIME}}},
        "changeMe": {"ada": {"value": {"player": _PLAYER, "name": "Ada L.", "role": "player", "created": _TIME}}},
        "createToken": {"phone": {"value": {"token_id": _TOKEN, "label": "phone", "expires": _TIME, "token": _BEARER}}},
        "livez": {"ok": {"value": {"status": "ok"}}},
        "readyz": {"ok": {"value": {"status": "ok", "database": "ok", "views": "ok"}}},
    }
