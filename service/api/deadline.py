"""The deadline of bodies."""

import asyncio
from typing import Any

from litestar.types import Receive

from service.errors import MalformedBodyError
from service.runtime.deadline import Deadline


def body_in_time(receive: Receive, seconds: float, request: Deadline) -> Receive:
    """Return what receives a body that has to be complete within `seconds` from now; what follows it may take longer.

    The deadline of the request begins again once its body is complete.
    MalformedBodyError to the reader if the body takes longer or ends early.
    """
    deadline = asyncio.get_running_loop().time() + seconds
    complete = False

    async def receive_in_time() -> Any:
        nonlocal complete
        if complete:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message: Any = await receive()
        except TimeoutError:
            raise MalformedBodyError("The body did not arrive in time.") from None
        if message["type"] != "http.request":
            raise MalformedBodyError("The body ended early.")
        complete = not message.get("more_body", False)
        if complete:
            request.restart()
        return message

    return receive_in_time
