"""Where the embedded server keeps its things in a home, and who holds which lock.

Whoever starts or stops the server holds `starting` alone, each process that uses it holds `users` together
with the others, and the server itself holds `serving` alone for as long as it lives.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

USER = "neo4j"
NOBODY = 0


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens, and which process it is: NOBODY until it is ready."""

    process: int
    port: int

    @property
    def uri(self) -> str:
        """The address in the form the driver reads."""
        return f"bolt://127.0.0.1:{self.port}"


@dataclass(frozen=True, slots=True)
class Layout:
    """The files of the embedded Neo4j of one home."""

    home: Path

    @property
    def starting(self) -> Path:
        """Locked by whoever starts or stops the server."""
        return self.home / "neo4j.lock"

    @property
    def users(self) -> Path:
        """Locked, together, by every process that uses the server."""
        return self.home / "neo4j.users"

    @property
    def serving(self) -> Path:
        """Locked by the server for as long as it lives."""
        return self.home / "neo4j.server"

    @property
    def kept(self) -> Path:
        """There when the server is to stay although nobody uses it."""
        return self.home / "neo4j.kept"

    @property
    def folder(self) -> Path:
        """The server's own folder, with its data and its log."""
        return self.home / "neo4j"

    @property
    def password(self) -> Path:
        """The password of the user neo4j, readable by its owner alone."""
        return self.folder / "password"

    @property
    def address(self) -> Path:
        """Where the server listens, or listened last, for it keeps its port when it can."""
        return self.folder / "address.json"

    @property
    def log(self) -> Path:
        """What the server said since it was last started."""
        return self.folder / "log"


def read_address(layout: Layout) -> Address | None:
    """Return what the server wrote down last, or None before it ever did."""
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        written = json.loads(layout.address.read_text(encoding="ascii"))
        return Address(int(written["process"]), int(written["port"]))
    return None


def write_address(layout: Layout, address: Address) -> None:
    """Write down where the server listens, whole or not at all."""
    unfinished = layout.address.with_suffix(".unfinished")
    unfinished.write_text(json.dumps({"process": address.process, "port": address.port}), encoding="ascii")
    os.replace(unfinished, layout.address)
