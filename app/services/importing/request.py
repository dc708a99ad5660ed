"""What an import is asked for, and what it finds to bring in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from app.services.importing.history.model import History
from app.services.importing.items import ItemStream, Refusal, Skipped
from app.services.importing.name_collisions import Collision


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import and where to; `kind` is for documents that tell nothing of theirs.

    `states` and `revisions` are files of rows that tell what the documents were before, `repository` is
    a folder of a git repository whose main line is read.
    """

    paths: tuple[Path, ...] = ()
    project: str | None = None
    kind: str | None = None
    states: tuple[Path, ...] = ()
    revisions: tuple[Path, ...] = ()
    repository: Path | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents to be read one after the other, what is known of them before, and their history.

    `warnings` are of all of it together.
    """

    items: ItemStream
    total: int
    history: History = field(default_factory=History)
    refused: tuple[Refusal, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    collisions: tuple[Collision, ...] = ()
    warnings: tuple[str, ...] = ()
