"""What a document was when, as a table that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from rich.console import Console
from rich.text import Text

from app.cli.printing import printable
from app.domain.identifier import identifier_key
from app.domain.moment import EVERYTHING_KNOWN
from app.domain.page import MOST_ITEMS, PageRequest
from app.domain.temporal import EntityState, StateEvent
from app.errors import NotFound
from app.services.memory import Memory
from app.stores.postgres import artifacts, entities, histories, projects
from app.stores.postgres.histories import Arrival


@dataclass(frozen=True, slots=True)
class Moment:
    """A state of a document: since when it holds, what it says, and what led to it."""

    since: datetime
    status: str | None
    title: str
    event: str
    cause: str | None


async def load_timeline(memory: Memory, project_key: str, identifier: str) -> list[Moment]:
    """Answer the states of a document, the earliest first, of many the first hundred.

    Raises NotFound when no document of the project has the identifier.
    """
    tenant = memory.caller.tenant
    async with memory.database.reading(tenant) as connection:
        project = await projects.project_by_key(connection, tenant, project_key)
        key = identifier_key(identifier)
        entity = project and await entities.entity_by_key(connection, tenant, project.number, key)
        if not entity:
            raise NotFound(f"there is no {identifier} in the project {project_key}")
        page = PageRequest(MOST_ITEMS)
        found = await histories.states_of_entities(connection, tenant, [entity.id], EVERYTHING_KNOWN, page)
        states = found[entity.id].items
        arrivals = [Arrival(entity.id, state.branch, state.valid.start, None) for state in states]
        events = await histories.events_into(connection, tenant, arrivals)
        causes = [event.cause_artifact for event in events.values() if event.cause_artifact is not None]
        documents = await artifacts.artifacts_by_id(connection, tenant, causes)
    names = {id: document.identifier or document.title for id, document in documents.items()}
    return [
        _moment(state, events.get(arrival), names) for state, arrival in zip(states, arrivals, strict=True)
    ]


def _moment(state: EntityState, event: StateEvent | None, names: Mapping[UUID, str]) -> Moment:
    cause = None
    if event is not None:
        document = event.cause_artifact
        cause = event.cause_commit if document is None else names.get(document)
    status, title = state.props.get("status"), state.props.get("title")
    return Moment(
        since=state.valid.start,
        status=status if isinstance(status, str) else None,
        title=title if isinstance(title, str) else "",
        event="" if event is None else event.event_type,
        cause=cause,
    )


def print_timeline(console: Console, moments: list[Moment]) -> None:
    """Write each state on a line of its own: since when, its status and title, what led to it and by what."""
    for moment in moments:
        line = Text(f"    {moment.since.astimezone(UTC):%Y-%m-%d}  ")
        line.append(printable(moment.status or "status not told").ljust(16), style="bold")
        line.append(printable(moment.title))
        why = f"{moment.event} by {moment.cause}" if moment.cause else moment.event
        line.append(f"  {printable(why)}", style="blue")
        console.print(line, soft_wrap=True)
