"""What every step of one write shares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import asyncpg

from app.domain.entity import Caller


@dataclass(frozen=True, slots=True)
class Write:
    """One write transaction: its connection, its caller and its transaction time."""

    connection: asyncpg.Connection
    caller: Caller
    recorded_at: datetime

    @property
    def tenant(self) -> int:
        """The tenant written to."""
        return self.caller.tenant

    @property
    def actor(self) -> str:
        """The name every row is stamped with."""
        return self.caller.principal
