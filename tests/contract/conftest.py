"""A running service for the tests of a module, and a token of an operator."""

import asyncio

import pytest

from service.composition import Services
from tests.service.conftest import module_redis_url, service_url
from tests.service.running import settings_for

__all__ = ["module_redis_url", "service_url"]


@pytest.fixture(scope="module")
def operator_token(service_url: str, module_database_url: str, module_redis_url: str) -> str:
    """A token of an operator of the module's service."""
    return asyncio.run(_operator(Services(settings_for(module_database_url, module_redis_url))))


async def _operator(services: Services) -> str:
    await services.open()
    try:
        return (await services.accounts.create_with_role("operator", "Operator")).token
    finally:
        await services.close()
