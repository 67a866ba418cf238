"""The running service: log, use cases, HTTP, worker, command line."""
