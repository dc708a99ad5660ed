"""A request that comes again under its key: by what it is known, and that it is carried out once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from app.domain.entity import Caller, Role
from app.domain.numbers import ProjectNumber, TenantNumber
from app.errors import Conflict
from app.services.container import Memory
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.states import Sealing
from app.services.unit_of_work import UnitOfWork

ID = UUID(int=1)
ADA = Caller(TenantNumber(1), Role.HUMAN, "ada")


@dataclass(frozen=True, slots=True)
class FormerSealing:
    """What sealing a draft took before somebody could say which state they expect."""

    props: dict[str, Any]
    event_type: str = "wip_sealed"


def fingerprint(**arguments: Any) -> str:
    request = idempotent_request(ADA, "verb", "key", **arguments)
    assert request is not None
    return request.fingerprint


def test_callers_of_two_projects_share_no_key() -> None:
    """They may have one name, and an answer tells what was written."""
    callers = [replace(ADA, project=project) for project in (None, ProjectNumber(1), ProjectNumber(2))]
    requests = [idempotent_request(caller, "verb", "key") for caller in callers]
    assert len({request.actor for request in requests if request is not None}) == 3


def test_an_argument_that_is_not_given_is_none() -> None:
    assert fingerprint(state=ID, reason=None) == fingerprint(state=ID)
    assert fingerprint(state=ID, reason="why") != fingerprint(state=ID)


def test_a_verb_that_learns_of_another_argument_knows_its_keys_again() -> None:
    former = fingerprint(state=ID, sealing=FormerSealing({"status": "a"}))
    assert fingerprint(state=ID, sealing=Sealing({"status": "a"})) == former
    assert fingerprint(state=ID, sealing=Sealing({"status": "a"}, expected=ID)) != former


def test_a_property_that_is_taken_away_is_given() -> None:
    assert fingerprint(sealing=Sealing({"status": None})) != fingerprint(sealing=Sealing({}))


def test_what_no_store_keeps_is_one_with_what_stands_for_it() -> None:
    assert fingerprint(reason="\ud800") == fingerprint(reason="\ufffd")


def test_nothing_else_can_be_an_argument() -> None:
    with pytest.raises(TypeError):
        fingerprint(reason={1, 2})


async def test_a_write_under_a_key_is_carried_out_once(memory: Memory) -> None:
    carried_out: list[str] = []

    async def restore(
        connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
    ) -> str:
        return f"{response['said']} again"

    saved = SavedAnswer(lambda answer: {"said": answer}, restore)

    async def write(said: str, key: str | None = "key", *, fails: bool = False) -> str:
        async def carry_out(_: UnitOfWork) -> str:
            carried_out.append(said)
            if fails:
                raise Conflict("the write is refused")
            return said

        request = idempotent_request(memory.caller, "say", key, said=said)
        return await write_once(memory.database, memory.caller, request, saved, carry_out)

    with pytest.raises(Conflict, match="is refused"):
        await write("a", fails=True)
    assert [await write("a"), await write("a")] == ["a", "a again"]
    with pytest.raises(Conflict, match="this idempotency key was used with other input before"):
        await write("b")
    assert [await write("a", None), await write("a", "another")] == ["a", "a"]
    assert carried_out == ["a", "a", "a", "a"]
