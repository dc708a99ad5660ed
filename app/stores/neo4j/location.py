"""Which Neo4j the graph is projected into: a server that the settings name, the embedded one, or none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from app.errors import Unavailable
from app.settings import EMBEDDED, Settings
from app.stores.neo4j.embedded.layout import USER
from app.stores.neo4j.embedded.server import EmbeddedNeo4j


@dataclass(frozen=True, slots=True)
class GraphLocation:
    """Where the graph is and how to sign in, and the embedded server when this process has a share in one.

    Without a password nobody signs in, which a server without authentication expects.
    """

    address: str
    user: str
    password: str | None = field(repr=False)
    embedded: EmbeddedNeo4j | None = None

    @property
    def uri(self) -> str:
        """Where the server is now; an embedded one may have moved when it was started again."""
        return self.address if self.embedded is None else self.embedded.uri

    async def close(self) -> None:
        """Let go of the embedded server; a server of its own stays as it is."""
        if self.embedded is not None:
            await asyncio.to_thread(self.embedded.stop)


async def locate_graph(settings: Settings) -> GraphLocation | None:
    """Return where the graph is, started when it is the embedded one, or None when the settings name none.

    The caller closes the answer. A server of somebody else's is not asked yet. Raises Unavailable when
    the embedded one cannot start, or the file of the password cannot be read.
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
