"""The embedded server's files in a home, and who holds which lock.

A process that starts or stops the server holds `starting` exclusively, each process that uses it shares
`users`, and the server itself holds `serving` exclusively for as long as it lives.
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
    """The address and the process number of a server; the process is NOBODY until the server is ready."""

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
        """The lock file held by a process that starts or stops the server."""
        return self.home / "neo4j.lock"

    @property
    def users(self) -> Path:
        """The lock file that every process using the server shares."""
        return self.home / "neo4j.users"

    @property
    def serving(self) -> Path:
        """The lock file that the server holds for as long as it lives."""
        return self.home / "neo4j.server"

    @property
    def kept(self) -> Path:
        """The file whose presence keeps the server running when nobody uses it."""
        return self.home / "neo4j.kept"

    @property
    def folder(self) -> Path:
        """The server's own folder, with its data and its log."""
        return self.home / "neo4j"

    @property
    def password(self) -> Path:
        """The file with the password of the user neo4j, readable by its owner only."""
        return self.folder / "password"

    @property
    def address(self) -> Path:
        """The file with the server's latest address; the server reuses its port if it can."""
        return self.folder / "address.json"

    @property
    def log(self) -> Path:
        """The server's log since its last start."""
        return self.folder / "log"


def read_address(layout: Layout) -> Address | None:
    """Return the address that the server wrote last, or None if it never wrote one."""
    with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
        written = json.loads(layout.address.read_text(encoding="ascii"))
        return Address(int(written["process"]), int(written["port"]))
    return None


def write_address(layout: Layout, address: Address) -> None:
    """Write the server's address to its file atomically."""
    unfinished = layout.address.with_suffix(".unfinished")
    unfinished.write_text(json.dumps({"process": address.process, "port": address.port}), encoding="ascii")
    os.replace(unfinished, layout.address)
