"""`python -m tests.bench`: measures and prints."""

from tests.bench.matches import GAMES
from tests.bench.moves import measure, prepare
from tests.bench.rig import rig

CLIENTS = (1, 16, 64)


def main() -> None:
    """Run everything and print a table."""
    names = ["noop post", *(f"moves {key}" for key in GAMES)]
    with rig() as running:
        prepare(running, list(GAMES), 100, 2000)
        series = measure(running, names, CLIENTS, repetitions=3, seconds=1.5)
    for clients in CLIENTS:
        ceiling = series["noop post", clients]
        for name in names:
            seen = series[name, clients]
            print(
                f"{name:20} {clients:3} clients {seen.rate:8.0f}/s {seen.rate / ceiling.rate:6.2f}"
                f"  median {seen.median_ms:8.3f} ms  p99 {seen.p99_ms:8.3f} ms"
                f"  API {seen.api_us:6.0f} us  stores {seen.stores_us:6.0f} us"
            )


if __name__ == "__main__":
    main()
