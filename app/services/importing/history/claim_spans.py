"""How long a history makes each claim of a document hold. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from app.domain.artifact import ReferenceClaim
from app.domain.spans import joined
from app.domain.temporal import Interval
from app.services.importing.history.telling import HistoricState


def claim_spans(told: Sequence[HistoricState], start: datetime) -> dict[ReferenceClaim, list[Interval]]:
    """Answer when each claim holds: from the change that first makes it to the one that drops it.

    What the first state claims holds from `start`, when that is earlier.
    """
    spans: dict[ReferenceClaim, list[Interval]] = defaultdict(list)
    for place, change in enumerate(told):
        begins = change.at if place else min(change.at, start)
        ends = told[place + 1].at if place + 1 < len(told) else None
        for claim in change.claims:
            spans[claim].append(Interval(begins, ends))
    return {claim: joined(each) for claim, each in spans.items()}
