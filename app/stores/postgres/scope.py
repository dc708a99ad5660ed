"""The scope of a recall: the part of the ledger that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.domain.recall import Candidate, Proposal
from app.domain.temporal import AsOf


@dataclass(frozen=True, slots=True)
class Scope:
    """A tenant's projects at a moment, narrowed to some types and domains; None means all of them.

    `sees_everything` means that nothing in the projects was later than the moment when the scope was made;
    documents may have been filed since. `may_approximate` means that the caller named no moment: the result
    need not be repeatable after later writes, so an approximate index may be used. `absent` are the numbers
    of the artifacts that are not there at the moment. `former_beginnings` says when documents began, as was
    known then, whose beginnings have moved since.
    """

    tenant: TenantNumber
    projects: tuple[ProjectNumber, ...]
    moment: AsOf
    types: tuple[int, ...] | None = None
    domains: tuple[str, ...] | None = None
    sees_everything: bool = False
    may_approximate: bool = False
    absent: tuple[ArtifactNumber, ...] = ()
    former_beginnings: Mapping[UUID, datetime] = field(default_factory=dict)

    def begun_as_known(self, *, by_then: bool) -> list[UUID]:
        """Return the documents with a former beginning that had begun by the moment, or that had not."""
        return [
            id for id, begins in self.former_beginnings.items() if (begins <= self.moment.valid) == by_then
        ]


def proposal_from(rows: Sequence[asyncpg.Record]) -> Proposal:
    """Return the proposal of rows that begin with an artifact's number, its score and its date."""
    return Proposal(
        [Candidate(row[0], row[1]) for row in rows],
        born={row[0]: row[2] for row in rows},
    )
