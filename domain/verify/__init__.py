"""Checking a record without trusting whoever made it: no database, no network, no clock."""

from domain.verify.record import checks_up_to, verify
from domain.verify.report import Check, Report, Status

__all__ = ["Check", "Report", "Status", "checks_up_to", "verify"]
