"""What `trigraph neo4j status` sees and tells."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass

from app.cli.printing import counted, print_json, printable, say
from app.errors import TrigraphError
from app.settings import EMBEDDED, Settings
from app.stores.neo4j import attendance
from app.stores.neo4j.driver import Graph
from app.stores.neo4j.location import GraphLocation, locate_graph

_COUNT = "RETURN COUNT { () } AS nodes, COUNT { ()-->() } AS relationships"


@dataclass(frozen=True, slots=True)
class Status:
    """What is seen of Neo4j; a line for people each, and what can be measured when it answers."""

    lines: tuple[str, ...]
    answers: bool = False
    uri: str | None = None
    version: str | None = None
    nodes: int | None = None
    relationships: int | None = None


async def look_at(settings: Settings) -> Status:
    """Look at the Neo4j of the settings, or at the embedded one of the home when they name none."""
    if settings.neo4j_uri not in (None, EMBEDDED):
        location = await locate_graph(settings)
        assert location is not None
        return await _answering(location, ())
    seen = await asyncio.to_thread(attendance.look, settings.home)
    lines = _embedded_lines(settings, seen)
    if seen.location is None:
        state = "stopped" if seen.is_installed else "not installed; `trigraph neo4j install` fetches it"
        return Status((f"the embedded Neo4j is {state}", *lines))
    return await _answering(seen.location, lines)


def print_status(status: Status, *, as_json: bool) -> None:
    """Write what was seen, in lines or as one JSON object."""
    if as_json:
        told = asdict(status)
        del told["lines"]
        print_json(told)
        return
    for line in status.lines:
        say(printable(line))


async def _answering(location: GraphLocation, lines: tuple[str, ...]) -> Status:
    try:
        async with Graph(location) as graph:
            version = await graph.version()
            (sizes,) = await graph.read(_COUNT)
    except TrigraphError as error:
        return Status((error.message, *lines), uri=location.uri)
    nodes, relationships = int(sizes["nodes"]), int(sizes["relationships"])
    told = (
        f"Neo4j {version} answers at {location.uri}",
        f"{counted(nodes, 'node')}, {counted(relationships, 'relationship')}",
    )
    return Status((*told, *lines), True, location.uri, version, nodes, relationships)


def _embedded_lines(settings: Settings, seen: attendance.Attendance) -> tuple[str, ...]:
    lines = []
    if settings.neo4j_uri is None:
        lines.append(
            "TRIGRAPH_NEO4J_URI is not set, so nothing is projected; set it to embedded to use this one"
        )
    if seen.is_kept:
        lines.append("it stays up until `trigraph neo4j stop`")
    elif seen.location is not None:
        used = "it is in use; it stops by itself soon after the last command that uses it ends"
        lines.append(used if seen.is_used else "no command uses it, so it stops by itself soon")
    return tuple(lines)
