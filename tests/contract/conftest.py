"""A running service for the tests of a module, and a token of an operator."""

from tests.service.conftest import module_redis_url, operator_token, service_url

__all__ = ["module_redis_url", "operator_token", "service_url"]
