"""Asking the ledger itself what recall is not for: a state at a moment, and references."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from app.domain.entity import Direction, Entity, ReferenceType
from app.domain.identifier import identifier_key
from app.domain.moment import EVERYTHING_KNOWN, present
from app.domain.page import MOST_ITEMS, PageRequest
from app.domain.recall import StateFlag
from app.domain.standing import standing
from app.domain.surface_form import fold
from app.domain.temporal import AsOf, Branch, EntityState
from app.services.evaluation.expected import Expected, Relation, Verdict
from app.services.memory import Memory
from app.stores.postgres import entities, ledger, ontology, projects, states, surroundings
from app.stores.postgres.surroundings import ReferencesAround


async def judge(
    memory: Memory, expected: Expected, as_of: datetime | None, ranking: Sequence[str]
) -> Verdict:
    """Tell whether a question is answered right: by recall when it asks who leads, else by the ledger."""
    if expected.leader is not None:
        return Verdict(ranking[:1] == [expected.leader], ", ".join(ranking[:2]) or "nothing")
    async with memory.database.reading(memory.caller.tenant) as connection:
        now = present(await ledger.read_clock(connection, memory.caller.tenant))
        asking = _Asking(connection, memory.caller.tenant, AsOf(as_of or now, EVERYTHING_KNOWN))
        return await asking.judge(expected)


class _Asking:
    """One question at one moment."""

    def __init__(self, connection: asyncpg.Connection, tenant: int, moment: AsOf) -> None:
        self._connection = connection
        self._tenant = tenant
        self._moment = moment

    async def judge(self, expected: Expected) -> Verdict:
        entity = await self._entity(expected.subject)
        state = None if entity is None else (await self._states([entity.id])).get(entity.id)
        if entity is None or state is None or expected.is_absent:
            told = "nothing" if state is None else f"{state.props.get('status')}"
            return Verdict(expected.is_absent and state is None, told)
        if expected.relation is None:
            told_props = tuple((name, str(state.props.get(name))) for name, _ in expected.props)
            return Verdict(told_props == expected.props, ", ".join(value for _, value in told_props))
        related = await self._related(entity, state, expected.relation)
        return Verdict(related == expected.related, ", ".join(sorted(related)) or "none")

    async def _entity(self, subject: str) -> Entity | None:
        """Answer what goes by an identifier in whichever project has it."""
        key = identifier_key(subject)
        for project in await projects.all_projects(self._connection, self._tenant):
            found = await entities.entity_by_key(self._connection, self._tenant, project.number, key)
            if found is not None:
                return found
        return None

    async def _states(self, wanted: Sequence[UUID]) -> dict[UUID, EntityState]:
        held = await states.states_as_of(self._connection, self._tenant, wanted, self._moment)
        return {entity: state for (entity, branch), state in held.items() if branch is Branch.COMMITTED}

    async def _related(self, entity: Entity, state: EntityState, relation: Relation) -> frozenset[str]:
        """Answer what a document says it is related to; where its kind does not keep that, by references."""
        if relation.property is not None and await self._keeps(entity, relation.property):
            stated = state.props.get(relation.property, [])
            return frozenset(identifier_key(name) for name in stated if isinstance(name, str))
        others = await self._others(entity.id, relation)
        found = await entities.entities_by_id(self._connection, self._tenant, others)
        return frozenset(each.key for each in found.values() if each.key is not None)

    async def _keeps(self, entity: Entity, name: str) -> bool:
        known = await ontology.types_in_projects(self._connection, self._tenant, [entity.project])
        return any(
            name in each.definition.mutable_props
            for each in known
            if fold(each.definition.name) == fold(entity.type_name)
        )

    async def _others(self, entity: UUID, relation: Relation) -> list[UUID]:
        around = ReferencesAround(relation.direction, relation.type, self._moment.valid)
        page = PageRequest(MOST_ITEMS)
        pages = await surroundings.references_of_entities(
            self._connection, self._tenant, [entity], around, page
        )
        others = [each.target if each.source == entity else each.source for each in pages[entity].items]
        if (relation.type, relation.direction) != (ReferenceType.SUPERSEDES, Direction.IN):
            return others
        held = await self._states(others)
        return [other for other in others if other in held and _is_in_force(held[other])]


def _is_in_force(state: EntityState) -> bool:
    """Tell whether what a document says counts yet: a draft replaces nothing."""
    status = state.props.get("status")
    return standing(status if isinstance(status, str) else None) is not StateFlag.WIP
