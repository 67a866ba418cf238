"""A connection that executes one prepared statement over and over, at a fraction of a cursor's cost.

The socket stays registered with the event loop, and nothing is made anew for each execution.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from service.store.connections import LostError, is_loss

_STATEMENT: Final = b"line"
_FINE: Final = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)


class Line:
    """Takes over a connection; nothing else may use it any more. One execution at a time."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self._connection = connection
        self._libpq = connection.pgconn
        self._socket = self._libpq.socket
        self._transformer = Transformer(connection)
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[PGresult] | None = None
        self._result: PGresult | None = None
        self._writing = False
        self._lost: BaseException | None = None
        self._loop.add_reader(self._socket, self._proceed)

    async def prepare(self, query: str, seconds: float) -> None:
        """Set the statement, with parameters in binary form."""
        await self._exchange(lambda: self._libpq.send_prepare(_STATEMENT, query.encode()), seconds)

    async def execute(self, parameters: Sequence[bytes], seconds: float) -> list[tuple[Any, ...]]:
        """Execute the statement and return its rows.

        LostError if the connection failed or gave no answer within `seconds`: then nobody knows whether
        the statement was carried out, and this line is closed. Errors of psycopg if the server refused it.
        """
        result = await self._exchange(
            lambda: self._libpq.send_query_prepared(
                _STATEMENT, parameters, (Format.BINARY,) * len(parameters), Format.BINARY
            ),
            seconds,
        )
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(0, result.ntuples, tuple)

    async def close(self) -> None:
        """Disconnect."""
        self._lose(LostError("closed"))
        await self._connection.close()

    async def _exchange(self, send: Callable[[], None], seconds: float) -> PGresult:
        if self._lost is not None:
            raise LostError("not connected") from self._lost
        self._answer = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._lose, LostError("no answer in time"))
        try:
            send()
            self._flush()
            result = await self._answer
        except psycopg.Error as error:
            self._lose(error)
            raise LostError(type(error).__name__) from error
        except asyncio.CancelledError as error:  # the answer would be taken for that of the next execution
            self._lose(error)
            raise
        finally:
            timer.cancel()
            self._answer = None
        if result.status in _FINE:
            return result
        refusal = psycopg.errors.error_from_result(result)
        if is_loss(refusal):
            raise LostError(type(refusal).__name__) from refusal
        raise refusal

    def _flush(self) -> None:
        """Send what the socket takes; the rest when it can be written to again."""
        unsent = self._libpq.flush() != 0
        if unsent != self._writing:
            self._writing = unsent
            if unsent:
                self._loop.add_writer(self._socket, self._proceed)
            else:
                self._loop.remove_writer(self._socket)

    def _proceed(self) -> None:
        """Do what can be done without waiting."""
        try:
            if self._writing:
                self._flush()
            self._libpq.consume_input()
            while self._answer is not None and not self._answer.done() and not self._libpq.is_busy():
                result = self._libpq.get_result()
                if result is not None:
                    self._result = result
                elif self._result is not None:
                    self._answer.set_result(self._result)
                    self._result = None
                else:
                    break
        except psycopg.Error as error:
            self._lose(error)

    def _lose(self, reason: BaseException) -> None:
        """Give the connection up. Whoever waits for an answer learns that there will be none."""
        if self._lost is not None:
            return
        self._lost = reason
        self._loop.remove_reader(self._socket)
        if self._writing:
            self._loop.remove_writer(self._socket)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(LostError(str(reason)))
