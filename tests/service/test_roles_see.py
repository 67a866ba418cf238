"""What every role gets of a running match from every address that tells something of it: no hidden card."""

import json
from collections.abc import Callable

import httpx
import pytest

from domain.registry import CURRENT
from service.runtime.settings import Settings
from tests.service.client import Player
from tests.service.disputing import begun, of_role, people, play
from tests.service.running import settings_for

OUTSIDE = ("spectator", "arbiter", "operator", "nobody")


def addresses(table: str, player: str, version: int) -> list[str]:
    """Every address that may tell of a table besides its view and its events."""
    path = f"/v1/tables/{table}"
    seats = ("", *(f"&seat={seat}" for seat in (0, 1, 2, "spectator", "all")))
    replays = [f"{path}/replay?version={at}{seat}" for at in (2, version - 1, version) for seat in seats]
    ranges = [f"{path}/replay?from=1&to=200{seat}" for seat in seats]
    explained = [f"{path}/explain?version={version - 1}&seat={seat}" for seat in (0, 1, 2)]
    others = [f"{path}/{name}" for name in ("record", "audit", "head")]
    about = [f"/v1/log/inclusion?table={table}", "/v1/log/checkpoint", "/v1/disputes", f"/v1/players/{player}"]
    return [*replays, *ranges, *explained, *others, *about]


def seen(by: Player | None, url: str, address: str) -> httpx.Response:
    return httpx.get(url + address) if by is None else by.http.get(address)


@pytest.fixture(scope="module")
def role(service_url: str, module_database_url: str, module_redis_url: str) -> Callable[[str], Player | None]:
    settings: Settings = settings_for(module_database_url, module_redis_url)
    made: dict[str, Player | None] = {
        "spectator": Player(service_url, "Spectator"),
        "arbiter": of_role(service_url, settings, "arbiter", "Iris"),
        "operator": of_role(service_url, settings, "operator", "Root"),
        "nobody": None,
    }
    return made.__getitem__


@pytest.mark.parametrize("visibility", ["public", "private"])
@pytest.mark.parametrize("game", sorted(CURRENT))
def test_no_role_is_told_a_hidden_card(
    service_url: str, role: Callable[[str], Player | None], game: str, visibility: str
) -> None:
    players = people(service_url)
    table = begun(players, game, visibility=visibility)
    invited = Player(service_url, "Invited")
    invited.watch(players[0].code(table, "spectator"))
    hidden = hidden_and_not_told(service_url, role, players, table, visibility, play(players, table, 0), invited)
    assert all(hidden)
    hidden_and_not_told(service_url, role, players, table, visibility, play(players, table, 8), invited)


def hidden_and_not_told(
    service_url: str,
    role: Callable[[str], Player | None],
    players: list[Player],
    table: str,
    visibility: str,
    version: int,
    invited: Player,
) -> list[set[str]]:
    """The cards that are hidden from each seat and role; no address names them to him."""
    found: list[set[str]] = []
    hands = [player.view(table)["you"]["hand"] for player in players]
    told = [player.http.get(f"/v1/tables/{table}/events?limit=100").text for player in players]
    places: list[tuple[str, Player | None]] = [(f"seat {seat}", player) for seat, player in enumerate(players)]
    for name, by in [*places, ("invited", invited), *((name, role(name)) for name in OUTSIDE)]:
        own = players.index(by) if by in players else None
        if own is None:
            spectator = invited if by is invited else role("spectator")
            assert spectator is not None
            events = spectator.http.get(f"/v1/tables/{table}/events?limit=100")
            open_to = visibility == "public" or by is invited  # of a private table nothing is open to others
            public = events.text if open_to else ""
            hidden = {card for hand in hands for card in hand if f'"{card}"' not in public}
        else:
            known = told[own] + json.dumps(players[own].view(table)["you"])
            others = [hand for seat, hand in enumerate(hands) if seat != own]
            hidden = {card for hand in others for card in hand if f'"{card}"' not in known}
        found.append(hidden)
        for address in addresses(table, players[0].id, version):
            answer = seen(by, service_url, address)
            assert answer.status_code in (200, 400, 401, 403, 404, 409), (name, address, answer.text)
            named = {card for card in hidden if f'"{card}"' in answer.text}
            assert not named, (name, address, answer.text)
            if own is None and by is not invited and visibility == "private" and table in address:
                assert answer.status_code in (401, 403, 404), (name, address, answer.text)
    return found
