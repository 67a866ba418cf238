"""PostgreSQL and a Redis-compatible server of our own, run under one data folder for as long as a block lasts.

    with embedded_servers(Path(".data")) as servers:
        connect(servers.database_url, servers.redis_url)

What a data folder holds:

    lock            held by the one service that uses the folder
    servers.json    addresses and process ids while the servers run
    postgres/       the cluster; redis/ is the (empty) home of the other server
    run/            their sockets; a short folder elsewhere if this path is too long for a socket
    log/            what the servers had to say, no statements and no values
"""

from service.embedded.account import EmbeddedServersError
from service.embedded.folder import DataFolderError
from service.embedded.postgres import CONNECTIONS_MAX
from service.embedded.servers import EmbeddedServers, embedded_servers, running_servers

__all__ = [
    "CONNECTIONS_MAX",
    "DataFolderError",
    "EmbeddedServers",
    "EmbeddedServersError",
    "embedded_servers",
    "running_servers",
]
