"""Players and tokens."""

import asyncio
import hashlib
from uuid import UUID, uuid4

import psycopg
import pytest

from service.store.accounts import AccountStore, NameChange, TokenRow
from service.store.database import Database
from service.store.errors import StoreError


@pytest.fixture
def accounts(database: Database) -> AccountStore:
    """The accounts of one process."""
    return AccountStore(database)


async def token_of(accounts: AccountStore, token: str) -> TokenRow | None:
    """A valid token as it is looked up."""
    return (await accounts.tokens_by_digest([digest_of(token)])).get(digest_of(token))


def digest_of(token: str) -> bytes:
    """SHA-256 of a token."""
    return hashlib.sha256(token.encode()).digest()


async def given_player(accounts: AccountStore, name: str, token: str, role: str = "player") -> UUID:
    """An account with one token."""
    player = uuid4()
    assert await accounts.create_player(
        player, name, token_id=uuid4(), role=role, digest=digest_of(token), label="first"
    )
    return player


async def test_an_account_is_created_once_with_its_first_token(accounts: AccountStore) -> None:
    player, token_id = uuid4(), uuid4()
    for name, created in (("Anna", True), ("Berta", False)):
        assert created == await accounts.create_player(
            player, name, token_id=token_id, role="player", digest=digest_of("t"), label="phone"
        )
    row = await accounts.player(player)
    assert row is not None
    assert (row.id, row.name) == (player, "Anna")
    token = await token_of(accounts, "t")
    assert token is not None
    assert (token.id, token.player, token.role, token.label) == (token_id, player, "player", "phone")
    assert (token.last_used, token.expires) == (None, None)
    assert abs(token.created - row.created) < 1000
    assert await accounts.player(uuid4()) is None


async def test_of_concurrent_creations_of_one_account_one_wins(accounts: AccountStore) -> None:
    player, token_id = uuid4(), uuid4()
    created = await asyncio.gather(
        *(
            accounts.create_player(player, "Anna", token_id=token_id, role="player", digest=digest_of("t"), label="")
            for _ in range(8)
        )
    )
    assert created.count(True) == 1
    assert len(await accounts.tokens(player)) == 1


async def test_names_are_read_together_and_changed(accounts: AccountStore) -> None:
    players = [await given_player(accounts, f"player {number}", f"token {number}") for number in range(5)]
    await accounts.rename(players[1], "Größe ♥")
    names = await accounts.names([*players, uuid4()])
    assert names == {player: f"player {number}" for number, player in enumerate(players)} | {players[1]: "Größe ♥"}
    assert await accounts.name(players[1]) == "Größe ♥"
    assert await accounts.name(uuid4()) is None
    assert await accounts.names([]) == {}


async def test_many_tokens_are_looked_up_at_once(accounts: AccountStore) -> None:
    players = [await given_player(accounts, "x", f"token {number}") for number in range(10)]
    digests = [digest_of(f"token {number}") for number in range(12)]
    found = await accounts.tokens_by_digest([digests[number % 12] for number in range(48)])
    assert {digest: token.player for digest, token in found.items()} == dict(zip(digests, players, strict=False))
    assert await accounts.tokens_by_digest([]) == {}


async def test_a_revoked_token_is_worth_nothing(accounts: AccountStore) -> None:
    player = await given_player(accounts, "Anna", "first")
    token = await accounts.create_token(
        uuid4(), player, role="player", digest=digest_of("second"), label="phone", days=30, most=9
    )
    assert token is not None
    assert await accounts.revoke(uuid4(), token.id) is None
    assert await accounts.revoke(player, uuid4()) is None
    assert await token_of(accounts, "second") == token
    for _ in range(2):
        assert await accounts.revoke(player, token.id) == digest_of("second")
    assert await token_of(accounts, "second") is None
    assert [row.label for row in await accounts.tokens(player)] == ["first"]


async def test_an_expired_token_is_worth_nothing(accounts: AccountStore, database_url: str) -> None:
    player = await given_player(accounts, "Anna", "first")
    token = await accounts.create_token(
        uuid4(), player, role="player", digest=digest_of("second"), label="phone", days=30, most=9
    )
    assert token is not None
    assert token.expires == token.created + 30 * 86_400_000
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("update tokens set expires_at = now() where id = %s", (token.id,))
    assert await token_of(accounts, "second") is None
    assert len(await accounts.tokens(player)) == 1


async def test_the_same_token_again_is_returned_as_it_was(accounts: AccountStore) -> None:
    player = await given_player(accounts, "Anna", "first")
    ids = [uuid4()] * 6 + [uuid4()]
    rows = await asyncio.gather(
        *(
            accounts.create_token(
                id_, player, role="player", digest=digest_of(str(id_)), label=str(number), days=30, most=9
            )
            for number, id_ in enumerate(ids)
        )
    )
    assert len({row.label for row in rows[:6] if row is not None}) == 1
    newest = await accounts.tokens(player)
    assert [row.created for row in newest] == sorted((row.created for row in newest), reverse=True)
    assert len(newest) == 3


async def test_there_are_at_most_so_many_valid_tokens_and_the_list_has_pages(accounts: AccountStore) -> None:
    player = await given_player(accounts, "Anna", "first")
    ids = [uuid4() for _ in range(4)]
    for id_ in ids:
        given = {"role": "player", "digest": digest_of(str(id_)), "label": "", "days": 30}
        made = await accounts.create_token(id_, player, **given, most=4)  # type: ignore[arg-type]
        assert (made is None) == (id_ == ids[3])
    pages = [await accounts.tokens(player, None, 3)]
    pages.append(await accounts.tokens(player, pages[0][-1].id, 3))
    assert [len(page) for page in pages] == [3, 1]
    assert [row.id for row in pages[0]] == ids[2::-1]
    await accounts.revoke(player, ids[0])
    assert len(await accounts.tokens(player, ids[0], 3)) == 1, "a page follows a token that was revoked meanwhile"
    given = {"role": "player", "digest": digest_of("again"), "label": "", "days": 30}
    assert await accounts.create_token(ids[3], player, **given, most=4) is not None  # type: ignore[arg-type]


async def test_a_token_belongs_to_an_account(accounts: AccountStore) -> None:
    with pytest.raises(StoreError, match="no account"):
        await accounts.create_token(uuid4(), uuid4(), role="player", digest=digest_of("x"), label="", days=1, most=9)


async def test_use_of_a_token_is_noted(accounts: AccountStore) -> None:
    player = await given_player(accounts, "Anna", "first")
    (before,) = await accounts.tokens(player)
    await accounts.touch([before.id])
    (after,) = await accounts.tokens(player)
    assert before.last_used is None
    assert after.last_used is not None
    assert 0 <= after.last_used - before.created < 60_000


async def test_erasing_leaves_nothing_but_the_random_id(accounts: AccountStore, database_url: str) -> None:
    player = await given_player(accounts, "Anna", "first", role="arbiter")
    other = await given_player(accounts, "Berta", "other")
    await accounts.create_token(
        uuid4(), player, role="arbiter", digest=digest_of("second"), label="phone", days=30, most=9
    )
    assert sorted(await accounts.erase(player)) == sorted([digest_of("first"), digest_of("second")])
    assert await accounts.erase(player) == []
    assert await token_of(accounts, "first") is None
    row = await accounts.player(player)
    assert row is not None
    assert row.name is None
    await accounts.rename(player, "Anna again")
    assert await accounts.names([player, other]) == {other: "Berta"}
    with pytest.raises(StoreError):
        await accounts.create_token(uuid4(), player, role="player", digest=digest_of("x"), label="", days=1, most=9)
    assert not await accounts.create_player(
        player, "Anna", token_id=uuid4(), role="player", digest=digest_of("y"), label=""
    )
    with psycopg.connect(database_url) as connection:
        joined = connection.execute("select * from players left join tokens on tokens.player = players.id")
        text = str(joined.fetchall())
    assert "Anna" not in text
    assert "phone" not in text


async def test_every_change_of_a_name_has_a_position_of_its_own_without_gaps(accounts: AccountStore) -> None:
    players = [await given_player(accounts, "Ada", f"token {number}") for number in range(5)]
    assert await accounts.last_name_change() == 0
    await asyncio.gather(*[accounts.rename(player, f"Ada {turn}") for turn in range(4) for player in players])
    changes = await accounts.name_changes(0, 100)
    assert [change.position for change in changes] == list(range(1, 21))
    assert all([change.player for change in changes].count(player) == 4 for player in players)
    assert await accounts.last_name_change() == 20
    assert await accounts.name_changes(18, 1) == changes[18:19]


async def test_an_erasure_is_told_once_and_a_name_that_stays_is_not(accounts: AccountStore) -> None:
    ada = await given_player(accounts, "Ada", "ada")
    await accounts.rename(ada, "Ada")
    await accounts.erase(ada)
    await accounts.erase(ada)
    await accounts.rename(ada, "Ada again")
    assert await accounts.name_changes(0, 10) == [NameChange(1, ada, erased=True)]
