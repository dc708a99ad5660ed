"""Define what a status word of a project means, and list the words that its documents have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

import asyncpg

from app.domain.bounds import excerpt
from app.domain.entity import Project
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.recall import StateFlag
from app.domain.status_words import (
    MAX_STATUS_WORDS,
    NO_TEAM_WORDS,
    SUPERSEDED,
    TeamWords,
    flag_of_status,
    status_phrase,
    was_in_force,
)
from app.errors import Invalid
from app.services.references.supersession import recompute_status, recompute_superseded, superseded_spans
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import ledger_clock, status_words
from app.stores.postgres.lookups import projects_by_number
from app.stores.postgres.supersessions import successions_around

MAX_STATUS_LENGTH = 64
MAX_TEAM_WORDS = 200
"""Every hit of a recall brings the words of its project along."""

_EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class StatedStatusWord:
    """A status word, and the flag that it means from now on; None takes an earlier definition back."""

    word: str
    flag: StateFlag | None


@dataclass(frozen=True, slots=True)
class StatusWord:
    """A status of a project: its flag, how many entities have it now, and whether its team defined it.

    `project` is the key of the project.
    """

    project: str
    word: str
    flag: StateFlag | None
    count: int
    is_own: bool


@dataclass(frozen=True, slots=True)
class DefinedStatusWord:
    """A status word after its definition; `changed` is false if it meant the same before."""

    status: StatusWord
    changed: bool
    position: int | None = None


async def load_statuses(
    connection: asyncpg.Connection, tenant: TenantNumber, projects: Sequence[ProjectNumber]
) -> list[StatusWord]:
    """Return the statuses of some projects, one for each phrase, the commonest of a project first."""
    now = await ledger_clock.read_present(connection, tenant)
    keys = {
        number: each.key for number, each in (await projects_by_number(connection, tenant, projects)).items()
    }
    words = await status_words.words_of_projects(connection, tenant, projects)
    found: dict[tuple[ProjectNumber, str], StatusWord] = {}
    for each in await status_words.statuses_met(connection, tenant, projects, now):
        team, phrase = words.get(each.project, NO_TEAM_WORDS), status_phrase(each.status)
        known = found.get((each.project, phrase))
        if known is not None:
            found[each.project, phrase] = replace(known, count=known.count + each.entities)
            continue
        flag = flag_of_status(each.status, team)
        is_own = phrase in dict(team) or flag is not flag_of_status(each.status)
        found[each.project, phrase] = StatusWord(keys[each.project], each.status, flag, each.entities, is_own)
    for project, team in words.items():
        for phrase, flag in team:
            found.setdefault((project, phrase), StatusWord(keys[project], phrase, flag, 0, is_own=True))
    return sorted(found.values(), key=lambda each: (each.project, -each.count, each.word))


async def load_status(
    connection: asyncpg.Connection, tenant: TenantNumber, project: Project, phrase: str
) -> StatusWord:
    """Return the status of a project that a phrase is compared as, whether anything has it or not."""
    found = await load_statuses(connection, tenant, [project.number])
    if held := [each for each in found if status_phrase(each.word) == phrase]:
        return held[0]
    words = await status_words.words_of_projects(connection, tenant, [project.number])
    flag = flag_of_status(phrase, words.get(project.number, NO_TEAM_WORDS))
    return StatusWord(project.key, phrase, flag, 0, is_own=flag is not flag_of_status(phrase))


def _phrase_of(word: str) -> str:
    """Return a word as it is compared; raise Invalid if it cannot be a status."""
    phrase = status_phrase(word)
    if len(word) > MAX_STATUS_LENGTH or len(phrase.split()) > MAX_STATUS_WORDS or not phrase:
        raise Invalid(
            f"a status word has 1 to {MAX_STATUS_LENGTH} characters and at most {MAX_STATUS_WORDS} words,"
            " with letters among them",
            field="word",
        )
    if phrase == SUPERSEDED:
        raise Invalid(
            f"{excerpt(word)} is what a document becomes once another supersedes it; it is always HISTORICAL",
            field="word",
        )
    return phrase


async def define_status(write: UnitOfWork, project: Project, stated: StatedStatusWord) -> tuple[str, bool]:
    """Let a word mean a flag in a project from now on; return it as it is compared, and whether that is new.

    The statuses that follow from supersessions are recomputed where the word changes them. Raises Invalid for
    an unfit word, and where a project would have too many. Must come last in a write.
    """
    phrase = _phrase_of(stated.word)
    words = await status_words.words_of_projects(await write.flush(), write.tenant, [project.number])
    before = dict(words.get(project.number, NO_TEAM_WORDS))
    if before.get(phrase) is stated.flag:
        return phrase, False
    if stated.flag is not None and phrase not in before and len(before) >= MAX_TEAM_WORDS:
        raise Invalid(f"a project has at most {MAX_TEAM_WORDS} status words of its own", field="word")
    after = {each: flag for each, flag in before.items() if each != phrase}
    after |= {} if stated.flag is None else {phrase: stated.flag}
    team = tuple(sorted(after.items()))
    changed = await _changed_entities(write, project, tuple(sorted(before.items())), team)
    was = {
        entity: superseded_spans(entity, await successions_around(await write.flush(), write.tenant, entity))
        for entity in changed
    }
    where = (await write.flush(), write.tenant, project.number)
    await status_words.close_word(*where, phrase, write.recorded_at)
    if stated.flag is not None:
        await status_words.insert_word(*where, (phrase, stated.flag), write.recorded_at, write.actor)
    for entity in changed:
        await recompute_status(write, entity, _EVER)
        await recompute_superseded(write, entity, was[entity])
    return phrase, True


async def _changed_entities(
    write: UnitOfWork, project: Project, before: TeamWords, after: TeamWords
) -> list[UUID]:
    """Return the entities in a supersession that have a status whose meaning changes."""

    def means_otherwise(status: str) -> bool:
        flags = flag_of_status(status, before), flag_of_status(status, after)
        return flags[0] is not flags[1] or was_in_force(status, before) != was_in_force(status, after)

    held = await status_words.superseding_statuses(await write.flush(), write.tenant, project.number)
    return [entity for entity, statuses in held.items() if any(map(means_otherwise, statuses))]
