"""What a statement of a leg proposes."""

from __future__ import annotations

from collections.abc import Sequence

import asyncpg

from app.domain.recall import Candidate, Proposal


def proposal_from(rows: Sequence[asyncpg.Record]) -> Proposal:
    """Answer the proposal of rows that begin with an artifact's number, its score and its date."""
    return Proposal(
        [Candidate(row[0], row[1]) for row in rows],
        born={row[0]: row[2] for row in rows},
    )
