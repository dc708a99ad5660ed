"""The request of an import and its summary: counts, refusals, warnings and skipped items."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from app.services.importing.items import MAX_LISTED, Refusal, Skipped
from app.services.importing.name_collisions import Collision


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import and into which project; documents that state no kind get `kind`.

    `states` and `revisions` are files of rows with the history of the documents. `repository` is a folder of
    a git repository whose main line is read. An import that `prunes` ends documents whose files are gone from
    their folder.
    """

    paths: tuple[Path, ...] = ()
    project: str | None = None
    kind: str | None = None
    states: tuple[Path, ...] = ()
    revisions: tuple[Path, ...] = ()
    repository: Path | None = None
    prunes: bool = False


MAX_EXAMPLES = 3
MAX_SORTS = 100

_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[\d/_]\S*")
_SEVERAL = re.compile(r"…(?:,? …)+")


@dataclass(slots=True)
class Warned:
    """Warnings with the same text about different things: their number, and the first few in full."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportSummary:
    """The counts and lists of one import; they grow while it runs.

    Refusals beyond `MAX_LISTED` are counted in `refused_beyond`. `total` is how many documents and rows there
    are to look at, `skipped` lists what was left alone beside them, and `was_stopped` means that not all of
    them were looked at. `histories` counts the documents that have a history. Each state of a history, and
    each alias of a table, is either recorded or was there already. `unread` counts the files that are not
    read, by their endings. `undated` are the documents filed that state no date, and `unnamed_kinds` those
    whose files have a number while nothing says of which kind they are. `missing` are the files that the
    folder held before, `removed` those whose documents ended, `back` those whose documents a caller had
    withdrawn, and `known_from` counts the documents that came from another root before, by its place.
    """

    total: int = 0
    filed: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_beyond: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    warnings: dict[str, Warned] = field(default_factory=dict)
    collisions: list[Collision] = field(default_factory=list)
    unread: dict[str, int] = field(default_factory=dict)
    undated: list[str] = field(default_factory=list)
    unnamed_kinds: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    known_from: dict[str, int] = field(default_factory=dict)
    kinds_defined: list[str] = field(default_factory=list)
    was_stopped: bool = False
    histories: int = 0
    histories_seen: int = 0
    states_recorded: int = 0
    states_unchanged: int = 0
    aliases_recorded: int = 0
    aliases_unchanged: int = 0

    @property
    def seen(self) -> int:
        """How many documents were looked at."""
        return self.filed + self.unchanged + self.refused_count

    @property
    def refused_count(self) -> int:
        """How many items were refused, with those that are not listed."""
        return len(self.refused) + self.refused_beyond

    def refuse(self, refusal: Refusal, at: int | None = None) -> bool:
        """List a refusal at a place, or last; return False where the list is full and it is only counted."""
        if len(self.refused) >= MAX_LISTED:
            self.refused_beyond += 1
            return False
        self.refused.insert(len(self.refused) if at is None else at, refusal)
        return True

    def warn(self, source: str, warnings: Iterable[str]) -> None:
        """Count warnings by their text without the names and numbers in it."""
        for warning in warnings:
            sort = _SEVERAL.sub("…", _PARTICULAR.sub("…", warning))
            if sort not in self.warnings and len(self.warnings) >= MAX_SORTS:
                sort = "other warnings"
            warned = self.warnings.setdefault(sort, Warned())
            warned.count += 1
            if len(warned.examples) < MAX_EXAMPLES:
                warned.examples.append(f"{source}: {warning}")
