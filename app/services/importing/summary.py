"""What became of an import."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.services.importing.collisions import Collision
from app.services.importing.item import Refusal, Skipped
from app.services.importing.refusals import MAX_LISTED

MOST_EXAMPLES = 3
MOST_SORTS = 100

_PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[\d/_]\S*")
_SEVERAL = re.compile(r"…(?:,? …)+")


@dataclass(slots=True)
class Warned:
    """Warnings that say the same of different things: how many, and the first few in full."""

    count: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ImportSummary:
    """Counts and lists of one import, kept while it runs.

    Refusals beyond `MAX_LISTED` are counted in `refused_beyond`. `total` is how many documents and rows there
    are to look at, `skipped` is what was left alone beside them, and `was_stopped` tells that not all were
    looked at. `histories` is how many documents have a history to tell; states of it are recorded or there
    already, and so are aliases that a table tells.
    """

    total: int = 0
    filed: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)
    refused_beyond: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    warnings: dict[str, Warned] = field(default_factory=dict)
    collisions: list[Collision] = field(default_factory=list)
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
        """How much was refused, with what is not listed."""
        return len(self.refused) + self.refused_beyond

    def refuse(self, refusal: Refusal, at: int | None = None) -> bool:
        """List a refusal at a place, or last; return False where so many are that it is only counted."""
        if len(self.refused) >= MAX_LISTED:
            self.refused_beyond += 1
            return False
        self.refused.insert(len(self.refused) if at is None else at, refusal)
        return True

    def warn(self, source: str, warnings: Iterable[str]) -> None:
        """Count warnings by what they say, whatever they say it of."""
        for warning in warnings:
            sort = _SEVERAL.sub("…", _PARTICULAR.sub("…", warning))
            if sort not in self.warnings and len(self.warnings) >= MOST_SORTS:
                sort = "other warnings"
            warned = self.warnings.setdefault(sort, Warned())
            warned.count += 1
            if len(warned.examples) < MOST_EXAMPLES:
                warned.examples.append(f"{source}: {warning}")
