"""Find the type of a document's kind; an import may define or widen it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from app.domain.artifact import Document
from app.domain.bounds import MAX_TYPE_NAME, excerpt, excerpts
from app.domain.entity import Project
from app.domain.types import TypeDefinition, document_type
from app.errors import Invalid
from app.services.cached_lookups import forget_types, load_types
from app.services.entities.types import record_type
from app.services.unit_of_work import UnitOfWork
from app.stores.postgres import type_definitions
from app.stores.postgres.type_definitions import RecordedType

_CAPITALS = re.compile("[A-Z]{2,16}")

DOCUMENT_HEADERS = frozenset({"aliases"})


def prefixes_of(types: Iterable[TypeDefinition]) -> frozenset[str]:
    """Return the identifier prefixes of these types: names in capitals, as RFC in RFC-12."""
    return frozenset(each.name for each in types if each.is_document and _CAPITALS.fullmatch(each.name))


async def type_of(
    write: UnitOfWork, project: Project, document: Document, *, defines_kinds: bool
) -> tuple[RecordedType, tuple[str, ...]]:
    """Return the type of a document, and warnings about what was defined or left out.

    Raises Invalid, listing the existing kinds, if the kind is unknown and the caller may not define it.
    """
    known = await load_types(write, project)
    named = type_definitions.type_named(known, document.kind)
    if named is not None and not named.definition.is_document:
        raise Invalid(
            f"{excerpt(document.kind)} is not a document type; use createEntity for it; {_choices(known)}",
            field="kind",
            allowed=_kinds(known),
        )
    if named is None and not defines_kinds:
        raise Invalid(
            f"there is no kind {excerpt(document.kind)}; {_choices(known)};"
            " defineType(isDocument: true) defines another",
            field="kind",
            allowed=_kinds(known),
        )
    if named is None:
        return await _define(write, project, document, known)
    return await _widen(write, document, named, may_widen=defines_kinds)


def _choices(known: list[RecordedType]) -> str:
    return f"the kinds are {', '.join(_kinds(known))}"


def _kinds(known: list[RecordedType]) -> list[str]:
    return sorted(recorded.definition.name for recorded in known if recorded.definition.is_document)


def _headers(document: Document) -> set[str]:
    return set(document.props) - DOCUMENT_HEADERS


async def _define(
    write: UnitOfWork, project: Project, document: Document, known: list[RecordedType]
) -> tuple[RecordedType, tuple[str, ...]]:
    if len(document.kind) > MAX_TYPE_NAME:
        raise Invalid(f"a kind has at most {MAX_TYPE_NAME} characters", field="kind")
    definition = document_type(document.kind, tuple(_headers(document)))
    made = await record_type(write, project, definition, known)
    forget_types(write)
    return made, (f"defined the kind {definition.name} in project {project.key}",)


async def _widen(
    write: UnitOfWork, document: Document, recorded: RecordedType, *, may_widen: bool
) -> tuple[RecordedType, tuple[str, ...]]:
    unknown = recorded.definition.unknown_props(dict.fromkeys(_headers(document)))
    if not unknown:
        return recorded, ()
    if may_widen and recorded.is_own:
        await type_definitions.widen_type(await write.flush(), write.tenant, recorded.number, unknown)
        forget_types(write)
        wider = (*recorded.definition.mutable_props, *unknown)
        return replace(recorded, definition=replace(recorded.definition, mutable_props=wider)), ()
    lost = [name for name in unknown if name not in document.meta]
    if not lost:
        return recorded, ()
    allowed = ", ".join((*recorded.definition.immutable_props, *recorded.definition.mutable_props))
    return recorded, (f"left out header {excerpts(lost)}: {recorded.definition.name} has only {allowed}",)
