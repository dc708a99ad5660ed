"""Find the entity that a name on the command line means, and describe entities in output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from app.cli.output import day_text, moment_text, printable, start_text
from app.domain.entity import Absence, AbsenceSource, AliasResolution, Entity
from app.domain.temporal import EVERYTHING_KNOWN, AsOf, is_unknown
from app.errors import Invalid, NotFound
from app.services.catalog import Ambiguous, Elsewhen, EntityNames, RequestedMoment
from app.services.container import Memory

USE_AS_OF = "use --as-of with a date before"
SHORT_COMMIT = 7


async def ambiguity_message(
    memory: Memory, what: str, meant: Sequence[Entity], as_of: datetime | None
) -> str:
    """Return a message with a line for each match of an ambiguous name: what to ask for, then what it is."""
    moment = None if as_of is None else AsOf(as_of, EVERYTHING_KNOWN)
    names = await memory.catalog.names(memory.caller, [entity.id for entity in meant], moment)
    lines = sorted(_choice_lines(meant, names))
    return "\n".join(
        (
            (f"{printable(what)} is ambiguous: it could mean {len(lines)} things; use one of these instead"),
            *lines,
        )
    )


def _choice_lines(meant: Sequence[Entity], found: EntityNames) -> Iterator[str]:
    for entity in meant:
        name, project = _name(entity, meant, found.names[entity.id].identifier), found.project(entity.id).key
        words = str(entity.id) if name is None else f"{_quoted(name)} --project {project}"
        yield f"  {words}  {printable(found.text(entity.id))}"


def _name(entity: Entity, meant: Sequence[Entity], identifier: str | None) -> str | None:
    """Return the key or identifier that is unique to a document in its project; None if only its id is."""
    if entity.key is None or identifier is None:
        return None
    if "/" in entity.key:
        return entity.key
    shared = any(
        other.project == entity.project and (other.key or "").endswith(f"/{entity.key}") for other in meant
    )
    return None if shared else identifier


def _quoted(name: str) -> str:
    return f'"{printable(name)}"' if " " in name else printable(name)


async def find_named(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, advice: str = USE_AS_OF
) -> AliasResolution:
    """Return the entity that an identifier, a name, an alias or an id means.

    Raises NotFound when there is none, or it has ended or not begun, which the message says, with the advice
    if it has ended; raises Invalid, with a line for each match, when there are several.
    """
    try:
        id = UUID(what)
    except ValueError:
        try:
            asked = RequestedMoment(as_of)
            named = await memory.catalog.resolve_alias(memory.caller, what, project, asked)
        except Ambiguous as error:
            lines = await ambiguity_message(memory, what, error.entities, as_of)
            raise Invalid(lines, has_lines=True) from error
    else:
        found = await memory.catalog.entity(memory.caller, id)
        named = None if found is None else AliasResolution(what, found, ())
    if named is None:
        raise await _not_found(memory, what, project, as_of, advice)
    return named


async def find_at_any_time(memory: Memory, what: str, project: str | None) -> AliasResolution:
    """Return the entity that a name means now, or else the one that has ended or not begun yet.

    Raises as `find_named` does.
    """
    try:
        return await find_named(memory, what, project, None)
    except NotFound:
        found = await memory.catalog.elsewhen(memory.caller, what, project, None)
        if len(found) == 1:
            return AliasResolution(what, found[0].entity, ())
        raise


async def _not_found(
    memory: Memory, what: str, project: str | None, as_of: datetime | None, advice: str
) -> NotFound:
    try:
        found = await memory.catalog.elsewhen(memory.caller, what, project, as_of)
    except Invalid:
        found = []
    if not found:
        return NotFound(_not_found_message(printable(what), as_of))
    names = await memory.catalog.names(memory.caller, [each.entity.id for each in found])
    lines = [
        _elsewhen_line(each, printable(names.text(each.entity.id) if found[1:] else what), as_of, advice)
        for each in found
    ]
    return NotFound("\n".join(sorted(lines)), has_lines=True)


def _elsewhen_line(found: Elsewhen, name: str, as_of: datetime | None, advice: str) -> str:
    if found.absence is not None:
        return f"{name} {absence_text(found.absence)}; {advice}"
    present = "" if as_of is None else "; leave out --as-of to ask about the present"
    begins = found.entity.created_at
    when = "at an unknown moment" if is_unknown(begins) else f"on {day_text(begins)}"
    return f"{name} begins {when}{present}"


def absence_text(absence: Absence) -> str:
    """Return since when a document is not there, and why: `ended on 2025-07-01 (withdrawn by ada: late)`."""
    start, end = start_text(absence.valid.start, day_text), absence.valid.end
    when = f"ended on {start}" if end is None else f"was away from {start} until {day_text(end)}"
    return f"{when} ({absence_reason(absence)})"


def absence_reason(absence: Absence) -> str:
    """Return why a document is not there: `removed at commit 1a2b3c4` or `withdrawn by ada: late`."""
    if absence.commit is not None:
        return printable(f"removed at commit {absence.commit[:SHORT_COMMIT]}")
    reason = "" if absence.reason is None else f": {absence.reason}"
    done = "withdrawn" if absence.source is AbsenceSource.CALLER else "removed"
    return printable(f"{done} by {absence.actor}{reason}")


def _not_found_message(what: str, as_of: datetime | None) -> str:
    if as_of is None:
        return f"no document or entity is called {what}; ask by an identifier, a name, an alias or an id"
    return (
        f"no document or entity was called {what} at {moment_text(as_of)}; leave out --as-of to"
        " ask about the present"
    )
