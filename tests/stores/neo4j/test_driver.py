from __future__ import annotations

import pytest

from app.errors import Unavailable
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation

COUNT = "MATCH (thing:Thing) RETURN count(*) AS things"


async def test_what_one_transaction_writes_another_reads(graph: Graph) -> None:
    async with graph.writing() as transaction:
        await transaction.run("UNWIND $names AS name CREATE (:Thing {name: name})", names=["a", "b"])
    assert [dict(record) for record in await graph.read(COUNT)] == [{"things": 2}]


async def test_a_block_that_raises_writes_nothing(graph: Graph) -> None:
    async def fail_half_way() -> None:
        async with graph.writing() as transaction:
            await transaction.run("CREATE (:Thing)")
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match=r"^on purpose$"):
        await fail_half_way()
    assert [dict(record) for record in await graph.read(COUNT)] == [{"things": 0}]


async def test_what_the_server_refuses_is_said(graph: Graph) -> None:
    with pytest.raises(Unavailable, match=r"reports an error: .*RETRUN"):
        await graph.read("RETRUN 1")


async def test_a_query_that_takes_too_long_is_ended(graph: Graph) -> None:
    with pytest.raises(Unavailable, match="reports an error: "):
        await graph.read(
            "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN count(x + y)", seconds=0.2
        )


async def test_a_server_that_is_not_there_is_named() -> None:
    async with Graph(GraphLocation("bolt://127.0.0.1:1", "neo4j", "password")) as graph:
        with pytest.raises(Unavailable) as refused:
            await graph.read("RETURN 1")
    message = "Neo4j at bolt://127.0.0.1:1 does not respond: Couldn't connect to 127.0.0.1:1"
    assert refused.value.message == message


async def test_a_name_that_is_nobodys_is_a_server_that_is_not_there() -> None:
    async with Graph(GraphLocation("bolt://nowhere.invalid:7687", "neo4j", "password")) as graph:
        with pytest.raises(Unavailable, match="does not respond"):
            await graph.read("RETURN 1")


async def test_a_wrong_password_says_what_to_set(neo4j: GraphLocation) -> None:
    async with Graph(GraphLocation(neo4j.uri, neo4j.user, "not the password")) as graph:
        with pytest.raises(Unavailable, match="TRIGRAPH_NEO4J_PASSWORD"):
            await graph.read("RETURN 1")


async def test_the_version_is_told(graph: Graph) -> None:
    assert (await graph.version())[0].isdigit()
