"""Who asks: the account that a request's token belongs to."""

from typing import Any, TypeAlias

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult
from litestar.types import ASGIApp

from service.accounts.accounts import Account, Accounts
from service.api.operation import PUBLIC

CallerRequest: TypeAlias = Request[Account, None, State]
"""A request of an operation that needs a token; its `user` is the account."""


class Authentication(AbstractAuthenticationMiddleware):
    """Finds the account of the Authorization header. UnauthenticatedError if it has no valid token."""

    def __init__(self, app: ASGIApp, accounts: Accounts) -> None:
        super().__init__(app, exclude_from_auth_key=PUBLIC)
        self._accounts = accounts

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, Any]) -> AuthenticationResult:
        """Return the account; there is nothing else to know about the token."""
        account = await self._accounts.authenticate(connection.headers.get("authorization"))
        return AuthenticationResult(user=account, auth=None)
