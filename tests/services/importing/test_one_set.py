"""An import is one set: the same documents give the same ledger in whichever order and parts they arrive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.domain.entity import ReferenceType
from tests.documents import ProjectFixture, edges, pending
from tests.services.importing.conftest import Importer


def note(date: str, header: str, *paragraphs: str) -> str:
    """Return a Markdown document with a date and other lines in its header."""
    return "\n".join(["---", f"date: {date}", *filter(None, [header]), "---", "", *paragraphs, ""])


NEW_YEAR = "2026-01-01"

FOLDER: Mapping[str, str] = {
    "adr/0001-queue.md": note(
        NEW_YEAR, "status: accepted", "# Use a queue", "", "See [[0002-clock]], ADR-9."
    ),
    "adr/0002-clock.md": note("2026-02-01", "supersedes: ADR-1", "# Use a clock", "", "Text."),
    "adr/0009-late.md": note(
        "2026-06-01", "supersedes: '[[Use a clock]]'\nstatus: proposed", "# Later", "Text."
    ),
    "ops/failover.md": note(NEW_YEAR, "", "# Carrier failover", "", "With 3 carriers."),
    "ops/retry.md": note("2026-03-01", 'supersedes: "[[Carrier failover]]"', "# Retry carriers", "", "Four."),
    "far/failover.md": note(NEW_YEAR, "aliases: [spare carrier]", "# Carrier failover", "", "Elsewhere."),
    "far/deep/plan.md": note(
        NEW_YEAR, "related: '[[failover]] [[spare carrier]] [[nowhere]]'", "# Plan", "Text."
    ),
    "twins/a/note.md": note(NEW_YEAR, "aliases: [k8s]", "# Cluster", "", "Text."),
    "twins/b/note.md": note(NEW_YEAR, "aliases: [K8s]", "# Cluster", "", "Text as well."),
    "twins/seen.md": note(NEW_YEAR, "", "# Seen", "", "## Related", "", "[[note]] [[cluster]] [[k8s]]"),
    "ops/gate.md": note(NEW_YEAR, "aliases: [Main valve, SPEC-3]", "# Gate", "Text."),
    "ops/valve.md": note("2026-05-01", "", "# Main valve", "See [[main valve]]."),
    "services/a/adr/0005-sink.md": note(NEW_YEAR, "", "# Sink A", "Text."),
    "services/b/adr/0005-sink.md": note(NEW_YEAR, "", "# Sink B", "Text."),
    "services/a/notes/use.md": note(NEW_YEAR, "implements: ADR-5", "# Use A", "Text."),
    "notes/use.md": note(NEW_YEAR, "implements: ADR-5", "# Use", "Text."),
    "journal/seven.md": note(NEW_YEAR, "title: ADR-7", "What we thought that day."),
    "journal/eight.md": note(NEW_YEAR, "", "# Eighth day", "", "## Related", "", "[[ADR-7]]"),
    "adr/0007-cache.md": note(
        "2026-04-01", "status: accepted", "# Cache", "", "## Implements", "", "[[retry]]"
    ),
    "adr/ADR-041-kafka.md": note(NEW_YEAR, "status: accepted", "# ADR-041: Use Kafka", "", "Text."),
    "reviews/ADR-041-kafka-REVIEW.md": note(NEW_YEAR, "", "# ADR-041: Kafka, reviewed", "", "Good."),
    "specs/SPEC-3.md": note(NEW_YEAR, "", "# Streams", "", "## Implements", "", "ADR-041"),
}
"""Files whose names, titles and numbers meet in most of the ways in which they can."""

_NAMES = count(1)

_MEANING = {
    "entities": (
        "SELECT key, type.name FROM entity JOIN type USING (tenant_id, type_id) WHERE entity.project_id = $1"
    ),
    "states": (
        "SELECT key, branch, valid_from, valid_until, props::text FROM entity_state AS held"
        " JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.entity"
        " WHERE project_id = $1 AND retracted_at IS NULL"
    ),
    "aliases": (
        "SELECT folded_form, key, valid_from, valid_until FROM alias"
        " JOIN entity ON entity.tenant_id = alias.tenant_id AND entity.id = alias.target"
        " WHERE alias.project_id = $1 AND retracted_at IS NULL"
    ),
    "references": (
        "SELECT source.key AS source, held.type, target.key AS target, valid_from, valid_until"
        " FROM reference AS held"
        " JOIN entity AS source ON source.tenant_id = held.tenant_id AND source.id = held.source"
        " JOIN entity AS target ON target.tenant_id = held.tenant_id AND target.id = held.target"
        " WHERE held.project_id = $1 AND retracted_at IS NULL"
    ),
    "pending": (
        "SELECT key, target_text, type, inverted, is_ambiguous, valid_from FROM pending_reference AS held"
        " JOIN entity ON entity.tenant_id = held.tenant_id AND entity.id = held.source"
        " WHERE held.project_id = $1 AND closed_at IS NULL"
    ),
}
"""What a ledger means, without ids and times of recording."""


async def meaning(desk: ProjectFixture, project: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return what the ledger says of a project."""
    async with desk.reading() as connection:
        number = await connection.fetchval("SELECT project_id FROM project WHERE key = $1", project)
        return {
            of: sorted((tuple(row) for row in await connection.fetch(statement, number)), key=repr)
            for of, statement in _MEANING.items()
        }


def _place(folder: Path, names: Iterable[str]) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FOLDER[name], encoding="utf-8")
    return folder


async def _in_parts(desk: ProjectFixture, imported: Importer, folder: Path, seed: int) -> str:
    """Import the folder in a random order of random parts, each document once, and return its project."""
    random, project = Random(seed), f"{desk.project}-{next(_NAMES)}"
    names = random.sample(sorted(FOLDER), len(FOLDER))
    names.remove("reviews/ADR-041-kafka-REVIEW.md")
    names.insert(
        names.index("adr/ADR-041-kafka.md") + random.randint(0, 1), "reviews/ADR-041-kafka-REVIEW.md"
    )
    while names:
        size = max(2, random.randint(1, len(names)))
        part, names = names[:size], names[size:]
        # Two files of one number are told apart where both are seen.
        for number in ("041", "0005"):
            if any(number in name for name in part):
                part += [name for name in names if number in name]
                names = [name for name in names if number not in name]
        summary = await imported(_place(folder / f"{project}-{len(names)}", part), project=project)
        assert summary.refused == []
    return project


@pytest.mark.parametrize("seeds", [range(4)])
async def test_a_folder_gives_one_ledger_in_any_order_and_parts(
    desk: ProjectFixture, tmp_path: Path, imported: Importer, seeds: Iterable[int]
) -> None:
    whole = _place(tmp_path / "whole", FOLDER)
    await imported(whole, project=desk.project)
    expected = await meaning(desk, desk.project)
    await imported(whole, project=desk.project)
    assert await meaning(desk, desk.project) == expected
    for seed in seeds:
        project = await _in_parts(desk, imported, tmp_path / str(seed), seed)
        assert await meaning(desk, project) == expected, seed
    related, supersedes = ReferenceType.RELATES_TO, ReferenceType.SUPERSEDES
    found = await edges(desk)
    assert {edge for edge in found if edge[1] == related} == {
        ("far/deep/plan", related, "far/failover"),
        ("journal/eight", related, "adr-7"),
    }
    assert {edge for edge in found if edge[1] == supersedes} == {
        ("adr-2", supersedes, "adr-1"),
        ("adr-9", supersedes, "adr-2"),
        ("ops/retry", supersedes, "ops/failover"),
    }
    assert {edge for edge in found if edge[1] == ReferenceType.IMPLEMENTS} == {
        ("adr-7", ReferenceType.IMPLEMENTS, "ops/retry"),
        ("services/a/notes/use", ReferenceType.IMPLEMENTS, "services/a/adr/adr-5"),
        ("spec-3", ReferenceType.IMPLEMENTS, "adr-41"),
    }
    unclear = {("note", True), ("cluster", True), ("k8s", True), ("ADR-5", True)}
    assert await pending(desk) == unclear | {("nowhere", False)}
