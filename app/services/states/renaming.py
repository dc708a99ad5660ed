"""What a new name of a thing means for the texts that were filed before it."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.ontology import TypeDefinition, naming_forms
from app.domain.surface_form import name_key
from app.domain.temporal import EntityState
from app.services.aliases.usage import note_earlier_mentions
from app.services.filing.edges import Joined
from app.services.filing.waiting import join_pending_by_name
from app.services.write import Write
from app.stores.postgres import entities, lookups
from app.stores.postgres.mentions import NamedForm


async def meet_earlier_texts(
    write: Write, definition: TypeDefinition, held: Sequence[EntityState], new: EntityState
) -> None:
    """Let references that waited for a thing's new name find it, and older texts that use it mention it.

    A document goes by its identifier in texts, so that a new title means nothing there.
    """
    if definition.is_document:
        return
    had = {name_key(form) for state in held for form in naming_forms(state.props).values()}
    forms = [form for form in naming_forms(new.props).values() if name_key(form) not in had]
    if not forms:
        return
    where = (write.connection, write.tenant)
    entity = (await entities.entities_by_id(*where, [new.entity]))[new.entity]
    project = (await lookups.projects_by_number(*where, [entity.project]))[entity.project]
    await join_pending_by_name(write, project, entity, forms, Joined())
    for form in forms:
        await note_earlier_mentions(write, project.number, NamedForm(entity.id, form, name_key(form)))
