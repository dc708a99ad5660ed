"""Data loaders for GraphQL edges: one statement for all parents of one event loop turn."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from strawberry.dataloader import DataLoader

from app.domain.artifact import Artifact, Passage
from app.domain.breadth_first_search import Neighbour
from app.domain.candidate import AliasCandidate, FactCandidate
from app.domain.entity import Absence, Alias, Entity, Project, Reference, Withdrawal
from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.domain.page import Page
from app.domain.temporal import EntityState, StateEvent
from app.domain.types import ReferenceRule, TypeDefinition
from app.loaders import queries
from app.loaders.batching import (
    BatchedKey,
    HistoryQuestion,
    IndependentLoader,
    NeighbourQuestion,
    ReferenceQuestion,
    SimilarQuestion,
    StateQuestion,
    about_entities,
    by_key,
)
from app.loaders.queries import Neighbourhood
from app.stores.graph_reader import GraphReader
from app.stores.postgres import (
    absences,
    artifacts,
    candidates,
    entities,
    lookups,
    references,
    state_history,
    states,
    withdrawals,
)
from app.stores.postgres.ledger_clock import RequestedMoment
from app.stores.postgres.lookups import ProjectSize
from app.stores.postgres.pool import Database
from app.stores.postgres.state_history import Arrival

__all__ = [
    "Arrival",
    "BatchedKey",
    "HistoryQuestion",
    "IndependentLoader",
    "Loaders",
    "NeighbourQuestion",
    "ReferenceQuestion",
    "SimilarQuestion",
    "StateQuestion",
]


class Loaders:
    """All loaders of one request, which read as one tenant and cache results for the request.

    Each is named after its result and its key; a missing or invisible object is None, or an empty list.
    """

    def __init__(self, database: Database, graph: GraphReader, tenant: TenantNumber) -> None:
        reader = (database, tenant)
        self.entity_by_id: DataLoader[UUID, Entity | None] = by_key(
            *reader, entities.entities_by_id, _nothing
        )
        self.artifact_by_id: DataLoader[UUID, Artifact | None] = by_key(
            *reader, artifacts.artifacts_by_id, _nothing
        )
        self.state_by_id: DataLoader[UUID, EntityState | None] = by_key(
            *reader, states.states_by_id, _nothing
        )
        self.alias_by_id: DataLoader[UUID, Alias | None] = by_key(*reader, lookups.aliases_by_id, _nothing)
        self.reference_by_id: DataLoader[UUID, Reference | None] = by_key(
            *reader, references.references_by_id, _nothing
        )
        self.kind_by_id: DataLoader[UUID, str | None] = by_key(*reader, lookups.kinds_of_nodes, _nothing)
        self.alias_candidate_by_id: DataLoader[UUID, AliasCandidate | None] = by_key(
            *reader, candidates.alias_candidates_by_id, _nothing
        )
        self.fact_candidate_by_id: DataLoader[UUID, FactCandidate | None] = by_key(
            *reader, candidates.fact_candidates_by_id, _nothing
        )
        self.withdrawal_by_id: DataLoader[UUID, Withdrawal | None] = by_key(
            *reader, withdrawals.withdrawals_of, _nothing
        )
        self.absences_by_entity_id: DataLoader[UUID, list[Absence]] = by_key(
            *reader, absences.absences_of, list
        )
        self.type_by_entity_id: DataLoader[UUID, TypeDefinition | None] = by_key(
            *reader, lookups.types_of_entities, _nothing
        )
        self.rules_by_type_name: DataLoader[str, list[ReferenceRule]] = by_key(
            *reader, queries.rules_by_type_name, list
        )
        self.project_by_number: DataLoader[ProjectNumber, Project | None] = by_key(
            *reader, lookups.projects_by_number, _nothing
        )
        self.size_by_project_number: DataLoader[ProjectNumber, ProjectSize | None] = by_key(
            *reader, lookups.project_sizes, _nothing
        )
        self.passages_by_artifact_number: DataLoader[ArtifactNumber, list[Passage]] = by_key(
            *reader, artifacts.passages_by_artifact, list
        )
        self.event_by_arrival: DataLoader[Arrival, StateEvent | None] = by_key(
            *reader, state_history.events_into, _nothing
        )
        self.event_by_id: DataLoader[UUID, StateEvent | None] = by_key(
            *reader, state_history.events_by_id, _nothing
        )
        self.touched_at_by_state_id: DataLoader[UUID, datetime | None] = by_key(
            *reader, state_history.last_touches, _nothing
        )
        self.preferred_id_by_entity: DataLoader[BatchedKey[RequestedMoment], UUID | None] = about_entities(
            *reader, queries.preferred_of, _nothing
        )
        self.label_by_entity: DataLoader[BatchedKey[RequestedMoment], str | None] = about_entities(
            *reader, queries.labels_of, _nothing
        )
        self.state_by_entity: DataLoader[BatchedKey[StateQuestion], EntityState | None] = about_entities(
            *reader, queries.states_that_hold, _nothing
        )
        self.states_by_entity: DataLoader[BatchedKey[HistoryQuestion], Page[EntityState]] = about_entities(
            *reader, queries.histories_of, _empty_page
        )
        self.state_count_by_entity: DataLoader[BatchedKey[RequestedMoment], int] = about_entities(
            *reader, queries.history_lengths, int
        )
        self.references_by_entity: DataLoader[BatchedKey[ReferenceQuestion], Page[Reference]] = (
            about_entities(*reader, queries.references_around, _empty_page)
        )
        self.reference_count_by_entity: DataLoader[BatchedKey[ReferenceQuestion], int] = about_entities(
            *reader, queries.reference_counts, int
        )
        self.artifacts_by_entity: DataLoader[BatchedKey[HistoryQuestion], Page[Artifact]] = about_entities(
            *reader, queries.artifacts_of, _empty_page
        )
        self.artifact_count_by_entity: DataLoader[BatchedKey[RequestedMoment], int] = about_entities(
            *reader, queries.artifact_counts, int
        )
        self.aliases_by_entity: DataLoader[BatchedKey[RequestedMoment], list[Alias]] = about_entities(
            *reader, queries.aliases_of, list
        )
        self.superseder_id_by_entity: DataLoader[BatchedKey[RequestedMoment], UUID | None] = about_entities(
            *reader, queries.superseders_of, _nothing
        )
        self.neighbours_by_entity: DataLoader[BatchedKey[NeighbourQuestion], list[Neighbour]] = Neighbourhood(
            database, graph, tenant
        ).loader()
        self.similar_by_entity: DataLoader[BatchedKey[SimilarQuestion], list[tuple[UUID, float]]] = (
            about_entities(*reader, queries.similar_to, list)
        )


def _nothing() -> None:
    """Return None, the value of a missing object."""


def _empty_page() -> Page[Any]:
    return Page()
