"""What a query names, resolved at the asked time: anchors, the artifacts that lead, forms to search too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.domain.entity import Entity
from app.domain.ontology import label_of
from app.domain.recall import Anchor
from app.domain.temporal import Branch, EntityState
from app.services.anchors import Named, find_named, is_bare_identifier
from app.stores.postgres import anchors as names
from app.stores.postgres import artifacts, entities, states
from app.stores.postgres.anchors import NameOrigin
from app.stores.postgres.scope import Scope


@dataclass(frozen=True, slots=True)
class Anchored:
    """The anchors of a query, the artifacts of those named beyond doubt, and other forms to search by.

    `is_bare_identifier` marks a query without any words beside an identifier.
    """

    anchors: tuple[Anchor, ...] = ()
    leading: tuple[int, ...] = ()
    other_forms: tuple[str, ...] = ()
    is_bare_identifier: bool = False


async def anchor_query(
    connection: asyncpg.Connection, scope: Scope, query: str, *, with_drafts: bool
) -> Anchored:
    """Answer what a query names at the scope's moment; most queries name nothing and cost one statement."""
    named = await find_named(connection, scope, query, with_drafts=with_drafts)
    if not named:
        return Anchored()
    ids = [match.entity for match in named]
    found = await entities.entities_by_id(connection, scope.tenant, ids)
    held = await states.states_as_of(connection, scope.tenant, ids, scope.moment)
    newest = await artifacts.newest_versions_in_scope(connection, scope, ids)
    forms = await names.other_forms_of(connection, scope.tenant, ids, scope.moment)
    return Anchored(
        anchors=tuple(_anchor(match, found, held) for match in named),
        leading=tuple(newest[match.entity] for match in named if match.exact and match.entity in newest),
        other_forms=(*(form.form for form in forms), *_current_names(named, held)),
        is_bare_identifier=is_bare_identifier(query, named),
    )


def _anchor(match: Named, found: dict[UUID, Entity], held: dict[tuple[UUID, Branch], EntityState]) -> Anchor:
    state = held.get((match.entity, Branch.COMMITTED))
    return Anchor(found[match.entity], match.span.text, state, match.exact)


def _current_names(named: Sequence[Named], held: dict[tuple[UUID, Branch], EntityState]) -> list[str]:
    """Answer what the things named by an alias or a former name are called at the asked time."""
    old = [match for match in named if match.is_former or match.origin is NameOrigin.ALIAS]
    found = (held.get((match.entity, Branch.COMMITTED)) for match in old)
    labels = (label_of(state.props) for state in found if state is not None)
    return [label for label in labels if label is not None]
