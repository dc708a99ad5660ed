from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import pytest

from app.services.importing import ImportRequest, ImportSummary
from tests.documents import ProjectFixture

Rows: TypeAlias = Callable[..., Path]


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository of a test's own, and the import of it into the test's project."""

    folder: Path
    desk: ProjectFixture

    def git(self, *arguments: str, at: str = "") -> str:
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@example.org",
            **dates,
        }
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            capture_output=True,
            check=True,
            text=True,
            env=environment,
        )
        return done.stdout.strip()

    def commit(self, at: str, files: Mapping[str, str | bytes] = MappingProxyType({})) -> str:
        """Commit files by their path at noon of a day, and answer the commit's hash."""
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "Change", at=f"{at}T12:00:00Z")
        return self.git("rev-parse", "HEAD")

    async def run(self, inside: str = "") -> ImportSummary:
        memory = self.desk.memory
        service = memory.imports
        request = ImportRequest(project=self.desk.project, repository=self.folder / inside)
        return await service.run(memory.caller, request)


@pytest.fixture
def repository(tmp_path: Path, desk: ProjectFixture) -> Repository:
    repository = Repository(tmp_path / "team", desk)
    repository.folder.mkdir()
    repository.git("init", "--quiet", "--initial-branch=main")
    return repository


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    def write_file(name: str, *objects: Any) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" if each is not None else "{\n" for each in objects))
        return path

    return write_file


@dataclass(frozen=True, slots=True)
class Believed:
    """A state as the ledger believes it now, with the event that led to it."""

    since: str
    status: str | None
    title: str
    event: str
    commit: str | None


async def line_of(desk: ProjectFixture, key: str) -> list[Believed]:
    """Return what is believed of a document of the desk's project, the earliest state first."""
    async with desk.reading() as connection:
        found = await connection.fetch(
            "SELECT DISTINCT ON (state.valid_from) state.valid_from, state.props, event_type, cause_commit"
            " FROM entity_state AS state"
            " JOIN entity ON entity.tenant_id = state.tenant_id AND entity.id = state.entity"
            " JOIN project ON project.tenant_id = entity.tenant_id"
            " AND project.project_id = entity.project_id"
            " JOIN entity_state AS entered ON entered.entity = state.entity"
            " AND entered.valid_from = state.valid_from AND entered.tenant_id = state.tenant_id"
            " JOIN state_event ON to_state = entered.id"
            " WHERE project.key = $1 AND entity.key = $2 AND state.retracted_at IS NULL"
            " ORDER BY state.valid_from, state_event.recorded_at DESC",
            desk.project,
            key,
        )
    return [
        Believed(
            row["valid_from"].strftime("%Y-%m-%d"),
            row["props"].get("status"),
            row["props"]["title"],
            row["event_type"],
            row["cause_commit"],
        )
        for row in found
    ]


async def spans_of(desk: ProjectFixture, source: str, kind: str, target: str) -> list[tuple[str, str | None]]:
    """Return when a reference between two documents of the desk's project is believed to hold."""
    async with desk.reading() as connection:
        found = await connection.fetch(
            "SELECT held.valid_from, held.valid_until FROM reference AS held"
            " JOIN project USING (tenant_id, project_id)"
            " JOIN entity AS source ON source.tenant_id = held.tenant_id AND source.id = held.source"
            " JOIN entity AS target ON target.tenant_id = held.tenant_id AND target.id = held.target"
            " WHERE project.key = $1 AND source.key = $2 AND held.type = $3 AND target.key = $4"
            " AND held.retracted_at IS NULL ORDER BY held.valid_from",
            desk.project,
            source,
            kind,
            target,
        )
    return [
        (
            row["valid_from"].strftime("%Y-%m-%d"),
            None if row["valid_until"] is None else row["valid_until"].strftime("%Y-%m-%d"),
        )
        for row in found
    ]
