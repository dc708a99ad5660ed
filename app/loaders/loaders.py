"""The loaders of one request."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from strawberry.dataloader import DataLoader

from app.domain.artifact import Artifact, Passage
from app.domain.candidate import AliasCandidate, FactCandidate
from app.domain.entity import Alias, Entity, Project, Reference, Withdrawal
from app.domain.neighbourhood import Neighbour
from app.domain.ontology import ReferenceRule, TypeDefinition
from app.domain.page import Page, PageRequest
from app.domain.temporal import EntityState, StateEvent
from app.loaders import reading
from app.loaders.batching import Asked, about_entities, by_key
from app.loaders.neighbourhood import Neighbourhood
from app.loaders.present import Present
from app.loaders.questions import HistoryQuestion, NeighbourQuestion, ReferenceQuestion, StateQuestion
from app.stores.graph_reader import GraphReader
from app.stores.postgres import (
    artifacts,
    candidates,
    entities,
    histories,
    lookups,
    references,
    states,
    surroundings,
    withdrawals,
)
from app.stores.postgres.histories import Arrival
from app.stores.postgres.lookups import ProjectSize
from app.stores.postgres.pool import Database


class Loaders:
    """Every edge a request may follow, read as one tenant and remembered while the request lasts.

    Each is named after what it answers and by what; what is absent or not visible is None, or empty.
    """

    def __init__(self, database: Database, graph: GraphReader, tenant: int) -> None:
        reader = (database, tenant)
        present = Present()
        dated = reading.DatedReading(present)
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
        self.alias_candidate_by_id: DataLoader[UUID, AliasCandidate | None] = by_key(
            *reader, candidates.alias_candidates_by_id, _nothing
        )
        self.fact_candidate_by_id: DataLoader[UUID, FactCandidate | None] = by_key(
            *reader, candidates.fact_candidates_by_id, _nothing
        )
        self.withdrawal_by_id: DataLoader[UUID, Withdrawal | None] = by_key(
            *reader, withdrawals.withdrawals_of, _nothing
        )
        self.type_by_entity_id: DataLoader[UUID, TypeDefinition | None] = by_key(
            *reader, lookups.types_of_entities, _nothing
        )
        self.rules_by_type_name: DataLoader[str, list[ReferenceRule]] = by_key(
            *reader, reading.rules_by_type_name, list
        )
        self.project_by_number: DataLoader[int, Project | None] = by_key(
            *reader, lookups.projects_by_number, _nothing
        )
        self.size_by_project_number: DataLoader[int, ProjectSize | None] = by_key(
            *reader, lookups.project_sizes, _nothing
        )
        self.passages_by_artifact_number: DataLoader[int, list[Passage]] = by_key(
            *reader, artifacts.passages_by_artifact, list
        )
        self.event_by_arrival: DataLoader[Arrival, StateEvent | None] = by_key(
            *reader, histories.events_into, _nothing
        )
        self.touched_at_by_state_id: DataLoader[UUID, datetime | None] = by_key(
            *reader, histories.last_touches, _nothing
        )
        self.preferred_id_by_entity_id: DataLoader[UUID, UUID | None] = by_key(
            *reader, dated.preferred_of, _nothing
        )
        self.label_by_entity_id: DataLoader[UUID, str | None] = by_key(*reader, dated.labels_of, _nothing)
        self.state_by_entity: DataLoader[Asked[StateQuestion], EntityState | None] = about_entities(
            *reader, dated.states_that_hold, _nothing
        )
        self.states_by_entity: DataLoader[Asked[HistoryQuestion], Page[EntityState]] = about_entities(
            *reader, reading.histories_of, _empty_page
        )
        self.state_count_by_entity: DataLoader[Asked[datetime | None], int] = about_entities(
            *reader, reading.history_lengths, int
        )
        self.references_by_entity: DataLoader[Asked[ReferenceQuestion], Page[Reference]] = about_entities(
            *reader, dated.references_around, _empty_page
        )
        self.reference_count_by_entity: DataLoader[Asked[ReferenceQuestion], int] = about_entities(
            *reader, dated.reference_counts, int
        )
        self.artifacts_by_entity: DataLoader[Asked[PageRequest], Page[Artifact]] = about_entities(
            *reader, reading.artifacts_of, _empty_page
        )
        self.artifact_count_by_entity_id: DataLoader[UUID, int] = by_key(
            *reader, surroundings.count_artifacts_of_entities, int
        )
        self.aliases_by_entity: DataLoader[Asked[datetime | None], list[Alias]] = about_entities(
            *reader, dated.aliases_of, list
        )
        self.superseder_id_by_entity: DataLoader[Asked[datetime | None], UUID | None] = about_entities(
            *reader, dated.superseders_of, _nothing
        )
        self.neighbours_by_entity: DataLoader[Asked[NeighbourQuestion], list[Neighbour]] = Neighbourhood(
            database, graph, tenant, present
        ).loader()
        self.similar_by_entity: DataLoader[Asked[int], list[tuple[UUID, float]]] = about_entities(
            *reader, dated.similar_to, list
        )


def _nothing() -> None:
    """Answer what an absent thing is."""


def _empty_page() -> Page[Any]:
    return Page((), has_next=False)
