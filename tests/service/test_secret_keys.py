"""A service starts with the secret key of its database alone, unless an operator has rotated it."""

import os
import subprocess
import sys

import httpx
import pytest

from service.composition import opened
from service.runtime.settings import Secret, Settings
from service.store.errors import StoreSetupError
from service.verify.notes import is_signed
from tests.service.api_process import ROOT
from tests.service.client import Player, within
from tests.service.running import running_service, settings_for

OTHER = Secret("43" * 32)


def rotated(settings: Settings) -> list[str]:
    """Run the command; the verifier keys that it prints."""
    environment = {**os.environ, **settings.environment(), "PYTHONPATH": str(ROOT)}
    command = (sys.executable, "-m", "service.cli", "key", "rotate")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines()]


async def test_another_key_is_refused_until_it_is_rotated(database_url: str, redis_url: str) -> None:
    before = settings_for(database_url, redis_url)
    after = settings_for(database_url, redis_url, secret_key=OTHER)
    async with opened(before) as services:
        note, first = services.signer.sign("text\n"), services.signer.verifier_key
    with pytest.raises(StoreSetupError, match="another key"):
        async with opened(after):
            pass
    async with opened(before):
        pass
    assert rotated(after)[0] == first
    assert is_signed(note, first), "the old key stays known, and verifies what it signed"
    async with opened(after) as services:
        assert rotated(after) == [first, services.signer.verifier_key], "to rotate twice changes nothing"
    with pytest.raises(StoreSetupError, match="another key"):
        async with opened(before):
            pass


def test_a_process_whose_key_was_rotated_away_is_not_ready(database_url: str, redis_url: str) -> None:
    with running_service(settings_for(database_url, redis_url), worker=False) as url:
        ada = Player(url, "Ada")
        rotated(settings_for(database_url, redis_url, secret_key=OTHER))

        def refused() -> bool:
            answer = httpx.get(f"{url}/readyz", timeout=30)
            return answer.status_code == 503 and answer.json()["code"] == "wrong_key"

        assert within(8, refused)
    with running_service(settings_for(database_url, redis_url, secret_key=OTHER), worker=False) as url:
        ada.http.base_url = url
        assert ada.http.get("/v1/me").json()["name"] == "Ada", "tokens stay valid"
    Player.close_all()
