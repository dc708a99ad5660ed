"""A circle of aliases, which no writer can make, is still walked to an end."""

from __future__ import annotations

from uuid import UUID

import asyncpg

from app.domain.temporal import EVERYTHING_KNOWN, AsOf
from app.stores.postgres import anchors, entities
from tests.documents import day
from tests.stores.postgres import scene
from tests.stores.postgres.scene import insert, set_scene, write


async def test_a_circle_of_aliases_is_walked_to_an_end(owner: asyncpg.Connection) -> None:
    await set_scene(owner)
    await owner.execute("ALTER TABLE alias DISABLE TRIGGER alias_chains_are_acyclic")
    await write(owner, insert("alias", folded_form="x", source=scene.NEW, target=scene.OLD))
    await owner.execute("SET statement_timeout = '5s'")
    moment = AsOf(day(2024), EVERYTHING_KNOWN)
    old, new = UUID(scene.OLD), UUID(scene.NEW)
    found = await anchors.preferred_entities(owner, scene.TENANT, [old, new], moment)
    assert found.keys() <= {old, new}
    project = await owner.fetchval("SELECT project_id FROM project")
    named = await entities.entities_by_alias(owner, scene.TENANT, project, ["x"])
    assert named.keys() == {"x"}
