"""Find the Neo4j that holds the graph: a server named in the settings, the embedded one, or none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from app.errors import Unavailable
from app.settings import EMBEDDED, Settings
from app.stores.neo4j.embedded.layout import USER
from app.stores.neo4j.embedded.server import EmbeddedNeo4j


@dataclass(frozen=True, slots=True)
class GraphLocation:
    """The graph's address and credentials, and the embedded server if this process has a share in one.

    Without a password no credentials are sent, as a server without authentication expects.
    """

    address: str
    user: str
    password: str | None = field(repr=False)
    embedded: EmbeddedNeo4j | None = None

    @property
    def uri(self) -> str:
        """The server's current address; an embedded one may get a new port when it restarts."""
        return self.address if self.embedded is None else self.embedded.uri

    async def close(self) -> None:
        """Release the embedded server; an external server stays as it is."""
        if self.embedded is not None:
            await asyncio.to_thread(self.embedded.stop)


async def locate_graph(settings: Settings) -> GraphLocation | None:
    """Return the graph's location, starting an embedded server, or None if the settings name none.

    The caller closes the location. An external server is not contacted yet. Raises Unavailable when
    the embedded server cannot start, or the password file cannot be read.
    """
    if settings.neo4j_uri is None:
        return None
    if settings.neo4j_uri == EMBEDDED:
        embedded = await asyncio.to_thread(EmbeddedNeo4j.start, settings.home)
        return GraphLocation(embedded.uri, USER, embedded.password, embedded)
    return GraphLocation(settings.neo4j_uri, settings.neo4j_user, _password(settings))


def _password(settings: Settings) -> str | None:
    if settings.neo4j_password_file is None:
        secret = settings.neo4j_password
        return None if secret is None else secret.get_secret_value()
    path = settings.neo4j_password_file.expanduser()
    try:
        password = path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"TRIGRAPH_NEO4J_PASSWORD_FILE: {path} cannot be read: {error}") from error
    if not password:
        raise Unavailable(f"TRIGRAPH_NEO4J_PASSWORD_FILE: {path} is empty; write the password into it")
    return password
