"""What was filed first wins nothing: claims are joined with the best match, whenever that arrives."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

from app.domain.artifact import Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.services.filing import StatedDocument, document_from
from app.services.references import ReferenceService
from tests.documents import (
    RELATES_TO,
    SUPERSEDES,
    ProjectFixture,
    adr,
    claims,
    day,
    edges,
    pending,
)

IMPLEMENTS = ReferenceType.IMPLEMENTS


def note(source: str, title: str, *references: ReferenceClaim, **said: Any) -> Document:
    """Return a document without a number, filed from a file."""
    fields = {"body": f"Of {title}.", "source_uri": source, "references": references, **said}
    return Document("Journal", source.removesuffix(".md"), title, **fields)


ORDERS = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]


async def _filed(desk: ProjectFixture, documents: Sequence[Document], order: Sequence[int]) -> None:
    for place in order:
        await desk.file(documents[place])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("target", "expected"),
    [("Carrier failover", "ops/failover"), ("failover", "ops/failover"), ("far/failover", "far/failover")],
)
async def test_of_equal_names_the_nearest_is_meant(
    desk: ProjectFixture, order: Sequence[int], target: str, expected: str
) -> None:
    documents = (
        note("far/failover.md", "Carrier failover"),
        note("ops/failover.md", "Carrier failover"),
        note("ops/notes/retry.md", "Retry", *claims(SUPERSEDES, target), created_at=day(2021)),
    )
    await _filed(desk, documents, order)
    assert await edges(desk) == {("ops/notes/retry", SUPERSEDES, expected)}
    assert await pending(desk) == set()
    flags = {hit.artifact.identifier: hit.annotation.superseded_by for hit in (await desk.ask(target)).hits}
    other = {"ops/failover": "far/failover", "far/failover": "ops/failover"}[expected]
    assert flags[other] is None
    assert flags[expected] is not None


@pytest.mark.parametrize("order", list(permutations(range(3)))[:4])
async def test_a_document_called_like_an_identifier_gives_way_to_it(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    """Whether the identifier, the title or the reference comes first."""
    documents = (
        note("journal/monday.md", "ADR-7"),
        adr(7, "Cache"),
        note("specs/cache.md", "Cache spec", *claims(IMPLEMENTS, "ADR-7")),
    )
    await _filed(desk, documents, order)
    assert await edges(desk) == {("specs/cache", IMPLEMENTS, "adr-7")}


async def test_what_is_parted_leaves_no_status_behind(desk: ProjectFixture) -> None:
    replaced = claims(SUPERSEDES, "SPEC-9")
    journal = await desk.file(note("journal/spec.md", "SPEC-9", status="Accepted", created_at=day(2020)))
    await desk.file(adr(3, "Third", references=replaced, created_at=day(2021)))
    assert await edges(desk) == {("adr-3", SUPERSEDES, "journal/spec")}
    await desk.file(Document("SPEC", "SPEC-9", "Streams", "Text.", created_at=day(2020)))
    assert await edges(desk) == {("adr-3", SUPERSEDES, "spec-9")}
    found = {hit.artifact.entity: hit.annotation for hit in (await desk.ask("SPEC-9")).hits}
    assert found[journal.entity.id].superseded_by is None
    assert found[journal.entity.id].flag == "CURRENT"


@pytest.mark.parametrize("target", ["SPEC-9", "ADR-7", "RFC 12"])
async def test_a_text_that_begins_with_an_identifier_is_not_called_so(
    desk: ProjectFixture, target: str
) -> None:
    stated = StatedDocument("ADR", f"## Implements\n\n{target}\n", identifier="ADR-60")
    document = document_from(stated, frozenset({"RFC"}))
    assert document.title == "ADR-60"
    await desk.file(document)
    assert await pending(desk) == {(target, False)}


async def test_a_file_is_found_by_its_name_from_any_folder(desk: ProjectFixture) -> None:
    linked = ReferenceClaim(RELATES_TO, "0010-use-postgres", path="0010-use-postgres.md")
    await desk.file(note("notes/today.md", "Today", *claims(RELATES_TO, "0010-use-postgres"), linked))
    assert {waits for waits, _ in await pending(desk)} == {"0010-use-postgres"}
    await desk.file(adr(10, "Use PostgreSQL", source_uri="docs/adr/0010-use-postgres.md"))
    assert await edges(desk) == {("notes/today", RELATES_TO, "adr-10")}
    assert await pending(desk) == set()


@pytest.mark.parametrize("order", ORDERS)
async def test_an_alias_that_two_list_means_neither_and_links_the_nearest(
    desk: ProjectFixture, order: Sequence[int]
) -> None:
    documents = (
        note("a/cluster.md", "Cluster A", props={"aliases": ["k8s"]}),
        note("b/cluster.md", "Cluster B", props={"aliases": ["K8S"]}),
        note("a/deep/use.md", "Use", *claims(RELATES_TO, "k8s")),
    )
    await _filed(desk, documents, order)
    assert await edges(desk) == {("a/deep/use", RELATES_TO, "a/cluster")}
    async with desk.reading() as connection:
        held = await connection.fetchval(
            "SELECT count(*) FROM alias JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1 AND retracted_at IS NULL",
            desk.project,
        )
    assert held == 0


async def test_a_withdrawn_reference_is_not_brought_back_by_what_arrives(desk: ProjectFixture) -> None:
    await desk.file(adr(7, "Cache"))
    filed = await desk.file(note("a/use.md", "Use", *claims(RELATES_TO, "ADR-7", "Queue")))
    (reference,) = filed.references
    service = ReferenceService(desk.memory.database)
    await service.withdraw(desk.memory.caller, reference.id)
    await desk.file(note("b/queue.md", "Queue"))
    await desk.file(note("a/queue.md", "Queue"))
    async with desk.reading() as connection:
        open_references = await connection.fetch(
            "SELECT target.key FROM reference JOIN entity AS target ON target.id = reference.target"
            " JOIN project ON project.project_id = reference.project_id"
            " WHERE project.key = $1 AND retracted_at IS NULL AND valid_until IS NULL",
            desk.project,
        )
    assert [row["key"] for row in open_references] == ["a/queue"]


RECORD = "decisions/ADR-041-kafka.md"


@pytest.mark.parametrize(
    "review", ["reviews/ADR-041-kafka-REVIEW.md", "notes/talk.md", "adr/ADR-041-kafka-2.md"]
)
@pytest.mark.parametrize("record_first", [True, False])
async def test_a_number_that_two_state_leads_to_both_and_the_better_fit_first(
    desk: ProjectFixture, review: str, record_first: bool
) -> None:
    """Whichever of them has the identifier, as after imports one by one."""
    first, second = (RECORD, review) if record_first else (review, RECORD)
    folder = second.partition("/")[0]
    await desk.file(adr(41, first, source_uri=first, identifier="ADR-041"))
    await desk.file(
        adr(41, second, source_uri=second, identifier=f"{folder}/ADR-041", stated_identifier="ADR-041")
    )
    user = await desk.file(note("specs/stream.md", "Streams", *claims(IMPLEMENTS, "ADR-041")))
    record, other = ("adr-41", f"{folder}/adr-41") if record_first else (f"{folder}/adr-41", "adr-41")
    assert await edges(desk) == {("specs/stream", IMPLEMENTS, record)}
    (warning,) = user.warnings
    assert warning.endswith(f"; joined with {record}, which fits it best")
    assert other in warning
    await desk.file(adr(30, "A series without folders", references=claims(IMPLEMENTS, "ADR-041")))
    assert ("adr-30", IMPLEMENTS, record) in await edges(desk)
    hits = (await desk.ask("ADR-041")).hits
    assert [hit.artifact.source_uri for hit in hits[:2]] == [RECORD, review]
