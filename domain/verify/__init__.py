"""Checking a record without trusting whoever made it: no database, no network, no clock."""

from domain.verify.events import BeginningChecks, checks_up_to
from domain.verify.record import RecordChecks, verify
from domain.verify.report import Check, Report, Status

__all__ = ["BeginningChecks", "Check", "RecordChecks", "Report", "Status", "checks_up_to", "verify"]
