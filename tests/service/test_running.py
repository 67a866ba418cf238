"""The service that tests run in a thread: what cannot start or end is an error, and keeps no test waiting."""

import asyncio

import pytest

from service.jobs.worker import Worker
from tests.service.running import running_service, settings_for


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_service_that_cannot_start_is_an_error(redis_url: str) -> None:
    nowhere = settings_for("postgresql://nobody@127.0.0.1:9/none", redis_url)
    with pytest.raises(RuntimeError, match="did not start"), running_service(nowhere):
        pass


def test_a_worker_that_loses_a_cancellation_is_asked_again(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[bool] = []
    run = Worker.run

    async def losing(self: Worker) -> None:
        try:
            await run(self)
        except asyncio.CancelledError:
            lost.append(True)
        await asyncio.sleep(3600)

    monkeypatch.setattr(Worker, "run", losing)
    with running_service(settings_for(database_url, redis_url)):
        pass
    assert lost == [True]
