"""The recency leg: ranks the candidates of the other legs by their age."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import exp

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Candidate, LegName, Ranking

FOLD_DAYS = 180.0
_SECONDS_PER_DAY = 86_400.0


def recency(created_at: datetime, as_of: datetime) -> float:
    """Return exp(-age in days / 180), so that 180 days leave 1/e; a future artifact counts as new."""
    age = max((as_of - created_at).total_seconds(), 0.0) / _SECONDS_PER_DAY
    return exp(-age / FOLD_DAYS)


def rank_by_recency(created_at: Mapping[ArtifactNumber, datetime | None], as_of: datetime) -> Ranking:
    """Rank artifacts by their age at a moment, youngest first; one without a date has no place in it."""
    dated = ((artifact, moment) for artifact, moment in created_at.items() if moment is not None)
    scored = sorted((-recency(moment, as_of), artifact) for artifact, moment in dated)
    return Ranking(LegName.RECENCY, tuple(Candidate(artifact, -score) for score, artifact in scored))
