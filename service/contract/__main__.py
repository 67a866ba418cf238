"""Write the contract, or compare it with a file.

`python -m service.contract --check FILE` compares, `--write FILE` writes.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from service.api.routes import HANDLERS
from service.contract.document import contract_bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the contract, or compare it with a file: 0 if equal."""
    parser = argparse.ArgumentParser(prog="python -m service.contract", description=__doc__)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", type=Path)
    action.add_argument("--write", type=Path)
    given = parser.parse_args(arguments)
    fresh = contract_bytes(HANDLERS)
    if given.write:
        given.write.write_bytes(fresh)
        return 0
    if given.check.read_bytes() == fresh:
        return 0
    print(f"{given.check} is not what the service serves; run: python -m service.contract --write {given.check}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
