"""The names a document brings, and who uses them."""

from __future__ import annotations

from uuid import uuid4

import pytest

from app.domain.entity import Alias, AuthorityTier, Caller, Entity, Role
from app.domain.recall import FlagGround, StateFlag
from app.domain.temporal import Interval
from app.domain.timeline import Assertion, assert_from
from app.services.container import Memory
from app.services.filing.document_names import MAX_ALIASES
from app.stores.postgres import aliases, entities, ledger_clock, states, type_definitions
from tests.documents import ProjectFixture, adr, ask, day, hit_of, identifiers

MENTIONED = """
SELECT key FROM mention JOIN entity ON entity.tenant_id = $1 AND entity.id = mention.entity
WHERE mention.tenant_id = $1 AND artifact = $2
"""


async def _mentions(desk: ProjectFixture, identifier: str) -> dict[str, int]:
    """The forms by which a document's text mentions others."""
    async with desk.reading() as connection:
        rows = await connection.fetch(
            """
            SELECT surface_form, occurrences FROM mention
            JOIN artifact ON artifact.id = mention.artifact
            JOIN project ON project.project_id = artifact.project_id
            WHERE project.key = $1 AND identifier = $2
            """,
            desk.project,
            identifier,
        )
    return {row["surface_form"]: row["occurrences"] for row in rows}


async def _aliases(desk: ProjectFixture) -> set[tuple[str, int]]:
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT surface_form, authority_tier FROM alias JOIN project USING (project_id)"
            " WHERE project.key = $1",
            desk.project,
        )
    return {tuple(row) for row in rows}


async def test_short_names_are_found_as_words_only(desk: ProjectFixture) -> None:
    """ALI-03."""
    await desk.file(adr(1, "Things", props={"aliases": ["api", "log", "Ann", "a"]}))
    await desk.file(adr(2, "Other", "a rapid announcement in the catalog"))
    assert await _mentions(desk, "ADR-2") == {}
    result = await desk.ask("a rapid announcement in the catalog")
    assert result.anchors == ()
    assert hit_of(result, "ADR-2").annotation.flag is StateFlag.CURRENT
    await desk.file(adr(3, "Third", "Ann reads the log, and the log of the api."))
    assert await _mentions(desk, "ADR-3") == {"Ann": 1, "log": 2, "api": 1}


async def test_an_alias_has_two_to_512_characters(desk: ProjectFixture) -> None:
    filed = await desk.file(adr(1, "Things", props={"aliases": ["a", "ab", "x" * 512, "y" * 513]}))
    assert {len(form) for form, _ in await _aliases(desk)} == {2, 512}
    assert [warning for warning in filed.warnings if warning.startswith("left out an alias of")] == [
        "left out an alias of 1 characters; an alias has 2 to 512",
        "left out an alias of 513 characters; an alias has 2 to 512",
    ]


async def test_so_many_aliases_are_kept_and_no_more(desk: ProjectFixture) -> None:
    forms = [f"Beacon {number}" for number in range(MAX_ALIASES + 2)]
    filed = await desk.file(adr(1, "Lighthouse", props={"aliases": forms}))
    assert filed.warnings == (f"left out 2 aliases: a document has at most {MAX_ALIASES}",)
    assert len(await _aliases(desk)) == MAX_ALIASES


async def test_a_common_word_means_itself(desk: ProjectFixture) -> None:
    """ALI-04: a name that is an ordinary word counts only as it is written."""
    await desk.file(adr(1, "Project", props={"aliases": ["Harbor", "Beacon"]}))
    await desk.file(adr(2, "Sea", "Ships leave the harbor when the beacon is lit."))
    assert await _mentions(desk, "ADR-2") == {}
    result = await desk.ask("ships leave the harbor when the beacon is lit")
    assert result.anchors == ()
    assert hit_of(result, "ADR-2").annotation.flag is StateFlag.CURRENT
    assert [anchor.surface_form for anchor in (await desk.ask("ships of Harbor")).anchors] == ["Harbor"]
    assert [anchor.surface_form for anchor in (await desk.ask("harbor")).anchors] == ["harbor"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("STRASSE", "Straße"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("ﬁle store", "FILE  Store"), ("Ｐｒｉｓｍ", "prism")],
)
async def test_spellings_that_fold_alike_are_one_name(desk: ProjectFixture, one: str, other: str) -> None:
    """ALI-07: the second of a pair is the first."""
    filed = await desk.file(adr(1, "Thing", props={"aliases": [one, other]}))
    assert filed.warnings == ()
    assert len(await _aliases(desk)) == 1
    assert [anchor.entity.id for anchor in (await desk.ask(other)).anchors] == [filed.entity.id]
    refused = await desk.file(adr(2, "Other", props={"aliases": [other]}))
    assert refused.warnings == (f"left out the alias {other}: it means another entity",)


async def test_a_dotted_capital_i_is_another_letter(desk: ProjectFixture) -> None:
    """ALI-07: both names are kept, and each means its own."""
    dotted = await desk.file(adr(1, "One", props={"aliases": ["İzmir Gateway"]}))
    plain = await desk.file(adr(2, "Two", props={"aliases": ["izmir gateway"]}))
    assert dotted.warnings == plain.warnings == ()
    for form, filed in (("İzmir GATEWAY", dotted), ("IZMIR Gateway", plain)):
        assert [anchor.entity.id for anchor in (await desk.ask(form)).anchors] == [filed.entity.id]


@pytest.mark.parametrize(("role", "tier"), [(Role.HUMAN, 1), (Role.ADMIN, 1), (Role.AGENT, 2)])
async def test_the_tier_comes_from_who_is_calling(desk: ProjectFixture, role: Role, tier: int) -> None:
    caller = Caller(desk.tenant, role, "someone")
    await desk.file(adr(2, "Another"))  # not everybody may create a project
    await desk.memory.filing.file(caller, adr(1, "Thing", props={"aliases": "Prism"}), desk.project)
    assert await _aliases(desk) == {("Prism", tier)}


async def test_a_document_that_used_a_name_before_it_was_one_mentions_it(desk: ProjectFixture) -> None:
    await desk.file(adr(2, "Install", "Install PrismGR, then PrismGR again."))
    await desk.file(adr(1, "Prism", props={"aliases": ["PrismGR"]}))
    assert await _mentions(desk, "ADR-2") == {"PrismGR": 2}
    hit = hit_of(await desk.ask("PrismGR"), "ADR-2")
    assert hit.annotation.flag is StateFlag.HISTORICAL
    assert hit.annotation.ground is FlagGround.MENTION
    assert hit.annotation.summary == "[historical: current ADR is Prism, this reflects PrismGR]"


async def test_two_projects_may_give_one_name_two_meanings(desk: ProjectFixture) -> None:
    """TEN-04 among projects."""
    other = ProjectFixture(desk.memory, f"{desk.project}-other")
    mine = await desk.file(adr(1, "Mine", props={"aliases": ["PrismGR"]}))
    theirs = await other.file(adr(1, "Theirs", props={"aliases": ["PrismGR"]}))
    assert [anchor.entity.id for anchor in (await desk.ask("PrismGR")).anchors] == [mine.entity.id]
    assert [anchor.entity.id for anchor in (await other.ask("PrismGR")).anchors] == [theirs.entity.id]
    everywhere = await ask(desk.memory, "PrismGR")
    assert {mine.entity.id, theirs.entity.id} <= {anchor.entity.id for anchor in everywhere.anchors}


@pytest.mark.parametrize("form", ["ADR-1", "adr 0001", "Retry policy", "retry  POLICY"])
async def test_what_something_else_is_called_becomes_no_alias(desk: ProjectFixture, form: str) -> None:
    await desk.file(adr(1, "Retry policy"))
    filed = await desk.file(adr(2, "Another", props={"aliases": [form]}))
    assert filed.warnings == (f"left out the alias {form}: it means another entity",)
    assert identifiers(await desk.ask("ADR-1"))[0] == "ADR-1"


async def test_an_alias_gives_way_to_the_document_whose_identifier_it_is(desk: ProjectFixture) -> None:
    await desk.file(adr(6, "Thing", props={"aliases": ["ADR-99"]}))
    await desk.file(adr(99, "The real one", created_at=day(2021)))
    result = await desk.ask("ADR-99")
    assert result.hits[0].artifact.identifier == "ADR-99"
    assert result.hits[0].annotation.flag is StateFlag.CURRENT
    assert identifiers(await desk.ask("ADR-99", as_of=day(2020, 6)))[0] == "ADR-6"


async def test_an_alias_that_a_version_no_longer_lists_is_free_again(desk: ProjectFixture) -> None:
    await desk.file(adr(1, "First", props={"aliases": ["Beacon"]}))
    await desk.file(adr(1, "First", "Without it.", created_at=day(2021)))
    taken = await desk.file(adr(2, "Second", props={"aliases": ["Beacon"]}, created_at=day(2022)))
    assert taken.warnings == ()
    assert identifiers(await desk.ask("Beacon"))[0] == "ADR-2"
    assert identifiers(await desk.ask("Beacon", as_of=day(2020, 6)))[0] == "ADR-1"


async def _component(desk: ProjectFixture, name: str, alias: str) -> None:
    """A thing of this name and alias, in the desk's project."""
    filed = await desk.file(adr(1, "Something else"))
    thing = Entity(uuid4(), "Component", filed.entity.project, None, day(2020), None)
    async with desk.memory.database.writing(desk.tenant) as connection:
        at = await ledger_clock.advance_clock(connection, desk.tenant)
        types = await type_definitions.types_in_projects(connection, desk.tenant, [])
        number = next(found.number for found in types if found.definition.name == "Component")
        await entities.insert_entity(connection, desk.tenant, thing, number, at, "ada")
        said = Assertion(thing.id, {"name": name}, None, "ada")
        (state,) = assert_from([], said, day(2020), at).recorded
        await states.insert_state(connection, desk.tenant, state)
        form = Alias(uuid4(), alias, thing.id, None, AuthorityTier.PERSON, None, Interval(day(2020)))
        await aliases.insert_alias(connection, desk.tenant, thing.project, form, at, "ada")
        await ledger_clock.finish_write(connection)


@pytest.mark.parametrize(
    ("name", "alias", "text", "mentions"),
    [
        pytest.param("Term", "Terms", "Terms drift; one term stays", {"Terms": 1, "Term": 1}, id="REF-14"),
        pytest.param(
            "Prism",
            "Prism Gate",
            "The Prism Gate opens; Prism shuts.",
            {"Prism": 1, "Prism Gate": 1},
            id="REF-14 a word more",
        ),
        pytest.param(
            "Prism Gate",
            "Prism",
            "Prism gates, prism, Prism Gate.",
            {"Prism": 2, "Prism Gate": 1},
            id="REF-14 the alias is the shorter one",
        ),
        pytest.param(
            "Gate",
            "Prism-Gate",
            "A prism-gate, a gate and a Prism-Gateway.",
            {"Prism-Gate": 1, "Gate": 1},
            id="REF-14 the name at the end",
        ),
        pytest.param("Größe", "Größen", "GRÖSSEN und Größe", {"Größe": 1, "Größen": 1}, id="REF-14 folded"),
        pytest.param("Term", "Terms", "one term, two terms", {}, id="REF-14 plain words alone"),
    ],
)
async def test_the_longest_form_is_taken_and_each_is_counted(
    desk: ProjectFixture, name: str, alias: str, text: str, mentions: dict[str, int]
) -> None:
    await _component(desk, name, alias)
    await desk.file(adr(2, "Other", text))
    assert await _mentions(desk, "ADR-2") == mentions


async def test_a_text_uses_a_form_as_it_is_meant_last(shared_memory: Memory) -> None:
    """In six ledgers alike, for chance would show in some."""
    for number in range(6):
        desk = ProjectFixture(shared_memory, f"quay-{number}")
        await desk.file_all(
            adr(1, "One", props={"aliases": ["Quay"]}),
            adr(1, "One", created_at=day(2021)),
            adr(2, "Two", created_at=day(2022), props={"aliases": ["Quay"]}),
        )
        filed = await desk.file(adr(3, "Three", "The Quay is used.", created_at=day(2023)))
        async with desk.reading() as connection:
            keys = await connection.fetch(MENTIONED, desk.tenant, filed.artifact.id)
        assert [row["key"] for row in keys] == ["adr-2"]
