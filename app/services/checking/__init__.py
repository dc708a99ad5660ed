"""Checking decision records for what contradicts itself or leads nowhere, without a ledger."""

from app.services.checking.rules import RULES, CheckReport, RecordFinding, Rule, Severity
from app.services.checking.service import CheckService, check_path

__all__ = ["RULES", "CheckReport", "CheckService", "RecordFinding", "Rule", "Severity", "check_path"]
