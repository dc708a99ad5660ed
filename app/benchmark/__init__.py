"""Benchmarking: a scratch ledger filled with real paragraphs, and recall timed beside its floor."""

from app.benchmark.run import Advance, BenchmarkReport, run_benchmark

__all__ = ["Advance", "BenchmarkReport", "run_benchmark"]
