"""With everything of another tenant or project in hand, a client of any role reads and changes nothing of it.

The schema is enumerated: each place that takes an id, a text or a cursor is given what is the other tenant's,
and must answer as it does to what is nobody's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from uuid import uuid4

import asyncpg
import orjson
import pytest
from graphql import (
    GraphQLField,
    GraphQLObjectType,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
    is_required_argument,
)
from strawberry.types import ExecutionResult

from app.domain.entity import Role
from app.domain.numbers import ProjectNumber, TenantNumber
from app.embedding import Embedder
from app.graphql.errors import client_error
from app.services.container import Memory
from app.stores.postgres.pool import Database
from app.stores.postgres.projects import ensure_tenant
from tests.conftest import TEMPLATE, Server, memory_on
from tests.graphql.api import Api
from tests.ledger import tables
from tests.security.test_bounded_arguments import GRAPHQL, Place, fit, places
from tests.security.verbs import PREPARED, VERBS, operation
from tests.stores.postgres.test_row_level_security import SHARED

Held: TypeAlias = Mapping[str, str]
"""What selects the rows of the others, by table."""

MARK = "Zanzibar"
NOBODYS = "Qanzibar"
WITH_IDS = (
    *("entity", "entity_state", "state_event", "artifact", "alias", "reference", "pending_reference"),
    *("alias_candidate", "fact_candidate", "absence", "token"),
)
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Masked when two answers are compared: what differs between any two.
VARYING = re.compile(r'\d{4}-\d\d-\d\dT[^"]*|"position":\d+')
PAGED = [
    name
    for name, field in GRAPHQL.query_type.fields.items()  # type: ignore[union-attr]
    if "after" in field.args and not any(map(is_required_argument, field.args.values()))
]


@dataclass(frozen=True)
class Strangers:
    """A tenant, and all that another one could know of it."""

    mine: Api
    theirs: Api
    owner: asyncpg.Connection
    held: Held
    ids: dict[str, str]
    every_id: frozenset[str]
    cursors: list[str]

    def attacker(self, role: Role) -> Api:
        """Return the API as a client of the role meets it, under a name that the others have too."""
        caller = replace(self.mine.memory.caller, role=role, is_local=False)
        return type(self.mine)(replace(self.mine.memory, caller=caller))

    async def contents(self) -> dict[str, str]:
        """Return a digest of all that is theirs, table by table."""
        digest = "md5(coalesce(string_agg(held::text, '' ORDER BY held::text), ''))"
        return {
            table: await self.owner.fetchval(f"SELECT {digest} FROM ({rows}) AS held")
            for table, rows in self.held.items()
        }


OF_A_PROJECT = ("fileArtifact", "createEntity", "defineType", "defineStatus")


class ProjectApi(Api):
    """The API to a caller of one project, who names it where a verb takes one."""

    async def run(self, operation: str, /, **variables: Any) -> ExecutionResult:
        if "input" in variables and any(f" {verb}(" in operation for verb in OF_A_PROJECT):
            variables["input"] = {"project": "mine"} | variables["input"]
        return await super().run(operation, **variables)


async def two_tenants(memory: Memory, owner: asyncpg.Connection) -> tuple[Api, Api, Held]:
    """Return the API to two tenants, and what the second one's rows are."""
    other = await ensure_tenant(owner, "theirs")
    theirs = Api(replace(memory, caller=replace(memory.caller, tenant=other)))
    apart = [table for table in await tables(owner) if table not in SHARED]
    held = {table: f"SELECT * FROM {table} WHERE tenant_id = {other}" for table in apart}
    return Api(memory), theirs, held


async def two_projects(memory: Memory, owner: asyncpg.Connection) -> tuple[Api, Api, Held]:
    """Return the API to a caller of one project and to one of the tenant, and what is of other projects."""
    await Api(memory).file("# A project begins with a document", project="mine")
    mine = ProjectNumber(await owner.fetchval("SELECT project_id FROM project WHERE key = 'mine'"))
    narrowed = replace(memory.of_project(mine), caller=replace(memory.caller, project=mine))
    await owner.execute("SELECT set_config('trigraph.project', $1, false)", str(mine))
    held = {
        name: f"SELECT * FROM public.{name} EXCEPT SELECT * FROM one_project.{name}"
        for name in await views(owner)
    }
    held["token"] = "SELECT * FROM token"
    return ProjectApi(narrowed), Api(memory), held


async def views(owner: asyncpg.Connection) -> list[str]:
    rows = await owner.fetch("SELECT relname FROM pg_class WHERE relnamespace = 'one_project'::regnamespace")
    return [row["relname"] for row in rows]


async def join(mine: Api, theirs: Api) -> None:
    """Let a document here and one there refer to each other, where anybody sees both."""
    asked = "{ artifacts(first: 1) { nodes { entity { id } } } }"
    ends = [(await api.ask(asked))["artifacts"]["nodes"][0]["entity"]["id"] for api in (mine, theirs)]
    if mine.memory.caller.project is not None:
        for source, target in (ends, ends[::-1]):
            given = {"source": source, "target": target, "type": "DEPENDS_ON"}
            await theirs.ask(operation("createReference", is_plain=True), input=given)
            assert (await mine.ask(FROM, id=source))["references"]["nodes"] == []
            assert (await theirs.ask(FROM, id=source))["references"]["nodes"] != []


FROM = """
query ($id: ID!) { references(source: $id, type: DEPENDS_ON) { nodes { source { id } target { id } } } }
"""


@pytest.fixture(scope="module", params=[two_tenants, two_projects], ids=["tenants", "projects"])
async def strangers(
    request: pytest.FixtureRequest, server: Server, embedder: Embedder, tenant: TenantNumber
) -> AsyncIterator[Strangers]:
    name = await server.create(TEMPLATE)
    url = server.url_of(name)
    owner = await asyncpg.connect(url)
    database = await Database.open(url, size=6)
    mine, theirs, held = await request.param(memory_on(database, embedder, tenant), owner)
    for verb in VERBS:
        await prepared(mine, verb)
        given = await prepared(theirs, verb) | {"idempotencyKey": f"key of {verb}"}
        await theirs.ask(operation(verb, is_plain=True), input=given)
    body = f"# {MARK}\n\n{MARK} was formerly known as {MARK} Gate. Relates to ADR-{MARK}.\n"
    await theirs.file(body, identifier=f"ADR-{MARK}-1", project=MARK)
    named = {"name": f"{MARK}Gadget", "immutableProps": ["name"], "project": MARK}
    await theirs.ask(operation("defineType", is_plain=True), input=named)
    await owner.execute(
        "INSERT INTO token (tenant_id, id, hash, role, principal) VALUES ($1, $2, 'x', 'admin', 'ada')",
        theirs.memory.caller.tenant,
        uuid4(),
    )
    await join(mine, theirs)
    ids = {table: await one_id(owner, held[table]) for table in WITH_IDS}
    cursors = [cursor for field in PAGED if (cursor := await end_of(theirs, field)) is not None]
    own = {table: f"SELECT * FROM one_project.{table}" for table in await views(owner)}
    foreign = await every_id(owner, held) - await every_id(owner, own)
    yield Strangers(mine, theirs, owner, held, ids, foreign, cursors)
    await database.close()
    await owner.close()
    await server.drop(name)


async def one_id(owner: asyncpg.Connection, rows: str) -> str:
    found = await owner.fetchval(f"SELECT min(id::text) FROM ({rows}) AS held")
    assert found is not None, rows
    return str(found)


async def every_id(owner: asyncpg.Connection, held: Held) -> frozenset[str]:
    """Return every id in what is theirs."""
    texts = [
        row["text"]
        for rows in held.values()
        for row in await owner.fetch(f"SELECT held::text AS text FROM ({rows}) AS held")
    ]
    return frozenset(UUID.findall(" ".join(texts)))


async def end_of(api: Api, field: str) -> str | None:
    found = await api.ask(f"{{ {field}(first: 1) {{ pageInfo {{ endCursor }} }} }}")
    cursor: str | None = found[field]["pageInfo"]["endCursor"]
    return cursor


async def prepared(api: Api, verb: str) -> dict[str, Any]:
    return dict(await PREPARED[verb](api))


def selected(field: GraphQLField, depth: int = 2) -> str:
    """Return a selection of all that a field gives, `depth` objects deep."""
    named = get_named_type(field.type)
    if is_leaf_type(named):
        return ""
    parts = ["__typename"]
    for name, below in named.fields.items() if isinstance(named, GraphQLObjectType) else ():
        is_plain = is_leaf_type(get_named_type(below.type))
        if not any(map(is_required_argument, below.args.values())) and (is_plain or depth > 0):
            parts.append(f"{name}{selected(below, depth - 1)}")
    return f" {{ {' '.join(parts)} }}"


def question(place: Place, value: Any) -> tuple[str, dict[str, Any]]:
    """Return a query that gives a value to a place, and small pages."""
    field = GRAPHQL.type_map[place.parent].fields[place.field]  # type: ignore[attr-defined]
    given = {name: fit(each.type) for name, each in field.args.items() if is_required_argument(each)}
    given |= {"first": 2} if "first" in field.args else {}
    given[place.argument] = value
    declared = ", ".join(f"${name}: {field.args[name].type}" for name in given)
    passed = ", ".join(f"{name}: ${name}" for name in given)
    asked = f"{place.field}({passed}){selected(field)}"
    if place.parent != "Query":
        asked = f"entities(first: 2) {{ nodes {{ {asked} }} }}"
    return f"query({declared}) {{ {asked} }}", given


def is_of(place: Place, type_name: str) -> bool:
    return str(get_named_type(place.type).name) == type_name


def value_for(place: Place, value: str) -> Any:
    return [value] if is_list_type(get_nullable_type(place.type)) else value


READS = [place for place in places() if place.parent not in ("Mutation", "Subscription")]
WRITES = [place for place in places() if place.parent == "Mutation" and place.inner is not None]
TEXTS = (MARK, f"{MARK} Gate", f"ADR-{MARK}-1", f"{MARK}Gadget")


async def answered(api: Api, asked: str, variables: dict[str, Any]) -> str:
    """Return the whole answer to an operation, which was no mistake of this test."""
    result = await api.run(asked, **variables)
    errors = [client_error(error) for error in result.errors or ()]
    codes = {error["extensions"]["code"] for error in errors}
    assert not {"GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED", "INTERNAL"} & codes, errors
    answer = {"data": result.data, "errors": errors}
    return orjson.dumps(answer, default=str).decode()


def require_nothing_of_theirs(strangers: Strangers, answer: str, given: str) -> None:
    """Check that an answer repeats what was given at most, and has no id and no word of the other tenant."""
    assert (strangers.every_id & set(UUID.findall(answer))) <= {given}
    assert MARK.lower() not in answer.lower().replace(given.lower(), "")


def masked(answer: str, given: str) -> str:
    return VARYING.sub("", answer).lower().replace(given.lower(), "given")


def test_the_schema_has_places_of_each_sort() -> None:
    assert len([place for place in READS if is_of(place, "ID")]) > 5
    assert len([place for place in WRITES if is_of(place, "ID")]) > 15
    assert len(PAGED) > 5


async def test_who_may_ask_gets_another_answer(strangers: Strangers) -> None:
    """Else the tests below would compare nothing with nothing."""
    telling = set()
    for place in (place for place in READS if is_of(place, "ID")):
        nobodys = str(uuid4())
        nothing = masked(
            await answered(strangers.theirs, *question(place, value_for(place, nobodys))), nobodys
        )
        for id in strangers.ids.values():
            answer = await answered(strangers.theirs, *question(place, value_for(place, id)))
            telling |= {place} if masked(answer, id) != nothing else set()
    assert len(telling) >= 5


@pytest.mark.parametrize("role", list(Role))
async def test_an_id_of_theirs_reads_as_one_of_nobody(strangers: Strangers, role: Role) -> None:
    """TEN-01 and TEN-10."""
    api = strangers.attacker(role)
    for place in (place for place in READS if is_of(place, "ID")):
        nobodys = str(uuid4())
        expected = masked(await answered(api, *question(place, value_for(place, nobodys))), nobodys)
        for id in strangers.ids.values():
            answer = await answered(api, *question(place, value_for(place, id)))
            require_nothing_of_theirs(strangers, answer, id)
            assert masked(answer, id) == expected, place


@pytest.mark.parametrize("role", list(Role))
async def test_a_name_of_theirs_reads_as_one_of_nobody(strangers: Strangers, role: Role) -> None:
    """TEN-04."""
    api = strangers.attacker(role)
    for place in (place for place in READS if is_of(place, "String") and place.argument != "after"):
        for text in TEXTS:
            nobodys = text.replace(MARK, NOBODYS)
            answer = await answered(api, *question(place, value_for(place, text)))
            require_nothing_of_theirs(strangers, answer, text)
            if place.field != "recall" or place.argument != "query":
                expected = await answered(api, *question(place, value_for(place, nobodys)))
                assert masked(answer, text) == masked(expected, nobodys), place


@pytest.mark.parametrize("role", list(Role))
async def test_a_cursor_of_theirs_leads_to_nothing_of_theirs(strangers: Strangers, role: Role) -> None:
    api = strangers.attacker(role)
    assert len(strangers.cursors) >= 5
    for place in (place for place in READS if place.argument == "after"):
        for cursor in strangers.cursors:
            answer = await answered(api, *question(place, cursor))
            require_nothing_of_theirs(strangers, answer, cursor)


@pytest.mark.parametrize("role", list(Role))
async def test_an_id_of_theirs_is_written_to_as_one_of_nobody(strangers: Strangers, role: Role) -> None:
    """TEN-01."""
    api = strangers.attacker(role)
    before = await strangers.contents()
    for verb in VERBS:
        given = await prepared(strangers.mine, verb)
        for place in (place for place in WRITES if place.field == verb and is_of(place, "ID")):
            assert place.inner is not None
            answers = set()
            for id in (str(uuid4()), *strangers.ids.values()):
                asked = {"input": given | {place.inner: value_for(place, id)}}
                answer = await answered(api, operation(verb), asked)
                require_nothing_of_theirs(strangers, answer, id)
                assert '"code":"' in answer, place
                answers.add(masked(answer, id))
            assert len(answers) == 1, place
    assert await strangers.contents() == before


@pytest.mark.parametrize("role", list(Role))
async def test_their_names_and_keys_write_nothing_of_theirs(strangers: Strangers, role: Role) -> None:
    """TEN-03: neither a project, an identifier nor a key of idempotency reaches across."""
    api = strangers.attacker(role)
    before = await strangers.contents()
    for verb in VERBS:
        given = await prepared(strangers.mine, verb)
        key = f"key of {verb}"
        answer = await answered(api, operation(verb), {"input": given | {"idempotencyKey": key}})
        require_nothing_of_theirs(strangers, answer, key)
        for place in (place for place in WRITES if place.field == verb and is_of(place, "String")):
            assert place.inner is not None
            for text in TEXTS:
                asked = {"input": given | {place.inner: value_for(place, text)}}
                answer = await answered(api, operation(verb), asked)
                assert not strangers.every_id & set(UUID.findall(answer)), place
    assert await strangers.contents() == before


async def test_requests_side_by_side_see_their_own_tenant_alone(strangers: Strangers) -> None:
    """Connections, loaders and caches are shared by the process, and what they hold is not."""
    asked = "{ entities(first: 20) { nodes { id label state { id } aliases { id } } } projects { key } }"
    mine, theirs = strangers.attacker(Role.READER), strangers.theirs
    answers = await asyncio.gather(*(answered(api, asked, {}) for api in [mine, theirs] * 10))
    assert len(set(answers[::2])) == len(set(answers[1::2])) == 1
    assert set(UUID.findall(answers[1])) & strangers.every_id
    assert not strangers.every_id & set(UUID.findall(answers[0]))
