"""Benchmarking: a scratch ledger filled with real paragraphs, and recall timed beside its floor."""

from app.services.benchmarking.benchmark import Advance, run_benchmark
from app.services.benchmarking.report import Report

__all__ = ["Advance", "Report", "run_benchmark"]
