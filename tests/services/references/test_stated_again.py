"""References that are stated again: after a withdrawal, in pieces, and by documents."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from app.domain.entity import ReferenceType
from tests.documents import SUPERSEDES, ProjectFixture, adr, claims, day
from tests.graphql.api import Api
from tests.graphql.test_create_reference import about, create, status
from tests.graphql.test_withdraw_reference import withdraw
from tests.things import make_thing


async def _joined(desk: ProjectFixture, entity: UUID, at: datetime | None = None) -> list[str]:
    """Return the ids of the references of an entity at an instant."""
    return [node["id"] for node in (await about(desk, entity, at))["references"]["nodes"]]


@pytest.mark.parametrize("since", [None, "2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"])
async def test_what_was_withdrawn_and_is_stated_again_holds_from_then_on(
    desk: ProjectFixture, since: str | None
) -> None:
    api = Api(desk.memory)
    one, other = await make_thing(desk, "Service"), await make_thing(desk, "Queue")
    first = (await create(api, one, "DEPENDS_ON", other, validFrom="2021-01-01T00:00:00Z"))["reference"]
    ended = (await withdraw(api, first["id"]))["reference"]
    again = await create(api, one, "DEPENDS_ON", other, validFrom=since)
    assert again["problems"] == []
    assert again["position"] is not None
    assert again["reference"]["withdrawal"] is again["reference"]["validUntil"] is None
    assert again["reference"]["validFrom"] >= ended["validUntil"]
    assert await _joined(desk, one) == [again["reference"]["id"]]
    assert await _joined(desk, one, day(2022)) == [ended["id"]]
    assert (await create(api, one, "DEPENDS_ON", other, validFrom=since))["reference"] == again["reference"]


async def test_what_superseded_and_is_stated_again_supersedes_again(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old, new = await make_thing(desk, "Old", status="Active"), await make_thing(desk, "New")
    said = {"validFrom": "2022-01-01T00:00:00Z"}
    first = (await create(api, new, "SUPERSEDES", old, **said))["reference"]
    await withdraw(api, first["id"])
    assert await status(desk, old) == "Active"
    again = (await create(api, new, "SUPERSEDES", old, **said))["reference"]
    assert await status(desk, old) == "superseded"
    assert (await about(desk, old))["supersededBy"] == {"id": str(new)}
    await withdraw(api, again["id"])
    assert [await status(desk, old, at) for at in (None, day(2021))] == ["Active", "Active"]


@pytest.mark.parametrize("kind", ["DEPENDS_ON", "SUPERSEDES"])
@pytest.mark.parametrize("days_ago", [0, 1, None])
async def test_a_document_that_states_again_what_was_withdrawn_is_heard(
    desk: ProjectFixture, kind: str, days_ago: int | None
) -> None:
    """Whatever the date of the version: it was filed after the withdrawal."""
    stated = claims(ReferenceType(kind), "ADR-1")
    old = await desk.file(adr(1, "Queue"))
    new = await desk.file(adr(2, "Stream", created_at=day(2021), references=stated))
    await withdraw(Api(desk.memory), str(new.references[0].id))
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    dated = None if days_ago is None else today - timedelta(days=days_ago)
    filed = await desk.file(adr(2, "Stream", "Again.", created_at=dated, references=stated))
    assert len(filed.references) == 1
    assert await _joined(desk, new.entity.id) == [str(filed.references[0].id)]
    assert await status(desk, old.entity.id) == ("superseded" if kind == "SUPERSEDES" else "Accepted")


async def test_a_supersession_stated_in_two_steps_is_withdrawn_as_one(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old, new = await make_thing(desk, "Old", status="Active"), await make_thing(desk, "New")
    await create(api, new, "SUPERSEDES", old, validFrom="2999-01-01T00:00:00Z")
    both = (await create(api, new, "SUPERSEDES", old))["reference"]
    assert both["validUntil"] is None
    await withdraw(api, both["id"])
    for moment in (None, day(2999, 6)):
        assert await status(desk, old, moment) == "Active"
        assert (await about(desk, old, moment))["supersededBy"] is None


@pytest.mark.parametrize("withdrawn", ["earlier", "later"])
async def test_what_a_document_states_too_ends_with_it(desk: ProjectFixture, withdrawn: str) -> None:
    api = Api(desk.memory)
    old = (await desk.file(adr(1, "Queue"))).entity.id
    new = await desk.file(adr(2, "Stream", created_at=day(2022), references=claims(SUPERSEDES, "ADR-1")))
    early = await desk.file(adr(2, "Stream", "Dropped.", created_at=day(2023)))
    assert early.references == ()
    written = await create(api, new.entity.id, "SUPERSEDES", old, validFrom="2999-01-01T00:00:00Z")
    now = await desk.file(adr(2, "Stream", "Anew.", references=claims(SUPERSEDES, "ADR-1"), created_at=None))
    assert now.references[0].valid.end == day(2999)
    pieces = {"earlier": str(now.references[0].id), "later": written["reference"]["id"]}
    await withdraw(api, pieces[withdrawn])
    ends = {"earlier": (None, day(2999, 6)), "later": (day(2999, 6),)}
    for moment in ends[withdrawn]:
        assert await status(desk, old, moment) == "Accepted"
        assert (await about(desk, old, moment))["supersededBy"] is None
    assert (await status(desk, old) == "superseded") is (withdrawn == "later")


async def test_what_something_else_supersedes_later_is_current_only_until_then(desk: ProjectFixture) -> None:
    api = Api(desk.memory)
    old = await make_thing(desk, "Old", status="Active")
    new, newer = await make_thing(desk, "New"), await make_thing(desk, "Newer")
    first = (await create(api, new, "SUPERSEDES", old))["reference"]
    await create(api, newer, "SUPERSEDES", old, validFrom="2999-01-01T00:00:00Z")
    await withdraw(api, first["id"])
    assert [await status(desk, old, at) for at in (None, day(2998), day(2999))] == [
        "Active",
        "Active",
        "superseded",
    ]
    assert (await about(desk, old, day(2999)))["supersededBy"] == {"id": str(newer)}
