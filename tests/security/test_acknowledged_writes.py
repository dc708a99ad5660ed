"""A write that was committed is answered as one, whatever is lost right after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.errors import Invalid, Unavailable
from app.graphql.errors import client_error
from app.services.entities import CanonicalService
from app.services.filing import batch_writer
from app.services.importing import ImportRequest
from app.stores.postgres.pool import Database
from tests.conftest import Server, memory_on
from tests.graphql.api import Api
from tests.ledger import contents
from tests.security.cut_off import CutOff, Loss, empty_the_pool, let_in, opened_cut_off, stop_the_server
from tests.security.verbs import PREPARED, VERBS, operation
from tests.stores.postgres.test_pool import ADD_ENTITY, ADD_PROJECT

BOTH = """
mutation {
  createEntity(input: { type: "Component", props: { name: "Beacon" } }) { position }
  defineType(input: { name: "Gadget" }) { position }
}
"""


@dataclass(frozen=True)
class Scene:
    """The API on a ledger that can be lost, and a way in that stays."""

    api: Api
    database: CutOff
    owner: asyncpg.Connection
    server: Server
    url: str

    def loss(self, sort: str) -> Loss:
        """Return what befalls the ledger."""
        return empty_the_pool if sort == "empty pool" else stop_the_server(self.server, self.url)

    async def recover(self) -> None:
        """Let the service have its ledger again."""
        await self.database.emptied.aclose()
        await let_in(self.server, self.url, is_open=True)


@pytest.fixture
async def scene(
    server: Server, database_url: str, owner: asyncpg.Connection, embedder: Embedder, tenant: TenantNumber
) -> AsyncIterator[Scene]:
    async with opened_cut_off(database_url) as database:
        api = Api(memory_on(database, embedder, tenant))
        yield Scene(api, database, owner, server, database_url)


def test_every_verb_is_tried_here() -> None:
    assert sorted(PREPARED) == VERBS


@pytest.mark.parametrize("sort", ["empty pool", "stopped server"])
@pytest.mark.parametrize("verb", VERBS)
async def test_what_a_write_left_is_answered_without_the_ledger(scene: Scene, verb: str, sort: str) -> None:
    said = await PREPARED[verb](scene.api) | {"idempotencyKey": "once"}
    before = await kept(scene.owner)
    scene.database.loss = scene.loss(sort)
    answer = await scene.api.ask(operation(verb, is_plain=True), input=said)
    assert_written(answer[verb])
    await scene.recover()
    written = await kept(scene.owner)
    assert written != before
    assert await scene.api.ask(operation(verb, is_plain=True), input=said) == answer
    assert await kept(scene.owner) == written


@pytest.mark.parametrize("verb", VERBS)
async def test_what_cannot_be_read_for_an_answer_hides_no_write(scene: Scene, verb: str) -> None:
    said = await PREPARED[verb](scene.api)
    scene.database.loss = empty_the_pool
    result = await scene.api.run(operation(verb, 3), input=said)
    assert result.data is not None
    assert_written(result.data[verb])
    for error in result.errors or ():
        assert client_error(error)["extensions"]["code"] == "UNAVAILABLE"
        assert error.path is not None
        assert len(error.path) > 2


async def test_a_failure_hides_no_answer_beside_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(CanonicalService, "define_type", fail)
    result = await scene.api.run(BOTH)
    assert result.errors
    assert result.data is not None
    assert result.data["createEntity"]["position"] is not None
    assert result.data["defineType"] is None


@pytest.mark.parametrize("is_kept", [True, False])
async def test_a_commit_that_breaks_off_says_that_nobody_knows(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    said = await PREPARED["createEntity"](scene.api) | {"idempotencyKey": "once"}
    with commits_breaking_off(monkeypatch, is_kept=is_kept):
        answer = await scene.api.ask(operation("createEntity"), input=said)
    (problem,) = answer["createEntity"]["problems"]
    assert problem["code"] == "UNAVAILABLE"
    assert "it is unknown whether the write was saved" in problem["message"]
    assert "idempotencyKey" in problem["message"]
    assert await scene.owner.fetchval("SELECT count(*) FROM entity") == int(is_kept)
    assert_written((await scene.api.ask(operation("createEntity"), input=said))["createEntity"])
    assert await scene.owner.fetchval("SELECT count(*) FROM entity") == 1


async def test_a_rule_that_is_broken_at_commit_is_no_unknown_outcome(
    database: Database, tenant: TenantNumber
) -> None:
    async def write() -> None:
        async with database.writing(tenant) as connection:
            await connection.execute(ADD_PROJECT, tenant)
            await connection.execute(ADD_ENTITY, tenant)

    with pytest.raises(Invalid):
        await write()


async def test_a_connection_that_cannot_be_given_back_hides_no_write(
    database: Database, owner: asyncpg.Connection, tenant: TenantNumber, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(asyncpg.pool.Pool, "release", fail)
    async with database.writing(tenant) as connection:
        await connection.execute(ADD_PROJECT, tenant)
    monkeypatch.undo()
    assert await owner.fetchval("SELECT count(*) FROM project") == 1


@pytest.mark.parametrize("step", ["require_model", "prefetch", "write_document"])
async def test_a_connection_lost_while_rows_are_collected_is_unavailable(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    done = getattr(batch_writer, step)

    async def lose(*given: Any, **named: Any) -> Any:
        result = await done(*given, **named)
        connection = given[0] if step == "require_model" else given[0].connection
        await end_session(scene.owner, connection)
        return result

    before = await kept(scene.owner)
    monkeypatch.setattr(batch_writer, step, lose)
    answer = await scene.api.file("A text.", identifier="ADR-4", idempotencyKey="once")
    (problem,) = answer["problems"]
    assert problem["code"] == "UNAVAILABLE"
    assert answer["created"] is False
    assert await kept(scene.owner) == before
    monkeypatch.undo()
    assert (await scene.api.file("A text.", identifier="ADR-4", idempotencyKey="once"))["created"]


async def end_session(owner: asyncpg.Connection, connection: asyncpg.Connection) -> None:
    """End a session and return once its client knows, so that the pool has taken the connection back."""
    is_over = asyncio.Event()
    connection.add_termination_listener(lambda _: is_over.set())
    await owner.execute("SELECT pg_terminate_backend($1)", connection.get_server_pid())
    async with asyncio.timeout(10):
        await is_over.wait()


async def test_an_import_tells_what_it_filed_before_the_ledger_went(scene: Scene, tmp_path: Path) -> None:
    assert (await scene.api.file("Another kind.", kind="SPEC", identifier="ADR-4"))["created"]
    for number in range(1, 5):
        (tmp_path / f"ADR-{number}.md").write_text(f"# ADR-{number}: Poll\n\nText {number}.\n")
    memory = scene.api.memory
    importing = replace(memory, import_width=4).imports
    scene.database.loss = scene.loss("stopped server")
    with pytest.raises(
        Unavailable, match="; 2 documents were filed before that: run the import again to continue"
    ):
        await importing.run(memory.caller, ImportRequest((tmp_path,), None, "ADR"))
    assert await scene.owner.fetchval("SELECT count(*) FROM artifact") == 3


@contextmanager
def commits_breaking_off(patch: pytest.MonkeyPatch, *, is_kept: bool) -> Iterator[None]:
    """Break the connection in the middle of a commit: before the server has it, or once it is kept."""
    execute = asyncpg.Connection.execute

    async def break_off(connection: asyncpg.Connection, query: str, *given: Any, **named: Any) -> Any:
        if not query.startswith("COMMIT"):
            return await execute(connection, query, *given, **named)
        if is_kept:
            await execute(connection, query, *given, **named)
        connection._protocol.abort()
        await asyncio.sleep(0)
        raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")

    with patch.context() as patched:
        patched.setattr(asyncpg.Connection, "execute", break_off)
        yield


async def kept(owner: asyncpg.Connection) -> dict[str, str]:
    """Return what the ledger holds, but for the clock, which moves whenever somebody asks to write."""
    return {table: held for table, held in (await contents(owner)).items() if table != "ledger_clock"}


def assert_written(payload: dict[str, Any]) -> None:
    """Tell a write from its payload alone, without what was read for it afterwards."""
    assert payload["problems"] == []
    assert payload.get("created", True) is True
    assert payload.get("changed", True) is True
    is_queued = payload["__typename"] == "AliasPayload" and payload.get("alias") is None
    changes_no_entity = payload["__typename"] == "StatusPayload"
    assert payload["position"] is not None or is_queued or changes_no_entity
