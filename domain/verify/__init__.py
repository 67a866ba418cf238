"""Checking a record without trusting whoever made it: no database, no network, no clock."""

from domain.verify.record import verify
from domain.verify.report import Check, Report, Status

__all__ = ["Check", "Report", "Status", "verify"]
