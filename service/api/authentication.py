"""Who asks: an account, or a visitor where no token is needed."""

from typing import Final, TypeAlias
from uuid import UUID

from litestar import Request
from litestar.datastructures import State

from service.accounts.accounts import Account
from service.limits.addresses import limit_of_address

CallerRequest: TypeAlias = Request[Account, None, State]
"""A request of an operation that needs a token; its `user` is the account."""
_NO_TOKEN: Final = UUID(int=0)


def visitor(host: str) -> Account:
    """Return who asks without a token from an address: nobody's account, with the limits of one per address."""
    _, network = limit_of_address("visitors", host)
    return Account(f"visitor {network}", "player", _NO_TOKEN)
