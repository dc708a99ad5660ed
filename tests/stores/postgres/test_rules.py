"""Every rule of the ledger, tried in plain SQL by its owner and by the service's role."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from app.domain.numbers import TenantNumber
from app.stores.postgres.connection import SERVICE_ROLE
from app.stores.postgres.errors import CONSTRAINTS
from tests.conftest import TEMPLATE, Server
from tests.ledger import contents
from tests.stores.postgres import scene
from tests.stores.postgres.scene import CLOCK, insert, set_scene, write, write_late

RETRACT_NOW = f"SET retracted_at = {CLOCK[1:]}"


def _superseding(target: str) -> str:
    return insert("reference", type="SUPERSEDES", source=scene.OLD, target=target)


# What breaks a rule, in one transaction each.
FORMER = (
    "INSERT INTO document_name SELECT tenant_id, project_id, {}, id, 'FORMER', now() FROM entity"
    f" WHERE id = '{scene.OLD}'"
)
RENAMED = "UPDATE entity SET key = 'adr-9'"
ATTEMPTS: list[tuple[str, tuple[str, ...]]] = [
    ("tenant_keys_are_unique", ("INSERT INTO tenant (key) VALUES ('local')",)),
    ("project_keys_are_unique", (insert("project", folded_key="scene"),)),
    ("type_names_are_unique", (insert("type", folded_name="adr"),)),
    ("a_zone_is_system_or_project", (insert("type", zone="ELSEWHERE"),)),
    ("a_property_is_immutable_or_mutable", (insert("type", mutable_props="{identifier}"),)),
    ("a_system_type_is_of_every_project", (insert("type", project_id=scene.PROJECT, zone="SYSTEM"),)),
    ("no_project_redefines_a_type_of_all", (insert("type", project_id=scene.PROJECT, folded_name="adr"),)),
    ("types_only_widen", ("UPDATE type SET mutable_props = '{}'",)),
    ("types_only_widen", ("UPDATE type SET immutable_props = '{}'",)),
    ("types_only_widen", ("DELETE FROM type",)),
    ("a_status_word_means_a_flag", (insert("status_word", flag="RED"),)),
    (
        "a_meaning_ends_after_it_starts",
        (insert("status_word"), f"UPDATE status_word SET closed_at = {CLOCK[1:]}"),
    ),
    (
        "one_meaning_per_status_word",
        (
            insert(
                "status_word", recorded_at=CLOCK.replace("recorded_at", "recorded_at - '1 us'::interval", 1)
            ),
            insert("status_word", flag="WIP"),
        ),
    ),
    ("rows_are_recorded_when_written", (insert("status_word", recorded_at="2020-01-01Z"),)),
    ("one_entity_per_key", (insert("entity", key="adr-1"),)),
    (
        "an_entity_is_of_a_type_of_its_project",
        (
            insert("project"),
            insert("type", project_id=scene.ELSEWHERE),
            insert("entity", type_id="=(SELECT type_id FROM type WHERE folded_name = 'song')"),
        ),
    ),
    ("every_entity_has_a_state", (insert("entity"),)),
    (
        "every_entity_has_a_state",
        (insert("entity"), insert("entity_state", entity=scene.OTHER, branch="WIP")),
    ),
    (
        "every_entity_has_a_state",
        (f"UPDATE entity_state {RETRACT_NOW} WHERE entity = '{scene.LONE}'",),
    ),
    ("identity_never_changes", (f"UPDATE entity SET key = 'adr-9' WHERE id = '{scene.OLD}'",)),
    (
        "identity_never_changes",
        (FORMER.format("key"), f"{RENAMED}, actor = 'x' WHERE id = '{scene.OLD}'"),
    ),
    ("identity_never_changes", (FORMER.format("'adr-8'"), f"{RENAMED} WHERE id = '{scene.OLD}'")),
    ("identity_never_changes", (f"DELETE FROM entity WHERE id = '{scene.OLD}'",)),
    ("artifact_numbers_are_unique", (insert("artifact", number=77),)),
    ("one_version_per_entity_and_instant", (insert("artifact", created_at="2020-01-01Z"),)),
    ("header_fields_have_names", (insert("artifact", meta='["Accepted"]'),)),
    ("a_date_has_a_source", (insert("artifact", date_source="RUMOUR"),)),
    ("a_date_is_exact_to", (insert("artifact", date_precision="CENTURY"),)),
    ("artifacts_never_change", (f"UPDATE artifact SET body = 'else' WHERE id = '{scene.PAPER}'",)),
    ("artifacts_never_change", (f"DELETE FROM artifact WHERE id = '{scene.PAPER}'",)),
    ("a_branch_is_committed_or_wip", (insert("entity_state", branch="TRUNK"),)),
    ("only_wip_has_a_wip_source", (insert("entity_state", wip_source="EXPLICIT"),)),
    ("a_state_ends_after_it_starts", (insert("entity_state", valid_until="2022-01-01Z"),)),
    ("a_state_ends_after_it_starts", (insert("entity_state", valid_until="2021-01-01Z"),)),
    (
        "a_belief_ends_after_it_starts",
        (
            insert("entity_state", valid_from="2018-01-01Z", valid_until="2020-01-01Z"),
            f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.OTHER}'",
        ),
    ),
    (
        "one_belief_per_instant",
        (insert("entity_state", valid_from="2020-05-01Z", valid_until="2020-06-01Z"),),
    ),
    (
        "one_belief_per_instant",
        (insert("entity_state", valid_from="2019-01-01Z", valid_until="2020-01-02Z"),),
    ),
    ("one_belief_per_instant", (insert("entity_state"),)),
    ("one_belief_per_instant", (insert("entity_state", branch="WIP"),)),
    (
        "committed_states_tile_time",
        (insert("entity_state", valid_from="2018-01-01Z", valid_until="2019-01-01Z"),),
    ),
    (
        "committed_states_tile_time",
        (
            f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.SECOND}'",
            insert("entity_state", valid_from="2021-01-01Z", valid_until="2022-01-01Z"),
        ),
    ),
    (
        "committed_states_tile_time",
        (f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.SECOND}'",),
    ),
    (
        "states_begin_with_their_entity",
        (
            f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.LONE_STATE}'",
            insert("entity_state", entity=scene.LONE, valid_from="2020-01-02Z", props="{}"),
        ),
    ),
    (
        "properties_are_an_object",
        (insert("entity_state", entity=scene.NEW, branch="WIP", props="[1]"),),
    ),
    (
        "a_state_speaks_of_what_its_type_has",
        (
            f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.DRAFT}'",
            insert("entity_state", branch="WIP", props='{"identifier": "ADR-1", "melody": "minor"}'),
        ),
    ),
    (
        "what_never_changes_is_there_from_the_start",
        (
            insert("entity", type_id="=(SELECT type_id FROM type WHERE folded_name = 'envvar')"),
            insert("entity_state", entity=scene.OTHER, valid_from="2020-01-01Z", props='{"status": "set"}'),
        ),
    ),
    (
        "immutable_properties_never_change",
        (insert("entity_state", branch="WIP", props='{"identifier": "ADR-2"}'),),
    ),
    ("immutable_properties_never_change", (insert("entity_state", branch="WIP", props="{}"),)),
    (
        "beliefs_are_only_retracted",
        (f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.GIVEN_UP}'",),
    ),
    ("beliefs_are_only_retracted", ("UPDATE entity_state SET retracted_at = NULL",)),
    ("beliefs_are_only_retracted", ("UPDATE entity_state SET valid_until = '2030-01-01Z'",)),
    ("beliefs_are_only_retracted", ("DELETE FROM entity_state",)),
    ("beliefs_are_only_retracted", ("UPDATE alias SET retracted_at = NULL",)),
    ("beliefs_are_only_retracted", ("UPDATE alias SET target = source",)),
    ("beliefs_are_only_retracted", ("DELETE FROM alias",)),
    ("beliefs_are_only_retracted", ("UPDATE reference SET retracted_at = NULL",)),
    ("beliefs_are_only_retracted", ("UPDATE reference SET valid_until = '2030-01-01Z'",)),
    ("beliefs_are_only_retracted", ("DELETE FROM reference",)),
    ("beliefs_are_recorded_when_written", (insert("entity_state", recorded_at="2020-01-01Z"),)),
    ("beliefs_are_recorded_when_written", (insert("entity_state", retracted_at="2030-01-01Z"),)),
    ("beliefs_are_recorded_when_written", (insert("alias", recorded_at="2020-01-01Z"),)),
    ("beliefs_are_recorded_when_written", (insert("reference", recorded_at="2020-01-01Z"),)),
    (
        "beliefs_are_recorded_when_written",
        (f"UPDATE entity_state SET retracted_at = '2090-01-01Z' WHERE id = '{scene.DRAFT}'",),
    ),
    ("rows_are_recorded_when_written", (insert("entity", recorded_at="2020-01-01Z"),)),
    ("rows_are_recorded_when_written", (insert("artifact", recorded_at="2020-01-01Z"),)),
    ("rows_are_recorded_when_written", (insert("state_event", recorded_at="2020-01-01Z"),)),
    ("rows_are_recorded_when_written", (insert("mention", recorded_at="2020-01-01Z"),)),
    (
        "rows_are_recorded_when_written",
        (insert("pending_reference", target_key="adr-7", recorded_at="2020-01-01Z"),),
    ),
    (
        "rows_are_recorded_when_written",
        (insert("alias_candidate", folded_form="x", recorded_at="2020-01-01Z"),),
    ),
    (
        "rows_are_recorded_when_written",
        (insert("fact_candidate", property="owner", recorded_at="2020-01-01Z"),),
    ),
    (
        "rows_are_recorded_when_written",
        (
            f"UPDATE alias {RETRACT_NOW} WHERE id = '{scene.ALIAS}'",
            insert("withdrawal", recorded_at="2020-01-01Z"),
        ),
    ),
    ("transaction_time_moves_forward", ("UPDATE ledger_clock SET recorded_at = '2020-01-01Z'",)),
    ("transaction_time_moves_forward", ("UPDATE ledger_clock SET recorded_at = now() + interval '1 hour'",)),
    ("chains_move_forward", (insert("state_event", from_state=scene.SECOND, to_state=scene.FIRST),)),
    ("chains_move_forward", (insert("state_event", from_state=scene.SECOND),)),
    ("chains_move_forward", (insert("state_event", from_state=scene.LONE_STATE),)),
    ("an_event_is_of_the_entity_of_its_state", (insert("state_event", entity=scene.LONE),)),
    ("an_event_ends_the_draft_it_names", (insert("state_event", draft=scene.DRAFT),)),
    ("an_event_ends_the_draft_it_names", (insert("state_event", draft=scene.GIVEN_UP),)),
    (
        "an_event_ends_the_draft_it_names",
        (
            f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.DRAFT}'",
            insert("state_event", entity=scene.LONE, to_state=scene.LONE_STATE, draft=scene.DRAFT),
        ),
    ),
    (
        "a_draft_ends_once",
        (
            insert("state_event", draft=scene.DRAFT),
            insert("state_event", id=scene.LOOSE, draft=scene.DRAFT),
        ),
    ),
    ("events_never_change", ("UPDATE state_event SET event_type = 'fact'",)),
    ("events_never_change", ("DELETE FROM state_event",)),
    ("an_alias_is_written_by_tier_one_or_two", (insert("alias", authority_tier=3, folded_form="x"),)),
    ("a_surface_form_has_two_to_512_characters", (insert("alias", surface_form="P", folded_form="x"),)),
    (
        "a_surface_form_has_two_to_512_characters",
        (insert("alias", surface_form="P" * 513, folded_form="x"),),
    ),
    (
        "an_alias_ends_after_it_starts",
        (insert("alias", valid_until="2020-01-01Z", folded_form="x"),),
    ),
    (
        "an_alias_belief_ends_after_it_starts",
        (
            insert("alias", folded_form="x"),
            f"UPDATE alias {RETRACT_NOW} WHERE id = '{scene.OTHER}'",
        ),
    ),
    ("one_meaning_per_form_at_any_instant", (insert("alias", valid_from="2030-01-01Z"),)),
    (
        "one_meaning_per_form_at_any_instant",
        (insert("alias", valid_from="2010-01-01Z", valid_until="2020-01-02Z"),),
    ),
    (
        "alias_chains_are_acyclic",
        (insert("alias", folded_form="x", source=scene.NEW, target=scene.OLD),),
    ),
    (
        "alias_chains_are_acyclic",
        (insert("alias", folded_form="x", source=scene.LONE, target=scene.LONE),),
    ),
    (
        "alias_chains_are_acyclic",
        (
            insert("alias", folded_form="x", source=scene.NEW, target=scene.LONE),
            insert("alias", folded_form="y", source=scene.LONE, target=scene.OLD, id=scene.DRAFT),
        ),
    ),
    (
        "an_alias_stays_in_its_project",
        (insert("project"), insert("alias", project_id=scene.ELSEWHERE)),
    ),
    (
        "a_reference_is_of_the_project_of_its_source",
        (insert("project"), insert("reference", project_id=scene.ELSEWHERE)),
    ),
    ("nothing_references_itself", (insert("reference", target=scene.LONE),)),
    ("a_reference_occurs_at_least_once", (insert("reference", occurrences=0),)),
    ("an_absence_has_a_source", (insert("absence", source="RUMOUR"),)),
    ("an_absence_ends_after_it_starts", (insert("absence", valid_until="2021-01-01Z"),)),
    (
        "an_absence_belief_ends_after_it_starts",
        (insert("absence"), f"UPDATE absence {RETRACT_NOW} WHERE id = '{scene.OTHER}'"),
    ),
    (
        "one_absence_at_any_instant",
        (insert("absence"), insert("absence", id=scene.LOOSE, valid_from="2023-01-01Z")),
    ),
    (
        "beliefs_are_only_retracted",
        (insert("absence"), f"UPDATE absence SET reason = 'else' WHERE id = '{scene.OTHER}'"),
    ),
    (
        "beliefs_are_recorded_when_written",
        (insert("absence", recorded_at="2020-01-01Z"),),
    ),
    ("one_root_per_place", (insert("import_root"), insert("import_root"))),
    ("a_reference_ends_after_it_starts", (insert("reference", valid_until="2020-01-01Z"),)),
    (
        "a_reference_belief_ends_after_it_starts",
        (insert("reference"), f"UPDATE reference {RETRACT_NOW} WHERE id = '{scene.OTHER}'"),
    ),
    (
        "one_reference_of_a_type_between_two",
        (insert("reference", source=scene.NEW, type="SUPERSEDES", valid_from="2030-01-01Z"),),
    ),
    (
        "supersession_is_acyclic",
        (_superseding(scene.NEW),),
    ),
    (
        "supersession_is_acyclic",
        (_superseding(scene.LONE),),
    ),
    ("references_follow_their_rules", (insert("reference", type="INVENTED"),)),
    ("one_pending_reference_of_a_type", (insert("pending_reference"),)),
    (
        "an_alias_candidate_is_pending_promoted_or_rejected",
        (
            "UPDATE alias_candidate SET status = 'MAYBE', reviewed_by = 'ada', reviewed_at = now()"
            f" WHERE id = '{scene.ALIAS_WAITING}'",
        ),
    ),
    (
        "an_alias_review_names_who_and_when",
        (f"UPDATE alias_candidate SET status = 'PROMOTED' WHERE id = '{scene.ALIAS_WAITING}'",),
    ),
    ("one_alias_candidate_per_form_and_entity", (insert("alias_candidate"),)),
    (
        "a_candidate_is_reviewed_once",
        (f"UPDATE alias_candidate SET status = 'PROMOTED' WHERE id = '{scene.ALIAS_JUDGED}'",),
    ),
    (
        "a_candidate_is_reviewed_once",
        (f"UPDATE fact_candidate SET status = 'REJECTED' WHERE id = '{scene.FACT_JUDGED}'",),
    ),
    (
        "a_fact_candidate_is_pending_promoted_or_rejected",
        (
            "UPDATE fact_candidate SET status = 'MAYBE', reviewed_by = 'ada', reviewed_at = now()"
            f" WHERE id = '{scene.FACT_WAITING}'",
        ),
    ),
    (
        "a_fact_review_names_who_and_when",
        (f"UPDATE fact_candidate SET reviewed_by = 'ada' WHERE id = '{scene.FACT_WAITING}'",),
    ),
    ("one_fact_candidate_per_value_and_artifact", (insert("fact_candidate"),)),
    ("token_hashes_are_unique", (insert("token", hash="taken"),)),
    ("a_role_is_reader_agent_human_or_admin", (insert("token", role="owner"),)),
    ("a_token_ends_after_it_begins", (insert("token", expires_at="2020-01-01Z"),)),
    (
        "one_outbox_row_per_change_and_transaction",
        (f"{insert('outbox')}, ({scene.TENANT}, 'entity', '{scene.OTHER}')",),
    ),
    ("the_ledger_alone_writes_its_outbox", (insert("outbox"),)),
    (
        "the_ledger_alone_writes_its_outbox",
        (f"SELECT note_change({scene.TENANT}, 'entity', '{scene.OLD}')",),
    ),
    ("a_withdrawal_names_what_ends_with_it", (insert("withdrawal"),)),
    ("a_withdrawal_names_what_ends_with_it", (insert("withdrawal", withdrawn=scene.OLD),)),
    ("one_horizon_per_ledger", ("INSERT INTO outbox_horizon VALUES (false, 1)",)),
    (
        "one_embedding_model_per_ledger",
        ("INSERT INTO embedding_model VALUES (false, 'other', 'print', 384)",),
    ),
]
# What is no write of its own, but would be recorded at the time of an earlier one.
LATE: tuple[tuple[str, ...], ...] = (
    (insert("entity"),),
    (insert("artifact"),),
    (
        f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.DRAFT}'",
        insert("entity_state", branch="WIP"),
    ),
    (insert("entity_state", valid_from="2018-01-01Z", valid_until="2020-01-01Z"),),
    (insert("state_event"),),
    (insert("alias", folded_form="x"),),
    (insert("reference"),),
    (insert("mention"),),
    (insert("pending_reference", target_key="adr-7"),),
    (insert("alias_candidate", folded_form="x"),),
    (insert("fact_candidate", property="owner"),),
)
# Kept by a partial index behind `one_belief_per_instant`, which always speaks first.
BEHIND = {"one_open_committed_state_per_entity": "COMMITTED", "one_open_wip_state_per_entity": "WIP"}


@pytest.fixture(scope="module")
async def url(server: Server, tenant: TenantNumber) -> AsyncIterator[str]:
    """A database that holds the scene; no test of a broken rule leaves a trace in it."""
    assert tenant == scene.TENANT
    name = await server.create(TEMPLATE)
    yield server.url_of(name)
    await server.drop(name)


@pytest.fixture(scope="module")
async def ledger_owner(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    await set_scene(connection)
    yield connection
    await connection.close()


@pytest.fixture(scope="module")
async def service(url: str, ledger_owner: asyncpg.Connection) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url, server_settings={"role": SERVICE_ROLE})
    await connection.execute(f"SET trigraph.tenant = '{scene.TENANT}'")
    yield connection
    await connection.close()


def test_every_rule_is_tried() -> None:
    tried = {rule for rule, _ in ATTEMPTS} | BEHIND.keys() | {"a_write_moves_the_ledger_clock"}
    tried |= {"a_second_clock_confirms_a_leap"}  # in tests/security/test_ledger_clock.py
    assert tried == CONSTRAINTS.keys()


@pytest.mark.parametrize(("rule", "statements"), ATTEMPTS, ids=[rule for rule, _ in ATTEMPTS])
async def test_the_owner_cannot_break(
    ledger_owner: asyncpg.Connection, rule: str, statements: tuple[str, ...]
) -> None:
    before = await contents(ledger_owner)
    with pytest.raises(asyncpg.PostgresError) as refused:
        await write(ledger_owner, *statements)
    assert refused.value.constraint_name == rule
    assert await contents(ledger_owner) == before


@pytest.mark.parametrize(("rule", "statements"), ATTEMPTS, ids=[rule for rule, _ in ATTEMPTS])
async def test_the_service_cannot_break(
    ledger_owner: asyncpg.Connection,
    service: asyncpg.Connection,
    rule: str,
    statements: tuple[str, ...],
) -> None:
    """What the service may not touch at all, it has no right to."""
    before = await contents(ledger_owner)
    with pytest.raises(asyncpg.PostgresError) as refused:
        await write(service, *statements)
    if not isinstance(refused.value, asyncpg.InsufficientPrivilegeError):
        assert refused.value.constraint_name == rule
    assert await contents(ledger_owner) == before


@pytest.mark.parametrize("statements", LATE, ids=[statements[-1].split()[2] for statements in LATE])
async def test_nobody_writes_at_the_time_of_an_earlier_write(
    ledger_owner: asyncpg.Connection, service: asyncpg.Connection, statements: tuple[str, ...]
) -> None:
    before = await contents(ledger_owner)
    for connection in (ledger_owner, service):
        with pytest.raises(asyncpg.PostgresError) as refused:
            await write_late(connection, *statements)
        assert refused.value.constraint_name == "a_write_moves_the_ledger_clock"
    assert await contents(ledger_owner) == before


# The operator alone makes tokens.
OF_TOKENS = {
    "a_role_is_reader_agent_human_or_admin",
    "a_token_ends_after_it_begins",
    "token_hashes_are_unique",
}


async def test_only_what_never_changes_is_out_of_the_service_s_reach(service: asyncpg.Connection) -> None:
    denied = set()
    for rule, statements in ATTEMPTS:
        with pytest.raises(asyncpg.PostgresError) as refused:
            await write(service, *statements)
        if isinstance(refused.value, asyncpg.InsufficientPrivilegeError):
            denied.add(rule)
    assert denied == {
        "tenant_keys_are_unique",
        "identity_never_changes",
        "artifacts_never_change",
        "events_never_change",
        "beliefs_are_only_retracted",
        "types_only_widen",
        "one_horizon_per_ledger",
        *OF_TOKENS,
    }


@pytest.mark.parametrize(("rule", "branch"), BEHIND.items())
async def test_a_second_open_state_is_refused_twice_over(
    ledger_owner: asyncpg.Connection, rule: str, branch: str
) -> None:
    before = await contents(ledger_owner)
    with pytest.raises(asyncpg.UniqueViolationError) as refused:
        await write(
            ledger_owner,
            "ALTER TABLE entity_state DROP CONSTRAINT one_belief_per_instant",
            insert("entity_state", branch=branch),
        )
    assert refused.value.constraint_name == rule
    assert await contents(ledger_owner) == before


async def test_closing_a_state_and_opening_the_next_is_one_write(owner: asyncpg.Connection) -> None:
    """Retract what was open, record it closed, record what follows: accepted, by the service's role."""
    await set_scene(owner)
    await owner.execute(f"SET ROLE {SERVICE_ROLE}")
    await owner.execute(f"SET trigraph.tenant = '{scene.TENANT}'")
    closed, following = scene.OTHER, scene.OTHER.replace("ff", "fe")
    await write(
        owner,
        f"UPDATE entity_state {RETRACT_NOW} WHERE id = '{scene.SECOND}'",
        insert("entity_state", id=closed, valid_from="2021-01-01Z", valid_until="2022-01-01Z"),
        insert("entity_state", id=following, valid_from="2022-01-01Z"),
        insert("state_event", from_state=closed, to_state=following, at="2022-01-01Z"),
    )
    believed = await owner.fetch(
        "SELECT id::text FROM entity_state WHERE entity = $1 AND branch = 'COMMITTED'"
        " AND retracted_at IS NULL ORDER BY valid_from",
        scene.OLD,
    )
    assert [row["id"] for row in believed] == [scene.FIRST, closed, following]
    before = await owner.fetch(
        "SELECT id::text FROM entity_state WHERE entity = $1 AND branch = 'COMMITTED'"
        " AND recorded_at < (SELECT recorded_at FROM entity_state WHERE id = $2)"
        " AND (retracted_at >= (SELECT recorded_at FROM entity_state WHERE id = $2) OR retracted_at IS NULL)"
        " ORDER BY valid_from",
        scene.OLD,
        closed,
    )
    assert [row["id"] for row in before] == [scene.FIRST, scene.SECOND]


async def test_a_state_may_be_put_before_the_first(owner: asyncpg.Connection) -> None:
    """TIM-13: it ends where the first starts."""
    await set_scene(owner)
    await write(owner, insert("entity_state", valid_from="2019-01-01Z", valid_until="2020-01-01Z"))
    assert await owner.fetchval("SELECT count(*) FROM entity_state WHERE id = $1", scene.OTHER) == 1
