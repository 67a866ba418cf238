"""Appends with the recorder of Python's `eventsourcing` on PostgreSQL: so many threads, each on a stream of its own.

Run as `python -m tests.bench.peers.eventsourcing_load SOCKET_FOLDER DATABASE CLIENTS WARM SECONDS BYTES`;
prints JSON.
"""

import json
import sys
import threading
import time
from uuid import uuid4

from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore


class Load:
    """What the threads share."""

    def __init__(self, recorder: PostgresApplicationRecorder, payload: bytes) -> None:
        self.recorder = recorder
        self.payload = payload
        self.measuring = False
        self.stopping = False
        self.latencies: list[float] = []

    def append(self) -> None:
        """Append to a new stream until told to stop."""
        stream, version = uuid4(), 0
        while not self.stopping:
            version += 1
            begun = time.perf_counter()
            self.recorder.insert_events([StoredEvent(stream, version, "CardPlayed", self.payload)])
            if self.measuring:
                self.latencies.append(time.perf_counter() - begun)


def main(host: str, database: str, clients: int, warm: float, seconds: float, size: int) -> None:
    """Measure one window."""
    datastore = PostgresDatastore(
        database, host, "5432", "blattwerk", "none", pool_size=clients, max_overflow=0, max_waiting=clients
    )
    recorder = PostgresApplicationRecorder(datastore, events_table_name="stored_events")
    recorder.create_table()
    load = Load(recorder, b"x" * size)
    threads = [threading.Thread(target=load.append) for _ in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(warm)
    load.measuring = True
    begun = time.perf_counter()
    time.sleep(seconds)
    load.measuring = False
    lasted = time.perf_counter() - begun
    load.stopping = True
    for thread in threads:
        thread.join()
    datastore.close()
    latencies = sorted(load.latencies)
    median, p99 = latencies[len(latencies) // 2], latencies[len(latencies) * 99 // 100]
    print(json.dumps({"count": len(latencies), "seconds": lasted, "median_ms": median * 1e3, "p99_ms": p99 * 1e3}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]))
