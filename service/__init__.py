"""The service: HTTP, the log in PostgreSQL, the worker and the command line."""
