"""Recall's data types: legs propose candidates, rankings are fused, hits are annotated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from app.domain.artifact import Artifact, MemoryDomain, Passage
from app.domain.entity import Entity
from app.domain.numbers import ArtifactNumber
from app.domain.temporal import EntityState

DEFAULT_HITS = 10
"""How many hits a recall returns unless the caller says another number."""


class LegName(StrEnum):
    """One way of finding artifacts."""

    DENSE = "DENSE"
    LEXICAL = "LEXICAL"
    GRAPH = "GRAPH"
    RECENCY = "RECENCY"


class StateFlag(StrEnum):
    """Whether a hit is current, historical, or work in progress."""

    CURRENT = "CURRENT"
    HISTORICAL = "HISTORICAL"
    WIP = "WIP"


class FlagGround(StrEnum):
    """The ground of a flag: the document's own state, or a former name that its text uses."""

    OWN_STATE = "OWN_STATE"
    MENTION = "MENTION"


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question with its filters; absent times mean now."""

    query: str
    as_of: datetime | None = None
    known_at: datetime | None = None
    prefer_wip: bool = True
    project: str | None = None
    kinds: tuple[str, ...] = ()
    domains: tuple[MemoryDomain, ...] = ()
    flags: tuple[StateFlag, ...] = ()
    first: int = DEFAULT_HITS
    token_budget: int | None = None


class Candidate(NamedTuple):
    """One artifact that a leg proposes, with the leg's own score (higher is better).

    It is a tuple because a recall creates hundreds of them.
    """

    artifact: ArtifactNumber
    score: float


@dataclass(frozen=True, slots=True)
class Proposal:
    """A leg's candidates, best first, and the store that served them.

    `approximate` means that a better candidate may have been missed. `born` gives the creation times of the
    candidates' documents, as far as the leg knows them, None for one that counts from its filing.
    """

    candidates: Sequence[Candidate] = ()
    approximate: bool = False
    served: str = "postgres"
    born: Mapping[ArtifactNumber, datetime | None] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A leg's candidates, best first, and how its search went.

    `weight` is the weight of its ranks in fusion. `problem` says why a leg is late or failed; its
    candidates are then empty. `served` names the store that answered, and `approximate` means that it may
    have missed a better candidate. `born` is as in its proposal.
    """

    leg: LegName
    candidates: tuple[Candidate, ...]
    weight: float = 1.0
    milliseconds: float = 0.0
    served: str = "postgres"
    problem: str | None = None
    approximate: bool = False
    born: Mapping[ArtifactNumber, datetime | None] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class LegContribution:
    """A leg's share of a fused score: the rank (from 1) and raw score it gave."""

    leg: LegName
    rank: int
    score: float
    contribution: float


@dataclass(frozen=True, slots=True)
class FusedCandidate:
    """An artifact after fusion, with the share of every leg that proposed it."""

    artifact: ArtifactNumber
    score: float
    contributions: tuple[LegContribution, ...]


@dataclass(frozen=True, slots=True)
class Anchor:
    """An entity that the query names, the form used, and the state at the requested time.

    `exact` marks forms that name a thing without doubt: an identifier, or the whole query.
    """

    entity: Entity
    surface_form: str
    state: EntityState | None
    exact: bool


@dataclass(frozen=True, slots=True)
class Annotation:
    """The flag of a hit at the requested time, and the reasons for it."""

    flag: StateFlag | None
    ground: FlagGround | None
    summary: str | None
    state: EntityState | None
    superseded_by: UUID | None


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: an artifact, its best passage and its annotation."""

    artifact: Artifact
    passage: Passage
    score: float
    rank: int
    annotation: Annotation
    contributions: tuple[LegContribution, ...]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The result of one recall; `as_of` and `known_at` are the instants it was read at.

    `confidence` is the likelihood, from 0 to 1, that a hit answers the question; None if the dense leg
    did not answer.
    """

    id: UUID
    hits: tuple[Hit, ...]
    anchors: tuple[Anchor, ...]
    legs: tuple[Ranking, ...]
    as_of: datetime
    known_at: datetime
    tokens_used: int
    confidence: float | None
    advisories: tuple[str, ...]
