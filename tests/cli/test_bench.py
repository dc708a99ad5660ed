from __future__ import annotations

import io
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

from app.benchmark import BenchmarkReport, run_benchmark
from app.cli.bench import print_report
from app.cli.runner import INTERRUPTED
from app.settings import Settings
from tests.cli.processes import Shell

ROWS = {
    "encoder", "vector_only", "floor", "service", "graphql", "graphql_as_of", "leg_dense", "leg_lexical",
    "leg_graph", "leg_cooccurrence", "leg_recency", "file_one",
}  # fmt: skip
RATIOS = {
    "graphql_over_floor_p50", "graphql_over_floor_p95", "hybrid_over_vector_p50", "as_of_over_current_p50",
    "bulk_over_embed", "dense_recall_at_50",
}  # fmt: skip
THROUGHPUT = {
    "clients", "workers", "requests_per_second", "p50", "p95", "errors",
    "floor_processor_ms", "processor_bound_per_second", "over_processor_bound",
}  # fmt: skip
BULK = {"filed_per_second", "indexing_seconds", "loop_lag_p50_ms", "loop_lag_p95_ms"}

DOCUMENTS = 10


@pytest.fixture(scope="module")
async def report() -> AsyncIterator[BenchmarkReport]:
    """One whole run, as short as it can be."""
    steps: list[str] = []
    settings = Settings(embedding_threads=2)
    run = run_benchmark(settings, DOCUMENTS, None, lambda step, done, total: steps.append(step), seconds=0.2)
    yield await run
    assert list(dict.fromkeys(steps)) == [
        "filling", "timing", "counting what is found", "filing one by one",
        "asking with many clients", "profiling",
    ]  # fmt: skip


def test_one_run_answers_every_figure(report: BenchmarkReport) -> None:
    assert set(asdict(report)) == {
        "documents", "rows", "ratios", "throughput", "bulk", "profile", "machine", "corpus",
    }  # fmt: skip
    assert report.documents == DOCUMENTS
    assert set(report.rows) == ROWS
    for figures in report.rows.values():
        assert 0 < figures["p50"] <= figures["p95"]
    assert set(report.ratios) == RATIOS
    assert all(ratio > 0 for ratio in report.ratios.values())
    assert set(report.throughput) == THROUGHPUT
    assert (report.throughput["clients"], report.throughput["errors"]) == (16, 0)
    assert report.throughput["workers"] == min(os.cpu_count() or 1, 7)
    assert report.throughput["requests_per_second"] > 0
    assert set(report.bulk) == BULK | {"embedded_per_second"}
    assert report.corpus["vectors"] == "the encoder's"
    assert report.machine["cores"] == os.cpu_count()
    assert (report.corpus["questions"], report.corpus["repeats"]) == (DOCUMENTS, 3)


async def test_vectors_may_be_synthetic_and_searched_through_an_index() -> None:
    settings = Settings(embedding_threads=2)
    report = await run_benchmark(
        settings, 150, None, lambda step, done, total: None, seconds=0.2, synthetic=True, large=1
    )
    assert "synthetic" in str(report.corpus["vectors"])
    assert set(report.bulk) == BULK
    assert set(report.ratios) == RATIOS - {"bulk_over_embed"}
    assert report.ratios["dense_recall_at_50"] > 0.9
    assert {"vector_indexes.nearest_in_project", "vector_indexes.valid_indexes"} < {
        str(part["part"]) for part in report.profile
    }


def test_a_recall_is_split_into_its_parts(report: BenchmarkReport) -> None:
    whole, *parts = report.profile
    assert (whole["part"], whole["calls"]) == ("whole recall", 1.0)
    names = [str(part["part"]) for part in parts]
    assert {"encoder", "python"} < set(names)
    assert any(name.startswith("query_postings.") for name in names)
    assert "other statements" not in names


def test_people_read_the_same_figures_in_tables(report: BenchmarkReport) -> None:
    console = Console(file=io.StringIO(), markup=False, highlight=False, width=100)
    print_report(console, report)
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert shown.startswith(f"{DOCUMENTS} documents; milliseconds, best of 3 runs per question\n")
    assert all(f" {name} " in shown for name in ROWS)
    assert f" {report.rows['floor']['p50']:.2f} " in shown
    assert f" {report.ratios['graphql_over_floor_p50']:g} " in shown


def test_what_cannot_be_measured_is_refused(shell: Shell) -> None:
    ran = shell.run("bench", "--corpora", "/nothing/here")
    message = "there is no folder /nothing/here; give a folder with texts to --corpora\n"
    assert (ran.code, ran.out, ran.err) == (2, "", message)


def test_without_corpora_the_shipped_decision_records_are_cut_wherever_it_runs(shell: Shell) -> None:
    ran = shell.run("bench", "--documents", "1000000")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("the texts of the shipped decision records make only ")


def test_every_figure_is_explained() -> None:
    page = (Path(__file__).parents[2] / "docs/measuring.md").read_text(encoding="utf-8")
    figures = ROWS | RATIOS | THROUGHPUT | BULK | {"embedded_per_second"}
    assert [name for name in sorted(figures) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process_and_no_folder(shell: Shell, sign: signal.Signals) -> None:
    with tempfile.TemporaryDirectory(prefix="tb-") as scratch:
        inside = Shell(shell.home, {"TMPDIR": scratch})
        with inside.running("bench", "--documents", "10000", "--corpora", "docs/decisions") as benching:
            while not any(Path(scratch).glob("trigraph-bench-*/postgres/postmaster.pid")):
                assert benching.poll() is None
            server = _server_of(Path(scratch))
            benching.send_signal(sign)
            assert benching.wait(60) == INTERRUPTED
            assert benching.stderr is not None
            assert "Traceback" not in benching.stderr.read()
        assert not any(Path(scratch).glob("trigraph-*"))
        assert not _is_running(server)


def _is_running(process: int) -> bool:
    """Return whether a process runs; one that has ended may still wait to be buried."""
    state = subprocess.run(["ps", "-p", str(process), "-o", "stat="], capture_output=True, text=True).stdout
    return state.strip()[:1] not in ("", "Z")


def _server_of(scratch: Path) -> int:
    """Return the process of the server under a folder, once it has written it down."""
    (file,) = scratch.glob("trigraph-bench-*/postgres/postmaster.pid")
    while not (lines := file.read_text().splitlines()):
        pass
    return int(lines[0])
