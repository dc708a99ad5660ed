"""What an import from a table is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TableRequest:
    """Which table of which database to import, and where to; names are written as in SQL.

    `address` may hold a password and is shown nowhere. `kind` is for documents that tell nothing of theirs,
    `aliases` is a table that tells what else they are called.
    """

    address: str = field(repr=False)
    table: str
    project: str | None = None
    kind: str | None = None
    aliases: str | None = None
