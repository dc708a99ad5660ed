"""What every step of one write shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias

import asyncpg

from app.domain.entity import Caller

Homonyms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Keys that several documents claim, with the keys by which each of them goes instead."""

NO_HOMONYMS: Homonyms = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Write:
    """One write transaction: its connection, its caller, its transaction time, and what names are unclear."""

    connection: asyncpg.Connection
    caller: Caller
    recorded_at: datetime
    homonyms: Homonyms

    @property
    def tenant(self) -> int:
        """The tenant written to."""
        return self.caller.tenant

    @property
    def actor(self) -> str:
        """The name every row is stamped with."""
        return self.caller.principal
