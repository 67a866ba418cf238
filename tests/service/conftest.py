"""A running service for the tests of a module, and tokens of an operator and an arbiter."""

import asyncio
from collections.abc import Iterator

import pytest
from redis import Redis

from service.accounts.accounts import Role
from service.composition import Services
from service.embedded import EmbeddedServers
from tests.service.client import Player
from tests.service.running import running_service, settings_for


@pytest.fixture(scope="module")
def module_redis_url(servers: EmbeddedServers) -> str:
    """The Redis of this test process, emptied for the module."""
    with Redis.from_url(servers.redis_url) as connection:
        connection.flushall()
    return servers.redis_url


@pytest.fixture(scope="module")
def service_url(module_database_url: str, module_redis_url: str) -> Iterator[str]:
    """Base URL of a service with a worker, shared by the tests of a module."""
    with running_service(settings_for(module_database_url, module_redis_url)) as url:
        yield url
        Player.close_all()


@pytest.fixture(scope="module")
def operator_token(service_url: str, module_database_url: str, module_redis_url: str) -> str:
    """A token of an operator of the module's service."""
    return asyncio.run(_token(Services(settings_for(module_database_url, module_redis_url)), "operator"))


@pytest.fixture(scope="module")
def arbiter_token(service_url: str, module_database_url: str, module_redis_url: str) -> str:
    """A token of an arbiter of the module's service."""
    return asyncio.run(_token(Services(settings_for(module_database_url, module_redis_url)), "arbiter"))


async def _token(services: Services, role: Role) -> str:
    await services.open()
    try:
        return (await services.accounts.create_with_role(role, role)).token
    finally:
        await services.close()
