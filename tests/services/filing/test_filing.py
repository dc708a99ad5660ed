"""One document, filed: new, again, changed, refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from app.domain.artifact import AliasClaim, FactClaim, MemoryDomain, Quote
from app.domain.entity import Caller, Role
from app.domain.recall import StateFlag
from app.domain.temporal import Branch
from app.errors import Conflict, Forbidden, Invalid
from app.services.container import Memory
from app.services.filing import StatedDocument, document_from
from app.stores.postgres import projects, states
from tests.documents import RELATES_TO, ProjectFixture, adr, claims, day, file, identifiers
from tests.ledger import contents

QUEUE = "Workers read one queue"


async def _versions(desk: ProjectFixture, entity: UUID) -> list[tuple[datetime, datetime | None, Any]]:
    async with desk.reading() as connection:
        held = await states.current_states(connection, desk.tenant, entity, Branch.COMMITTED)
    return [(state.valid.start, state.valid.end, state.props.get("summary")) for state in held]


async def test_a_new_document_is_there_whole(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, QUEUE, author="Ada", domain=MemoryDomain.DECISION, source_uri="adr/1.md"))
    artifact = filed.artifact
    assert filed.created
    assert (artifact.kind, artifact.identifier, artifact.title) == ("ADR", "ADR-1", QUEUE)
    assert (artifact.author, artifact.domain, artifact.source_uri) == ("Ada", "DECISION", "adr/1.md")
    assert artifact.created_at == filed.entity.created_at == filed.state.valid.start == day(2020)
    assert (artifact.entity, filed.entity.source_artifact) == (filed.entity.id, artifact.id)
    assert filed.entity.key == "adr-1"
    assert filed.state.valid.end is None
    assert filed.state.actor == "ada"
    assert filed.state.props == {
        "identifier": "ADR-1",
        "title": QUEUE,
        "status": "Accepted",
        "author": "Ada",
    }
    assert filed.position is not None
    assert filed.warnings == ()


async def test_an_undated_document_dates_from_its_filing(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, QUEUE, created_at=None))
    assert filed.artifact.created_at == filed.artifact.recorded_at
    assert identifiers(await desk.ask("queue")) == ["ADR-1"]


async def test_the_same_again_changes_nothing_and_says_so(desk: ProjectFixture) -> None:
    document = adr(1, QUEUE, props={"aliases": ["The queue"]}, references=claims(RELATES_TO, "ADR-2"))
    first = await desk.file(document)
    async with desk.reading() as connection:
        before = await contents(connection)
        again = await desk.file(replace(document, source_uri="elsewhere.md", source_commit="abc"))
        assert await contents(connection) == before
    assert not again.created
    assert (again.artifact, again.entity, again.state.id) == (first.artifact, first.entity, first.state.id)


async def test_another_tenant_of_content_is_not_the_same(desk: ProjectFixture, shared_memory: Memory) -> None:
    first = await desk.file(adr(1, QUEUE))
    other = await file(shared_memory, adr(1, QUEUE), f"{desk.project}-other")
    assert other.created
    assert other.entity.id != first.entity.id


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("retention is 5 days", "retention is 6 days", id="IDM-02"),
        pytest.param("retention is 5 days", "retention is 5 days.", id="IDM-02 a full stop"),
        pytest.param("Retention IS 5 days", "Retention is 5 days", id="IDM-02 case"),
        pytest.param("5 days\n\n    of code", "5 days\n\n   of code", id="IDM-02 an indent"),
        pytest.param("x " * 4_000 + "5", "x " * 4_000 + "6", id="IDM-02 at the end of much"),
        pytest.param("---\nsummary: 5\n---\nx", "---\nsummary: 6\n---\nx", id="IDM-02 a property"),
    ],
)
async def test_what_differs_by_one_character_is_a_version(
    desk: ProjectFixture, before: str, after: str
) -> None:
    first, second, again = [
        await desk.file(document_from(StatedDocument("ADR", body, "ADR-5", "Retention")))
        for body in (before, after, after)
    ]
    assert (first.created, second.created, again.created) == (True, True, False)
    assert second.state.id != first.state.id
    assert len(await _versions(desk, first.entity.id)) == 2
    current = [
        hit.artifact.id
        for hit in (await desk.ask("retention")).hits
        if hit.annotation.flag is StateFlag.CURRENT
    ]
    assert current == [second.artifact.id]


async def test_a_changed_document_moves_the_state_and_keeps_the_older_one(desk: ProjectFixture) -> None:
    first = await desk.file(adr(1, "Retention", "Retention is 5 days."))
    second = await desk.file(
        adr(1, "Retention", "Retention is 6 days.", status="Final", created_at=day(2021))
    )
    assert second.created
    assert second.entity.id == first.entity.id
    assert second.artifact.id != first.artifact.id
    newer, older = (await desk.ask("retention days")).hits
    assert (newer.artifact.id, newer.annotation.flag) == (second.artifact.id, StateFlag.CURRENT)
    assert (older.artifact.id, older.annotation.flag) == (first.artifact.id, StateFlag.HISTORICAL)
    assert older.annotation.summary == "[historical: ADR-1 has a newer version]"
    then = await desk.ask("retention days", as_of=day(2020, 6))
    assert [(hit.artifact.id, hit.annotation.flag) for hit in then.hits] == [
        (first.artifact.id, StateFlag.CURRENT)
    ]


async def test_a_text_asserted_again_is_true_again_from_then_on(desk: ProjectFixture) -> None:
    """TIM-18: history has three states, the last says what the first said."""
    texts = {2020: "port 80", 2021: "port 90", 2022: "port 80"}
    filed = [
        await desk.file(adr(1, "Port", text, created_at=day(year), props={"summary": text}))
        for year, text in texts.items()
    ]
    assert all(document.created for document in filed)
    assert await _versions(desk, filed[0].entity.id) == [
        (day(2020), day(2021), "port 80"),
        (day(2021), day(2022), "port 90"),
        (day(2022), None, "port 80"),
    ]
    result = await desk.ask("port 80")
    current = [hit.artifact.id for hit in result.hits if hit.annotation.flag is StateFlag.CURRENT]
    assert current == [filed[2].artifact.id]


async def test_versions_of_one_date_follow_each_other(desk: ProjectFixture) -> None:
    """TIM-11, TIM-12: every version is reachable, at a moment of its own."""
    filed = [await desk.file(adr(1, "Port", text)) for text in ("one", "two", "three")]
    starts = [document.artifact.created_at for document in filed]
    assert starts == sorted(set(starts))
    for document in filed:
        then = await desk.ask("port", as_of=document.artifact.created_at)
        current = [hit.artifact.id for hit in then.hits if hit.annotation.flag is StateFlag.CURRENT]
        assert current == [document.artifact.id]


async def test_a_date_in_the_future_set_right_is_filed_once(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Port", created_at=day(2091)))
    corrected = await desk.file(adr(1, "Port", created_at=day(2021)))
    assert corrected.created
    assert not (await desk.file(adr(1, "Port", created_at=day(2021)))).created
    assert (await desk.file(adr(1, "Port", created_at=day(2092)))).created
    assert len((await desk.ask("port", as_of=day(2099))).hits) == 3


async def test_an_identifier_never_changes(desk: ProjectFixture) -> None:
    """Another spelling of it is the same document."""
    first = await desk.file(adr(7, "Port", "one"))
    again = await desk.file(adr(7, "Port", "two", identifier="adr-0007"))
    assert again.entity.id == first.entity.id
    assert again.state.props["identifier"] == "ADR-7"
    assert again.artifact.identifier == "adr-0007"


async def test_without_identifier_the_source_decides_and_without_source_the_content(
    desk: ProjectFixture,
) -> None:
    sourced = adr(1, "Port", identifier=None, source_uri="notes/port.md")
    bare = adr(1, "Port", identifier=None)
    filed = [
        await desk.file(document)
        for document in (sourced, replace(sourced, body="changed"), bare, bare, replace(bare, body="other"))
    ]
    ids = [document.entity.id for document in filed]
    assert ids[0] == ids[1]
    assert ids[2] == ids[3]
    assert len(set(ids)) == 3
    assert [document.created for document in filed] == [True, True, True, False, True]


async def test_an_unknown_kind_is_refused_with_the_kinds_there_are(desk: ProjectFixture) -> None:
    with pytest.raises(Invalid, match="there is no kind Song; the kinds are ADR, Delta") as refused:
        await desk.file(adr(1, QUEUE, kind="Song"))
    assert refused.value.field == "kind"
    assert refused.value.message.endswith("defineType(isDocument: true) defines another")
    with pytest.raises(Invalid, match="component is not a document type; use createEntity for it"):
        await desk.file(adr(1, QUEUE, kind="component"))
    async with desk.reading() as connection:
        assert await projects.project_by_key(connection, desk.tenant, desk.project) is None


async def test_an_import_defines_a_kind_with_the_headers_it_meets(desk: ProjectFixture) -> None:
    memory = desk.memory
    song = adr(1, QUEUE, kind="Song", identifier="SONG-1", props={"melody": "minor"})
    filed = await memory.filing.file(memory.caller, song, desk.project, defines_kinds=True)
    assert filed.warnings == (f"defined the kind Song in project {desk.project}",)
    assert filed.state.props["melody"] == "minor"
    widened = replace(song, body="again", kind="song", props={"melody": "major", "tempo": 90})
    again = await memory.filing.file(memory.caller, widened, desk.project, defines_kinds=True)
    assert again.entity.id == filed.entity.id
    assert again.state.props["tempo"] == 90
    assert again.artifact.kind == "Song"
    with pytest.raises(Invalid, match="there is no kind Song"):
        await file(memory, song, f"{desk.project}-other")


async def test_a_header_its_type_does_not_allow_is_left_out_with_a_warning(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, QUEUE, props={"melody": "minor", "tags": ["queue"]}))
    assert "melody" not in filed.state.props
    assert filed.state.props["tags"] == ["queue"]
    assert "left out header melody: ADR has only identifier, title" in filed.warnings[0]
    kept = await desk.file(adr(2, QUEUE, props={"melody": "minor"}, meta={"melody": "minor"}))
    assert (kept.warnings, kept.artifact.meta) == ((), {"melody": "minor"})


async def test_an_identifier_of_another_kind_conflicts(desk: ProjectFixture) -> None:
    await desk.file(adr(1, QUEUE))
    with pytest.raises(Conflict, match="ADR-1 has the type ADR in this project already") as refused:
        await desk.file(adr(1, QUEUE, kind="SPEC"))
    assert refused.value.field == "kind"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("identifier", {"identifier": "A" * 257}),
        ("title", {"title": "t" * 1025}),
        ("sourceUri", {"source_uri": "u" * 4097}),
        ("kind", {"kind": " "}),
        ("body", {"title": " ", "body": "\n\t"}),
        ("body", {"body": "é" * (16 * 1024 * 1024 + 1)}),
    ],
)
async def test_what_is_beyond_a_limit_is_refused_and_named(
    desk: ProjectFixture, field: str, said: dict[str, str]
) -> None:
    with pytest.raises(Invalid) as refused:
        await desk.file(replace(adr(1, QUEUE), **said))  # type: ignore[arg-type]
    assert refused.value.field == field


@pytest.mark.parametrize("project", [" ", "p" * 129])
async def test_a_project_key_has_limits_too(desk: ProjectFixture, project: str) -> None:
    with pytest.raises(Invalid) as refused:
        await file(desk.memory, adr(1, QUEUE), project)
    assert refused.value.field == "project"


async def test_what_lies_at_a_limit_is_filed(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "t" * 1024, identifier="i" * 256, source_uri="u" * 4096))
    assert filed.created


async def test_a_project_is_found_under_any_spelling(desk: ProjectFixture) -> None:
    await desk.file(adr(1, QUEUE))
    again = await file(desk.memory, adr(1, QUEUE), f"  {desk.project.upper()} ")
    assert not again.created


async def test_a_reader_files_nothing(desk: ProjectFixture) -> None:
    reader = Caller(desk.tenant, Role.READER, "eve")
    with pytest.raises(Forbidden):
        await desk.memory.filing.file(reader, adr(1, QUEUE), desk.project)


async def test_claims_in_the_text_wait_for_review(desk: ProjectFixture) -> None:
    document = adr(
        1,
        QUEUE,
        alias_claims=(AliasClaim("The big queue", "ADR-1", Quote("formerly known as The big queue", 3)),),
        fact_claims=(FactClaim("status", "Retired", Quote("status is now Retired", 40)),),
    )
    filed = await desk.file(document)
    assert filed.candidates == 2
    async with desk.reading() as connection:
        waiting = await connection.fetch(
            "SELECT status FROM alias_candidate WHERE entity = $1"
            " UNION ALL SELECT status FROM fact_candidate WHERE entity = $1",
            filed.entity.id,
        )
    assert [row["status"] for row in waiting] == ["PENDING", "PENDING"]
    assert (await desk.ask("the big queue")).anchors == ()


async def test_the_case_of_a_kind_makes_no_version(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "Queue"))
    assert not (await desk.file(adr(1, "Queue", kind="adr"))).created


async def test_a_status_nobody_knows_is_warned_about(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Queue", status="Acccepted"))
    assert filed.warnings == ("unknown status Acccepted; the document gets no flag",)


@pytest.mark.parametrize("date", [day(2020), day(2021), day(2021, 6)])
async def test_a_version_with_an_earlier_date_counts_from_now_and_says_so(
    desk: ProjectFixture, date: datetime
) -> None:
    """Unless its document begins at this date now."""
    await desk.file(adr(1, "Queue", created_at=day(2021)))
    await desk.file(adr(1, "Queue", "Longer.", created_at=day(2022)))
    again = await desk.file(adr(1, "Queue", "Otherwise.", created_at=date))
    assert again.artifact.created_at == again.artifact.recorded_at
    assert (again.artifact.date, again.artifact.is_undated) == (date, False)
    assert (await desk.ask("Otherwise")).hits[0].artifact == again.artifact
    assert again.entity.created_at == min(date, day(2021))
    said = f"valid from now: its date {date.date()} is not after the date of the former version"
    assert again.warnings == ((said,) if date >= day(2021) else ())
