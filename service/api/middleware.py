"""What happens to every request on its way to a handler."""

import time
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.middleware import MiddlewareProtocol
from litestar.types import ASGIApp, HTTPScope, Receive, Scope, Send

from service.accounts.accounts import Account, Accounts
from service.api.authentication import visitor
from service.api.bodies import read_body
from service.api.deadline import Deadline
from service.api.headers import BEGUN
from service.api.negotiation import negotiated
from service.api.operation import PUBLIC, PUBLIC_WHEN_OVER, Operation
from service.api.overload import overloaded
from service.api.trace import header, trace_id_of
from service.errors import NotFoundError
from service.runtime.deadline import begin_deadline
from service.runtime.load import Load
from service.runtime.logs import begin_request
from service.store.log import Log

_WITHOUT_BODY: Final = ("GET", "HEAD", "OPTIONS")
"""Methods whose bodies nobody reads."""


class Admission(MiddlewareProtocol):
    """Finds out who asks, and refuses what no handler of an operation should see.

    One middleware: each has its price, and all of this happens to every request.

    An encoded slash is no slash, and no path has one (404): `/v1%2fme` is not `/v1/me`. UnauthenticatedError if an
    operation that needs a token gets no valid one. Path parameters that are spelled differently from how the service
    spells them do not exist (404): a resource has one address. Where a public match that is over may be read without a
    token, whoever sends none is a visitor. A caller has to accept one of the operation's media
    types (406). Writes are refused while the log takes none (503), what needs a token while only an older log can be
    reached (503). Bodies are read here, see `read_body`.
    """

    def __init__(self, app: ASGIApp, accounts: Accounts, log: Log, load: Load, body_seconds: float) -> None:
        self._app = app
        self._accounts = accounts
        self._log = log
        self._load = load
        self._body_deadline = Deadline(body_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or raise an error of what is said above."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        scope["state"][BEGUN] = time.perf_counter()
        deadline = begin_deadline()
        parameters, handler, method = scope["path_params"], scope["route_handler"], scope["method"]
        begin_request(trace_id=trace_id_of(scope), table=parameters.get("table"))
        if b"%" in scope["raw_path"] and b"%2f" in scope["raw_path"].lower():
            raise NotFoundError
        if not handler.opt.get(PUBLIC) and method != "OPTIONS":
            self._log.require_current()
            scope["user"], scope["auth"] = await self._caller(scope, handler, parameters), None
        if isinstance(handler, Operation):
            if parameters and not _is_canonical(scope["path"], parameters):
                raise NotFoundError
            if handler.response is not None:
                negotiated(scope, handler.response_media_types)
        if method not in _WITHOUT_BODY:
            self._log.require_writable()
            receive = await self._body_read(scope, receive)
            deadline.restart()
        await self._app(scope, receive, send)

    async def _caller(self, scope: HTTPScope, handler: Any, parameters: dict[str, Any]) -> Account:
        token = header(scope, b"authorization")
        if (
            token is None
            and handler.opt.get(PUBLIC_WHEN_OVER)
            and await self._log.is_public_and_over(parameters["table"])
        ):
            return visitor(scope["client"][0] if scope["client"] else "")
        return await self._accounts.authenticate(token)

    async def _body_read(self, scope: HTTPScope, receive: Receive) -> Receive:
        """Read the body. OverloadedError if it took so long that others have the room of its request by now."""
        waiting = self._load.body_begins()
        try:
            receive = await read_body(scope, receive, self._body_deadline)
        finally:
            has_room = self._load.body_ends(waiting)
        if not has_room:
            raise overloaded()
        return receive


def _is_canonical(path: str, parameters: dict[str, Any]) -> bool:
    segments = path.split("/")
    for value in parameters.values():  # noqa: SIM110 - a generator costs as much as all the rest
        if str(value) not in segments:
            return False
    return True
