"""Things made in few words: entities that are no documents."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from app.domain.entity import Entity
from app.domain.timeline import Assertion, assert_from
from app.services.states.change import Cause, carry_out
from app.services.unit_of_work import unit_of_work
from app.stores.postgres import entities, ledger_clock, projects, type_definitions
from tests.documents import ProjectFixture, day


async def make_thing(
    desk: ProjectFixture, name: str, start: datetime | None = None, type_name: str = "Component", **props: Any
) -> UUID:
    """Make a thing of this name in the desk's project, there since 2020 unless it says otherwise."""
    async with unit_of_work(desk.memory.database, desk.memory.caller) as write:
        where = (write.connection, write.tenant)
        project = await projects.project_by_key(*where, desk.project)
        project = project or await projects.insert_project(*where, desk.project, write.recorded_at)
        types = await type_definitions.types_in_projects(*where, [])
        number = next(found.number for found in types if found.definition.name == type_name)
        made = Entity(uuid4(), type_name, project.number, None, start or day(2020), None)
        await entities.insert_entity(*where, made, number, write.recorded_at, write.actor)
        said = Assertion(made.id, {"name": name, **props}, None, write.actor)
        await carry_out(write, assert_from([], said, made.created_at, write.recorded_at), Cause("created"))
        await ledger_clock.finish_write(write.connection)
    return made.id
