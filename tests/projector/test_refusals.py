"""A graph that is not a copy of this ledger is left as it is, and may be replaced only where it is a copy."""

from __future__ import annotations

import pytest

from app.domain.projection import Piece
from app.errors import Conflict
from app.stores.neo4j import projection
from app.stores.postgres.outbox import ledger_of, outbox_position
from tests.documents import adr, file
from tests.projector.conftest import Copy

MARK = "MATCH (projection:Projection) SET projection.{}"


async def test_a_graph_that_somebody_else_filled_is_left_alone(copy: Copy) -> None:
    await copy.graph.write("CREATE (:Entity {name: 'a model of somebody else'}), (:Person)")
    for work in (copy.catch_up, copy.rebuild, copy.verify):
        with pytest.raises(
            Conflict, match="has nodes with the labels of the projection that no projection wrote"
        ):
            await work()
    assert await copy.count("(n)") == 2


async def test_what_else_lies_in_the_graph_stays(copy: Copy) -> None:
    await copy.graph.write("CREATE (:Person {name: 'Ada'})-[:KNOWS]->(:Person {name: 'Bob'})")
    await file(copy.memory, adr(1, "Poll"))
    await copy.catch_up()
    await copy.rebuild()
    assert (await copy.verify()).is_equal
    assert await copy.count("(:Person)-[:KNOWS]->(:Person)") == 1


async def test_a_copy_of_another_ledger_is_refused_until_it_is_replaced(copy: Copy) -> None:
    await file(copy.memory, adr(1, "Poll"))
    await copy.catch_up()
    await copy.graph.write(MARK.format("ledger = 'another/1'"))
    await copy.graph.write("CREATE (:Entity {tenant: 9, id: 'of another ledger'})")
    for work in (copy.catch_up, copy.verify):
        with pytest.raises(Conflict, match=r"another ledger; .*`trigraph projection rebuild`"):
            await work()
    await copy.rebuild()
    assert (await copy.verify()).is_equal
    checkpoint = await projection.checkpoint_of(copy.graph)
    assert checkpoint is not None
    assert checkpoint.ledger == await ledger_of(copy.owner)


async def test_a_ledger_restored_from_a_backup_is_noticed_even_after_it_went_on(copy: Copy) -> None:
    await file(copy.memory, adr(1, "Poll"))
    await copy.catch_up()
    await copy.graph.write(MARK.format("mark = 'what the backup did not have'"))
    await file(copy.memory, adr(2, "Listen"))
    with pytest.raises(Conflict, match=r"restored from a backup; run `trigraph projection rebuild`"):
        await copy.catch_up()
    await copy.rebuild()
    assert (await copy.verify()).is_equal


async def test_a_rebuild_that_is_cut_off_is_gone_on_with(copy: Copy) -> None:
    """While it clears, and while it fills."""
    await file(copy.memory, adr(1, "Poll"))
    await copy.catch_up()
    started = await projection.begin_anew(copy.graph, await ledger_of(copy.owner))
    await copy.graph.write("CREATE (:Entity {tenant: 9, id: 'of before'})")
    assert (await copy.verify()).is_equal
    assert await copy.count("(:Entity {id: 'of before'})") == 0
    checkpoint = await projection.checkpoint_of(copy.graph)
    assert checkpoint is not None
    assert checkpoint.generation == started.generation
    assert checkpoint.position == (await outbox_position(copy.owner))[0]


async def test_who_was_overtaken_writes_nothing(copy: Copy) -> None:
    """As after a projector lost its connection to Postgres, and so its lock, in the middle of a write."""
    await file(copy.memory, adr(1, "Poll"))
    await copy.catch_up()
    before = await projection.checkpoint_of(copy.graph)
    assert before is not None
    await file(copy.memory, adr(2, "Listen"))
    await copy.catch_up()
    nothing = Piece((), ())
    with pytest.raises(projection.ConcurrentProjector):
        await projection.write(copy.graph, before, before, nothing)
    await copy.rebuild()
    for stale in (before, await projection.begin_anew(copy.graph, before.ledger)):
        await copy.rebuild()
        with pytest.raises(projection.ConcurrentProjector):
            await projection.write(copy.graph, stale, stale, nothing)
    assert (await copy.verify()).is_equal
