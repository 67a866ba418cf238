"""What a process remembers of tokens and names, and what changes while it reads them."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest

from service.accounts import public_names as public_names_module
from service.accounts.accounts import Accounts
from service.accounts.public_names import PublicNames
from service.errors import UnauthenticatedError
from service.limits.limits import Limits
from service.runtime.limits import DEFAULT_LIMITS
from service.store.accounts import NameChange
from service.store.errors import StoreUnavailableError

TOKEN = "Bearer bw_" + "A" * 43


class Store:
    """Accounts of which something changes while they are read, after what is told was read."""

    def __init__(self) -> None:
        self.tokens = True
        self.known = {uuid4(): "Ada", uuid4(): "Ben"}
        self.meanwhile: Any = lambda: None
        self.changes: list[NameChange] = []

    async def tokens_by_digest(self, digests: list[bytes]) -> dict[bytes, Any]:
        found = SimpleNamespace(id=uuid4(), player=uuid4(), role="player", expires=None, last_used=None)
        answer = dict.fromkeys(digests, found) if self.tokens else {}
        self.meanwhile()
        return answer

    async def names(self, players: Iterable[UUID]) -> dict[UUID, str]:
        answer = {player: self.known[player] for player in players if player in self.known}
        self.meanwhile()
        return answer

    async def name_changes(self, after: int, _: int) -> list[NameChange]:
        return self.changes[after:]

    async def last_name_change(self) -> int:
        return len(self.changes)

    async def touch(self, _: Any) -> None:
        pass


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def accounts(store: Store) -> Accounts:
    typed: Any = store
    redis: Any = SimpleNamespace(listening=True)
    return Accounts(typed, redis, PublicNames(typed), Limits(DEFAULT_LIMITS, redis, key=b"key"), key=b"key")


async def test_a_token_that_is_revoked_while_it_is_read_is_not_remembered(accounts: Accounts, store: Store) -> None:
    def revoke() -> None:
        store.tokens = False
        accounts._on_broadcast("tokens")

    store.meanwhile = revoke
    await accounts.authenticate(TOKEN)
    with pytest.raises(UnauthenticatedError):
        await accounts.authenticate(TOKEN)
    await accounts.close()


@pytest.fixture
async def public_names(store: Store) -> AsyncIterator[PublicNames]:
    names = PublicNames(store)
    names.listen()
    await asyncio.sleep(0)
    yield names
    await names.close()


async def test_a_name_that_is_erased_while_it_is_read_is_neither_told_nor_remembered(
    public_names: PublicNames, store: Store
) -> None:
    erased = next(iter(store.known))
    names = [str(player) for player in store.known]

    def erase() -> None:
        if store.known.pop(erased, None):
            public_names.forget(str(erased))

    store.meanwhile = erase
    assert await public_names.names_of(names) == {names[1]: "Ben"}
    assert await public_names.names_of(names) == {names[1]: "Ben"}


async def test_names_are_told_although_those_remembered_are_dropped_meanwhile(
    public_names: PublicNames, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_names_module, "_REMEMBERED_MAX", 1)
    first, second = map(str, store.known)
    assert await public_names.names_of([first]) == {first: "Ada"}
    assert await public_names.names_of([first, second]) == {first: "Ada", second: "Ben"}
    assert await public_names.names_of([second, first]) == {first: "Ada", second: "Ben"}


async def test_a_name_is_read_once_while_the_feed_of_names_is_followed(public_names: PublicNames, store: Store) -> None:
    player = next(iter(store.known))
    reads = 0

    def count() -> None:
        nonlocal reads
        reads += 1

    store.meanwhile = count
    for _ in range(3):
        assert await public_names.names_of([str(player)]) == {str(player): "Ada"}
    assert reads == 1
    store.known[player] = "Ada L."
    store.changes.append(NameChange(1, player, erased=False))
    await asyncio.sleep(0.6)
    assert await public_names.names_of([str(player)]) == {str(player): "Ada L."}
    assert reads == 2


async def test_without_the_feed_of_names_nothing_is_remembered(
    public_names: PublicNames, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(*_: Any) -> list[NameChange]:
        raise StoreUnavailableError("gone")

    monkeypatch.setattr(store, "name_changes", unavailable)
    player = next(iter(store.known))
    assert await public_names.names_of([str(player)]) == {str(player): "Ada"}
    store.known[player] = "Ada L."
    assert await public_names.names_of([str(player)]) == {str(player): "Ada"}, "for a moment"
    await asyncio.sleep(1.1)
    assert await public_names.names_of([str(player)]) == {str(player): "Ada L."}
    assert not public_names.are_current([str(player)], public_names.epoch)


async def test_only_those_who_changed_a_name_are_asked_for_again(public_names: PublicNames) -> None:
    epoch = public_names.epoch
    public_names.forget("ada")
    assert not public_names.are_current(["ada", "ben"], epoch)
    assert public_names.are_current(["ben", "cleo"], epoch)
    assert public_names.are_current(["ada"], public_names.epoch)
