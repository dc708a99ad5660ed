"""Benchmark recall and ingest on a scratch ledger against a baseline."""

from app.benchmark.run import Advance, BenchmarkReport, run_benchmark

__all__ = ["Advance", "BenchmarkReport", "run_benchmark"]
