"""What a process remembers of tokens and names, and what changes while it reads them."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.accounts import accounts as module
from service.accounts.accounts import Accounts
from service.errors import UnauthenticatedError

TOKEN = "Bearer bw_" + "A" * 43


class Store:
    """Accounts of which something changes while they are read, after what is told was read."""

    def __init__(self) -> None:
        self.tokens = True
        self.known = {uuid4(): "Ada", uuid4(): "Ben"}
        self.meanwhile: Any = lambda: None

    async def tokens_by_digest(self, digests: list[bytes]) -> dict[bytes, Any]:
        found = SimpleNamespace(id=uuid4(), player=uuid4(), role="player", expires=None, last_used=None)
        answer = dict.fromkeys(digests, found) if self.tokens else {}
        self.meanwhile()
        return answer

    async def names(self, players: Iterable[UUID]) -> dict[UUID, str]:
        answer = {player: self.known[player] for player in players if player in self.known}
        self.meanwhile()
        return answer

    async def touch(self, _: Any) -> None:
        pass


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def accounts(store: Store) -> Accounts:
    typed: Any = store
    redis: Any = SimpleNamespace(listening=True)
    return Accounts(typed, redis, key=b"key")


async def test_a_token_that_is_revoked_while_it_is_read_is_not_remembered(accounts: Accounts, store: Store) -> None:
    def revoke() -> None:
        store.tokens = False
        accounts._on_broadcast("tokens")

    store.meanwhile = revoke
    await accounts.authenticate(TOKEN)
    with pytest.raises(UnauthenticatedError):
        await accounts.authenticate(TOKEN)
    await accounts.close()


async def test_a_name_that_is_erased_while_it_is_read_is_not_on_broadcast(accounts: Accounts, store: Store) -> None:
    erased = next(iter(store.known))
    names = [str(player) for player in store.known]

    def erase() -> None:
        if store.known.pop(erased, None):
            accounts._on_broadcast(f"name {erased}")

    store.meanwhile = erase
    assert await accounts.names_of(names) == {names[1]: "Ben"}
    assert await accounts.names_of(names) == {names[1]: "Ben"}


async def test_names_are_told_although_those_remembered_are_dropped_meanwhile(
    accounts: Accounts, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_REMEMBERED_MAX", 1)
    first, second = map(str, store.known)
    assert await accounts.names_of([first]) == {first: "Ada"}
    store.meanwhile = accounts._names.clear
    assert await accounts.names_of([first, second]) == {first: "Ada", second: "Ben"}
    assert await accounts.names_of([second, first]) == {first: "Ada", second: "Ben"}
