"""The project that a write goes to, made when it is new."""

from __future__ import annotations

from app.domain.entity import Project
from app.domain.surface_form import UNKEEPABLE, fold
from app.errors import Invalid
from app.services.write import Write
from app.stores.postgres import projects

DEFAULT_PROJECT = "default"
LONGEST_PROJECT_KEY = 128


def project_key(given: str | None) -> str:
    """Answer the key of the project that is meant; raises Invalid for one that no project can have."""
    key = DEFAULT_PROJECT if given is None else given.strip()
    if UNKEEPABLE.search(key):
        raise Invalid("a project key holds a character that cannot be stored", field="project")
    if len(key) > LONGEST_PROJECT_KEY or not fold(key):
        raise Invalid(f"a project key has 1 to {LONGEST_PROJECT_KEY} characters", field="project")
    return key


async def project_for(write: Write, key: str) -> Project:
    """Answer the project of this key, made when it is new."""
    found = await projects.project_by_key(write.connection, write.tenant, key)
    if found is not None:
        return found
    return await projects.insert_project(write.connection, write.tenant, key, write.recorded_at)
