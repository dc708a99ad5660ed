"""Check the records under a path, alone or together with what a project of the ledger has."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import asyncpg

from app.domain.entity import Caller, Project
from app.domain.status_words import NO_TEAM_WORDS
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, Branch
from app.services.catalog.lookup import no_project
from app.services.checking.folder import CheckedFolder, read_folder
from app.services.checking.reference_rules import ReferenceRules
from app.services.checking.resolution import LedgerTargets, resolve, wanted_lookups
from app.services.checking.rules import (
    CheckReport,
    RecordFinding,
    findings_about_date,
    findings_about_files,
    findings_about_numbers,
    findings_about_status,
    findings_about_text,
)
from app.services.filing.document_types import prefixes_of
from app.services.importing.interruption import IsStopped, never
from app.services.parsing.target_readings import TargetLookups
from app.services.references.target_resolution import KnownTargets
from app.stores.postgres import (
    document_names,
    entities,
    ledger_clock,
    projects,
    states,
    status_words,
    type_definitions,
)
from app.stores.postgres.entities import by_either_key
from app.stores.postgres.pool import Database


def check_path(path: Path, is_stopped: IsStopped = never) -> CheckReport:
    """Check the records under a path, a folder or one file of it, without a ledger.

    Raises Invalid if there is neither, and Stopped once `is_stopped` says so.
    """
    return report_on(read_folder(path, is_stopped=is_stopped))


def report_on(folder: CheckedFolder, ledger: LedgerTargets | None = None) -> CheckReport:
    """Return the findings about the records of a folder, by path and line."""
    found = sorted(
        {each for each in _findings(folder, ledger) if folder.only in (None, each.path)},
        key=lambda each: (each.path, each.line, each.rule, each.message),
    )
    records = len(folder.records)
    return CheckReport(found, records, len(folder.texts) - records, folder.skipped)


def _findings(folder: CheckedFolder, ledger: LedgerTargets | None) -> Iterator[RecordFinding]:
    now = datetime.now(UTC)
    yield from findings_about_files(folder)
    yield from findings_about_numbers(folder)
    for text in folder.records:
        yield from findings_about_text(text)
        yield from findings_about_status(text)
        yield from findings_about_date(text, now)
    yield from ReferenceRules(folder, resolve(folder, ledger)).findings()


class CheckService:
    """Checks records against a project: what they refer to may also be there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def check(
        self, caller: Caller, path: Path, project: str, is_stopped: IsStopped = never
    ) -> CheckReport:
        """Check the records under a path as `check_path` does; what is in the project is there as well.

        Raises NotFound for an unknown project, and what `check_path` raises.
        """
        async with self._database.reading(caller.tenant) as connection:
            found = await projects.project_by_key(connection, caller.tenant, project)
            if found is None:
                raise await no_project(connection, caller.tenant, project)
            types = await type_definitions.types_in_projects(connection, caller.tenant, [found.number])
            held = await document_names.documents_by_key(connection, caller.tenant, project)
            words = await status_words.words_of_projects(connection, caller.tenant, [found.number])
        prefixes = prefixes_of(each.definition for each in types)
        team = words.get(found.number, NO_TEAM_WORDS)
        folder = await asyncio.to_thread(read_folder, path, prefixes, held, is_stopped, team)
        async with self._database.reading(caller.tenant) as connection:
            ledger = await _targets(connection, caller, found, wanted_lookups(folder))
        return await asyncio.to_thread(report_on, folder, ledger)


async def _targets(
    connection: asyncpg.Connection, caller: Caller, project: Project, wanted: TargetLookups
) -> LedgerTargets:
    """Return what a project has under some names, and the statuses of it now."""
    scope = (connection, caller.tenant, project.number)
    names = sorted(wanted.names)
    known = KnownTargets(
        by_key=by_either_key(await entities.entities_by_keys(*scope, sorted(wanted.keys))),
        by_path=await entities.entities_by_source(*scope, sorted(wanted.sources)),
        by_name=await entities.entities_by_name(*scope, names),
        by_alias=await entities.entities_by_alias(*scope, names),
        by_document_name=await document_names.documents_by_names(*scope, sorted(wanted.document_names)),
    )
    ids = {each.id for held in (*known.by_key.values(), *known.by_name.values()) for each in held}
    ids |= {each.id for each in known.by_path.values()}
    ids |= {each.id for held in known.by_alias.values() for each in held}
    ids |= {each.entity.id for held in known.by_document_name.values() for each in held}
    return LedgerTargets(known, await _statuses(connection, caller, ids))


async def _statuses(
    connection: asyncpg.Connection, caller: Caller, ids: set[UUID]
) -> Mapping[UUID, str | None]:
    now = await ledger_clock.read_present(connection, caller.tenant)
    held = await states.states_as_of(connection, caller.tenant, sorted(ids), AsOf(now, EVERYTHING_KNOWN))
    statuses = {
        entity: state.props.get("status")
        for (entity, branch), state in held.items()
        if branch is Branch.COMMITTED
    }
    return {entity: status if isinstance(status, str) else None for entity, status in statuses.items()}
