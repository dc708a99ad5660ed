from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from app.services.importing import ImportRequest, ImportSummary
from tests.documents import ProjectFixture

Importer: TypeAlias = Callable[..., Awaitable[ImportSummary]]
Write: TypeAlias = Callable[[str, str | bytes], Path]


def reasons(summary: ImportSummary) -> dict[str, str]:
    """Return why each file or row was refused, by its name."""
    return {Path(refusal.source).name: refusal.reason for refusal in summary.refused}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def write(folder: Path) -> Write:
    """Write a file into the folder that is imported."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def imported(desk: ProjectFixture) -> Importer:
    """Import paths into the test's own project."""

    async def run(
        *paths: Path, kind: str | None = None, width: int = 3, project: str | None = None
    ) -> ImportSummary:
        service = replace(desk.memory, import_width=width).imports
        request = ImportRequest(paths, project or desk.project, kind)
        return await service.run(desk.memory.caller, request)

    return run
