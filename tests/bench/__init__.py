"""Measurements: what the service does per second, beside the ceiling of the same server and beside others."""
