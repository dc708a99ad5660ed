"""A document with another identifier is the same document; the former identifier leads to it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.domain.entity import Caller, ReferenceType, Role
from app.domain.recall import StateFlag
from app.errors import Conflict, Forbidden, Invalid, NotFound
from app.services.catalog import RequestedMoment
from app.services.filing import FiledDocument
from app.services.filing.document_rename import RenameRequest
from app.services.importing import ImportRequest
from app.services.states import StateAnswer
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day, edges, hit_of, pending
from tests.things import make_thing

REFERENCES = ReferenceType.REFERENCES


async def rename(desk: ProjectFixture, filed: FiledDocument, identifier: str, **said: Any) -> StateAnswer:
    request = RenameRequest(identifier, filed.entity.id)
    return await desk.memory.renames.rename(desk.memory.caller, request, **said)


async def found(desk: ProjectFixture, name: str, as_of: datetime | None = None) -> UUID | None:
    named = await desk.memory.catalog.resolve_alias(
        desk.memory.caller, name, desk.project, RequestedMoment(as_of)
    )
    return None if named is None else named.entity.id


async def test_history_names_and_references_go_on(desk: ProjectFixture) -> None:
    queue, guide, _ = await desk.file_all(
        adr(7, "Queue", props={"aliases": ["Mole"]}),
        adr(8, "Guide", references=claims(REFERENCES, "ADR-7")),
        adr(9, "Hopes", references=claims(REFERENCES, "ADR-70")),
    )
    answer = await rename(desk, queue, " adr-0070 ")
    assert (answer.entity.id, answer.entity.key) == (queue.entity.id, "adr-70")
    assert (answer.event.event_type, answer.event.properties) == ("rename", ("identifier",))
    assert answer.state.props == queue.state.props | {"identifier": "adr-0070"}
    for name in ("ADR-70", "adr 7", "Mole", "Queue"):
        assert await found(desk, name) == queue.entity.id, name
    assert await found(desk, "ADR-7", day(2021)) == queue.entity.id
    assert await found(desk, "ADR-70", day(2021)) is None
    assert await edges(desk) == {("adr-8", "REFERENCES", "adr-70"), ("adr-9", "REFERENCES", "adr-70")}
    assert await pending(desk) == set()
    history = await desk.memory.states.history(desk.memory.caller, queue.entity)
    assert [held.props["identifier"] for held, _ in history.states] == ["ADR-7", "adr-0070"]
    hits = await desk.ask("adr 70", first=1)
    assert hits.hits[0].annotation.state is not None
    assert hits.hits[0].artifact.entity == queue.entity.id
    assert hits.hits[0].annotation.flag is StateFlag.CURRENT
    assert (await desk.ask("adr 7", first=1)).hits[0].artifact.entity == queue.entity.id
    assert hit_of(await desk.ask("guide"), "ADR-8").artifact.id == guide.artifact.id


async def test_a_past_answer_does_not_learn_the_new_identifier(desk: ProjectFixture) -> None:
    queue, _ = await desk.file_all(adr(7, "Queue"), adr(8, "Tray"))
    before = await desk.ask("ADR-7")
    await rename(desk, queue, "ADR-70")
    again = await desk.ask("ADR-7", as_of=before.as_of, known_at=before.known_at)
    assert [hit.artifact.id for hit in again.hits] == [hit.artifact.id for hit in before.hits]
    assert [anchor.surface_form for anchor in again.anchors] == ["ADR-7"]
    assert (await desk.ask("ADR-70", as_of=before.as_of, known_at=before.known_at)).anchors == ()


async def test_another_document_may_take_the_former_identifier(desk: ProjectFixture) -> None:
    queue, _ = await desk.file_all(
        adr(7, "Queue"),
        adr(8, "Guide", references=claims(REFERENCES, "ADR-7"), created_at=day(2021)),
    )
    await rename(desk, queue, "ADR-70")
    await desk.file(adr(9, "Between", references=claims(REFERENCES, "ADR-7"), created_at=day(2022)))
    gate = await desk.file(adr(7, "Gate", created_at=None))
    assert gate.created
    assert gate.entity.id != queue.entity.id
    assert "ADR-7 was the identifier of adr-70 before; this is another document" in gate.warnings
    own = {("adr-8", "REFERENCES", "adr-70"), ("adr-9", "REFERENCES", "adr-70")}
    assert await edges(desk) == own
    assert await found(desk, "ADR-7") == gate.entity.id
    assert await found(desk, "ADR-7", day(2021)) == queue.entity.id
    assert await found(desk, "ADR-70") == queue.entity.id
    # A later version of a document means what its earlier one meant; a new document means the new one.
    guide = adr(8, "Guide", "Longer.", references=claims(REFERENCES, "ADR-7"), created_at=None)
    await desk.file(guide)
    await desk.file(adr(10, "Late", references=claims(REFERENCES, "ADR-7"), created_at=None))
    own |= {("adr-10", "REFERENCES", "adr-7")}
    assert await edges(desk) == own
    # The second one leaves the identifier as well: nobody has it, and it leads to the one that had it last.
    await rename(desk, gate, "ADR-72")
    assert await found(desk, "ADR-7") == gate.entity.id
    assert await found(desk, "ADR-7", day(2021)) == queue.entity.id
    await desk.file(adr(11, "Later", references=claims(REFERENCES, "ADR-7"), created_at=None))
    own = {(*edge[:2], "adr-72" if edge[2] == "adr-7" else edge[2]) for edge in own}
    assert await edges(desk) == own | {("adr-11", "REFERENCES", "adr-72")}


async def test_the_same_text_or_source_is_not_a_second_document(desk: ProjectFixture) -> None:
    said: dict[str, Any] = {"source_uri": "adr/7.md", "created_at": None}
    queue = await desk.file(adr(7, "Queue", **said))
    await rename(desk, queue, "ADR-70")
    same = await desk.file(adr(7, "Queue", **said))
    assert (same.created, same.entity.id) == (False, queue.entity.id)
    for _ in range(2):
        edited = await desk.file(adr(7, "Queue", "Longer.", **said))
        assert edited.entity.id == queue.entity.id
        assert edited.state.props["identifier"] == "ADR-70"
    assert not edited.created
    assert await found(desk, "ADR-70") == await found(desk, "ADR-7") == queue.entity.id


async def test_a_rename_joins_what_supersedes_by_the_new_identifier(desk: ProjectFixture) -> None:
    queue, _ = await desk.file_all(
        adr(7, "Queue"), adr(8, "Tray", created_at=day(2021), references=claims(SUPERSEDES, "ADR-70"))
    )
    assert hit_of(await desk.ask("queue"), "ADR-7").annotation.flag is StateFlag.CURRENT
    await rename(desk, queue, "ADR-70")
    assert hit_of(await desk.ask("queue"), "ADR-7").annotation.flag is StateFlag.HISTORICAL


async def test_a_document_may_be_renamed_often_and_back(desk: ProjectFixture) -> None:
    queue = await desk.file(adr(7, "Queue"))
    names = ("ADR-70", "plans/queue", "ADR-7", "ADR-71")
    moments = [(await rename(desk, queue, name)).state.valid.start for name in names]
    for moment, name in zip(moments, names, strict=True):
        assert await found(desk, name, moment) == queue.entity.id
    assert await found(desk, "ADR-71", moments[2]) is None
    for name in ("ADR-7", "ADR-70", "plans/queue", "ADR-71"):
        assert await found(desk, name) == queue.entity.id, name
    again = await desk.file(adr(7, "Queue"))
    assert (again.created, again.entity.id) == (False, queue.entity.id)


async def test_what_cannot_be_renamed_stays(desk: ProjectFixture) -> None:
    memory, caller = desk.memory, desk.memory.caller
    queue, tray = await desk.file_all(adr(7, "Queue", props={"aliases": ["Mole"]}), adr(8, "Tray"))
    thing = await make_thing(desk, "Harbor")
    refused: list[tuple[RenameRequest, type[Exception], str]] = [
        (RenameRequest("adr 8", queue.entity.id), Conflict, "another document"),
        (RenameRequest("ADR-0007", queue.entity.id), Conflict, "already"),
        (RenameRequest("Mole", tray.entity.id), Conflict, "alias of another"),
        (RenameRequest("  ", queue.entity.id), Invalid, "identifier has"),
        (RenameRequest("ADR\x00-9", queue.entity.id), Invalid, "identifier has"),
        (RenameRequest("A" * 257, queue.entity.id), Invalid, "256"),
        (RenameRequest("ADR-9", uuid4()), NotFound, "no entity"),
        (RenameRequest("ADR-9", artifact=uuid4()), NotFound, "no artifact"),
        (RenameRequest("ADR-9"), Invalid, "either"),
        (RenameRequest("ADR-9", queue.entity.id, queue.artifact.id), Invalid, "either"),
        (RenameRequest("ADR-9", UUID(str(thing))), Invalid, "no identifier"),
    ]
    async with desk.reading() as connection:
        before = await connection.fetchval("SELECT count(*) FROM document_name")
    for request, error, says in refused:
        with pytest.raises(error, match=says):
            await memory.renames.rename(caller, request)
    reader = Caller(caller.tenant, Role.READER, "reader")
    with pytest.raises(Forbidden):
        await memory.renames.rename(reader, RenameRequest("ADR-9", queue.entity.id))
    async with desk.reading() as connection:
        assert await connection.fetchval("SELECT count(*) FROM document_name") == before
    assert await found(desk, "ADR-7") == queue.entity.id


async def test_the_same_request_gives_the_first_answer(desk: ProjectFixture) -> None:
    queue = await desk.file(adr(7, "Queue"))
    first = await rename(desk, queue, "ADR-70", idempotency_key="once")
    assert await rename(desk, queue, "ADR-70", idempotency_key="once") == first


async def test_a_folder_does_not_miss_the_file_of_a_renamed_document(
    desk: ProjectFixture, tmp_path: Path
) -> None:
    file = tmp_path / "ADR-7.md"
    file.write_text("# ADR-7: Queue\n\nWe queue.\n")
    (tmp_path / "ADR-8.md").write_text("# ADR-8: Clock\n\nAn emptied folder would end nothing.\n")
    request = ImportRequest((tmp_path,), desk.project, prunes=True)
    run = desk.memory.imports.run
    assert (await run(desk.memory.caller, request)).filed == 2
    queue = await found(desk, "ADR-7")
    assert queue is not None
    await desk.memory.renames.rename(desk.memory.caller, RenameRequest("ADR-70", queue))
    same = await run(desk.memory.caller, request)
    assert (same.filed, same.unchanged, same.removed) == (0, 2, [])
    file.write_text("# ADR-7: Queue\n\nWe queue everything.\n")
    edited = await run(desk.memory.caller, request)
    assert (edited.filed, edited.removed) == (1, [])
    assert await found(desk, "ADR-70") == await found(desk, "ADR-7") == queue
    file.unlink()
    assert (await run(desk.memory.caller, request)).removed == ["ADR-7.md"]
    assert await found(desk, "ADR-70") is None
    assert await found(desk, "ADR-7") is None
