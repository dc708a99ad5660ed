"""Manage the embedded Neo4j: start it, stop it, and inspect it without starting it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from app.errors import Conflict
from app.stores.file_locks import hold_lock, try_lock
from app.stores.neo4j.embedded.jars import is_installed
from app.stores.neo4j.embedded.layout import USER, Address, Layout
from app.stores.neo4j.embedded.server import EmbeddedNeo4j, Neo4jServer
from app.stores.neo4j.location import GraphLocation


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The status of the embedded server; `location` is None if it accepts no connections."""

    is_installed: bool
    is_kept: bool
    is_used: bool
    address: Address | None
    location: GraphLocation | None
    password_file: Path


def layout_of(home: Path) -> Layout:
    """Return the file layout of a home, whether it exists or not."""
    return Layout(home.expanduser().absolute().resolve())


def start_and_keep(home: Path) -> GraphLocation:
    """Start the server unless it runs, and keep it running even if nobody uses it, until `stop`.

    Raises Unavailable when it cannot start.
    """
    embedded = EmbeddedNeo4j.start(home)
    try:
        layout_of(home).kept.touch()
        return GraphLocation(embedded.uri, USER, embedded.password)
    finally:
        embedded.stop()


def stop(home: Path) -> bool:
    """Stop the server cleanly; return whether one was running.

    Raises Conflict when a process uses it: it then stops by itself once nobody uses it.
    """
    layout = layout_of(home)
    if not layout.serving.exists():
        return False
    with hold_lock(layout.starting):
        layout.kept.unlink(missing_ok=True)
        users = try_lock(layout.users)
        if users is None:
            raise Conflict(
                "another process uses Neo4j, such as `trigraph serve`; stop that process, and Neo4j stops too"
            )
        try:
            return Neo4jServer(layout).stop()
        finally:
            os.close(users)


def look(home: Path) -> ServerStatus:
    """Return the server's current status without starting it."""
    layout = layout_of(home)
    address = Neo4jServer(layout).ready_address()
    location = None
    if address is not None and layout.password.exists():
        password = layout.password.read_text(encoding="ascii")
        location = GraphLocation(address.uri, USER, password)
    is_used = layout.users.exists() and _is_used(layout)
    return ServerStatus(is_installed(), layout.kept.exists(), is_used, address, location, layout.password)


def _is_used(layout: Layout) -> bool:
    users = try_lock(layout.users)
    if users is None:
        return True
    os.close(users)
    return False
