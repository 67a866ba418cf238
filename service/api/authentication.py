"""A request whose caller is known."""

from typing import TypeAlias

from litestar import Request
from litestar.datastructures import State

from service.accounts.accounts import Account

CallerRequest: TypeAlias = Request[Account, None, State]
"""A request of an operation that needs a token; its `user` is the account."""
