"""Verifying records at the command line: no database, no network, none of the service's libraries."""
