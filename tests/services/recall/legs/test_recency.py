"""Age as a factor."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import exp

import pytest

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Candidate, LegName
from app.services.recall.fusion import rank_by_recency, recency
from tests.documents import day

NOW = day(2025)


def test_a_fold_of_180_days_leaves_one_eth() -> None:
    """RNK-06: an e-fold, not a half-life."""
    assert recency(NOW - timedelta(days=180), NOW) == pytest.approx(exp(-1))
    assert recency(NOW - timedelta(days=360), NOW) == pytest.approx(exp(-2))
    assert recency(NOW, NOW) == 1.0


def test_a_day_is_a_day_whatever_the_clocks_do() -> None:
    """TIM-19."""
    before, after = datetime(2025, 3, 29, 12, tzinfo=UTC), datetime(2025, 3, 30, 12, tzinfo=UTC)
    assert recency(before, after) == exp(-1 / 180)


@pytest.mark.parametrize("born", [datetime.max.replace(tzinfo=UTC), NOW + timedelta(days=1)])
def test_what_is_not_born_yet_counts_as_new(born: datetime) -> None:
    """RNK-05: clamped before the exponential."""
    assert recency(born, NOW) == 1.0


def test_the_oldest_date_there_is_has_a_score_too() -> None:
    assert 0.0 <= recency(datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)) < 1e-300


TWO, FOUR, NINE = map(ArtifactNumber, (2, 4, 9))


def test_the_youngest_come_first_and_ties_by_number() -> None:
    ranking = rank_by_recency({NINE: NOW, FOUR: NOW, TWO: day(2020)}, NOW)
    assert ranking.leg is LegName.RECENCY
    assert ranking.candidates[:2] == (Candidate(FOUR, 1.0), Candidate(NINE, 1.0))
    assert ranking.candidates[2].artifact == TWO
