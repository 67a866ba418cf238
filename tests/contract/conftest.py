"""A running service for the tests of a module, and tokens of an operator and an arbiter."""

from tests.service.conftest import arbiter_token, module_redis_url, operator_token, service_url

__all__ = ["arbiter_token", "module_redis_url", "operator_token", "service_url"]
