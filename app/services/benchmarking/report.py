"""What a benchmark answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Figures = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of one run; times are milliseconds."""

    documents: int
    rows: Figures
    ratios: Mapping[str, float]
    throughput: Mapping[str, float]
    bulk: Mapping[str, float]
    profile: Sequence[Mapping[str, object]]
    machine: Mapping[str, object]
    corpus: Mapping[str, object]


def ratios_of(rows: Figures, bulk: Mapping[str, float]) -> dict[str, float]:
    """Answer the figures that survive a noisy machine: one row beside another of the same run."""
    ratios = {
        "graphql_over_floor_p50": _ratio(rows, "graphql", "floor", "p50"),
        "graphql_over_floor_p95": _ratio(rows, "graphql", "floor", "p95"),
        "hybrid_over_vector_p50": _ratio(rows, "service", "vector_only", "p50"),
        "as_of_over_current_p50": _ratio(rows, "graphql_as_of", "graphql", "p50"),
    }
    if "embedded_per_second" in bulk:
        ratios["bulk_over_embed"] = round(bulk["filed_per_second"] / bulk["embedded_per_second"], 3)
    return ratios


def _ratio(rows: Figures, row: str, beside: str, name: str) -> float:
    return round(rows[row][name] / rows[beside][name], 2)
