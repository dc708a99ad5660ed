"""Whether a thing may have a new name, and what that means for the texts that were filed before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.domain.ontology import TypeDefinition
from app.domain.surface_form import name_key
from app.domain.temporal import Branch, EntityState, Interval
from app.domain.timeline import Change, state_at
from app.services.aliases.present_names import Naming, forms_of, require_free_names
from app.services.aliases.usage import note_earlier_mentions
from app.services.filing.edges import Joined
from app.services.filing.parting import part_by_name
from app.services.filing.waiting import join_pending_by_name
from app.services.write import Write
from app.stores.postgres import entities, lookups, states
from app.stores.postgres.mentions import NamedForm


async def require_free_renaming(
    write: Write, definition: TypeDefinition, held: Sequence[EntityState], change: Change
) -> None:
    """Raise Conflict, naming it, when another thing goes by a name that a change gives, while it has it."""
    new = change.new
    forms = _forms_given(held, new)
    if forms:
        entity = (await entities.entities_by_id(write.connection, write.tenant, [new.entity]))[new.entity]
        valid = Interval(new.valid.start, _until(change, forms))
        await require_free_names(
            write, Naming(entity.project, definition, new.props, valid, own=entity.id), forms
        )


def _forms_given(held: Sequence[EntityState], new: EntityState) -> list[str]:
    """Answer by what a thing goes in a new state and did not at that time before."""
    covering = state_at(held, new.valid.start)
    had = {name_key(form) for form in forms_of({} if covering is None else covering.props)}
    return [form for form in forms_of(new.props) if name_key(form) not in had]


def _until(change: Change, forms: Sequence[str]) -> datetime | None:
    """Answer until when a change lets a thing have one of its new names."""
    until = change.new.valid.end
    for state in sorted(change.recorded, key=lambda each: each.valid.start):
        if state.valid.start == until and set(forms) & set(forms_of(state.props)):
            until = state.valid.end
    return until


async def meet_earlier_texts(
    write: Write, definition: TypeDefinition, held: Sequence[EntityState], new: EntityState
) -> None:
    """Let references that waited for a thing's new name find it, and older texts that use it mention it.

    References that found it by a name which it never had after all, since that is corrected, wait again.
    A document goes by its identifier in texts, so that a new title means nothing there.
    """
    if definition.is_document:
        return
    had = {name_key(form): form for state in held for form in forms_of(state.props)}
    forms = _forms_given(held, new)
    lost = await _lost(write, new, had)
    if not forms and not lost:
        return
    where = (write.connection, write.tenant)
    entity = (await entities.entities_by_id(*where, [new.entity]))[new.entity]
    project = (await lookups.projects_by_number(*where, [entity.project]))[entity.project]
    if lost:
        await part_by_name(write, entity, lost)
    if forms:
        await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))


async def _lost(write: Write, new: EntityState, had: Mapping[str, str]) -> list[str]:
    """Answer the forms by which a thing was believed to go, and is not believed ever to have gone."""
    if had.keys() <= {name_key(form) for form in forms_of(new.props)}:
        return []
    believed = await states.believed_states(write.connection, write.tenant, new.entity, Branch.COMMITTED)
    kept = {name_key(form) for state in believed for form in forms_of(state.props)}
    return [form for key, form in had.items() if key not in kept]
