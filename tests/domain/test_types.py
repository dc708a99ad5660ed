"""The types that ship, and what they may reference."""

from __future__ import annotations

from app.domain.entity import AuthorityTier, Caller, ReferenceType, Role
from app.domain.numbers import TenantNumber
from app.domain.types import (
    ReferenceRule,
    Zone,
    document_type,
    label_of,
    naming_forms,
    rules_among,
    shipped_types,
)

TYPES = {definition.name: definition for definition in shipped_types()}


def test_fourteen_types_ship() -> None:
    system = {name for name, definition in TYPES.items() if definition.zone is Zone.SYSTEM}
    documents = {name for name, definition in TYPES.items() if definition.is_document}
    assert system == {"Project", "Persona", "Session"}
    assert documents == {"ADR", "SPEC", "Plan", "TODO", "Delta", "Journal", "Retro"}
    assert TYPES.keys() - system - documents == {"Component", "EnvVar", "Location", "Mode"}
    assert all(definition.ptype == "application" for name, definition in TYPES.items() if name not in system)


def test_each_type_allows_the_properties_it_names() -> None:
    assert TYPES["ADR"].immutable_props == ("identifier",)
    assert TYPES["ADR"].unknown_props({"title": "", "melody": "", "identifier": "", "anger": ""}) == [
        "anger",
        "melody",
    ]
    assert {
        name: definition.immutable_props for name, definition in TYPES.items() if definition.immutable_props
    } == {
        **{name: ("identifier",) for name, definition in TYPES.items() if definition.is_document},
        "Persona": ("handle",),
        "Session": ("startedAt",),
        "EnvVar": ("key",),
    }


def test_a_defined_document_type_adds_to_the_usual_properties() -> None:
    song = document_type("Song", ("melody", "title", "identifier", "anger"))
    assert song.is_document
    assert song.immutable_props == ("identifier",)
    assert song.mutable_props == (*TYPES["ADR"].mutable_props, "anger", "melody")


def test_documents_may_join_by_every_type_and_things_by_few() -> None:
    rules = set(rules_among((*shipped_types(), document_type("Song", ()))))
    for kind in ReferenceType:
        assert ReferenceRule("ADR", kind, "SPEC") in rules
        assert ReferenceRule("Song", kind, "Song") in rules
    assert ReferenceRule("ADR", ReferenceType.SPECIFIES, "Component") in rules
    assert ReferenceRule("ADR", ReferenceType.SUPERSEDES, "Component") not in rules
    assert ReferenceRule("Component", ReferenceType.DEPENDS_ON, "EnvVar") in rules
    assert ReferenceRule("EnvVar", ReferenceType.DEPENDS_ON, "Component") not in rules


def test_a_thing_is_called_by_its_names_in_order_of_preference() -> None:
    props = {
        "title": " The title ",
        "name": "Prism",
        "status": "x",
        "pid": 7,
        "fqdn": " ",
        "identifier": "ADR-1",
    }
    assert naming_forms(props) == {"name": "Prism", "title": "The title", "identifier": "ADR-1"}
    assert label_of(props) == "Prism"
    assert label_of({"identifier": "ADR-1"}) == "ADR-1"
    assert label_of({"pid": "p-1"}) is None


def test_a_tier_follows_from_the_role() -> None:
    tiers = {role: Caller(TenantNumber(1), role, "x").tier for role in Role}
    assert tiers[Role.HUMAN] is tiers[Role.ADMIN] is AuthorityTier.PERSON
    assert tiers[Role.AGENT] is AuthorityTier.AGENT
