"""Identity and meaning: entities, the names they go by and the references between them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from uuid import UUID

from app.domain.temporal import Interval


class ReferenceType(StrEnum):
    """How one entity refers to another; REFERENCES is the generic fallback."""

    IMPLEMENTS = "IMPLEMENTS"
    EXTENDS = "EXTENDS"
    RELATES_TO = "RELATES_TO"
    SUPERSEDES = "SUPERSEDES"
    DEPENDS_ON = "DEPENDS_ON"
    SPECIFIES = "SPECIFIES"
    FORMALIZES = "FORMALIZES"
    RESOLVES = "RESOLVES"
    DOCUMENTS = "DOCUMENTS"
    REFERENCES = "REFERENCES"


class Direction(StrEnum):
    """Which way to follow references from an entity."""

    OUT = "OUT"
    IN = "IN"
    BOTH = "BOTH"


class AuthorityTier(IntEnum):
    """How binding a source is: a person, an agent in an authored artifact, a pattern extractor."""

    PERSON = 1
    AGENT = 2
    EXTRACTOR = 3


class Role(StrEnum):
    """What a caller may do."""

    READER = "reader"
    AGENT = "agent"
    HUMAN = "human"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking: the tenant they work in, their role and the name every write is stamped with."""

    tenant: int
    role: Role
    principal: str

    @property
    def tier(self) -> AuthorityTier:
        """The authority tier of what this caller writes."""
        return AuthorityTier.PERSON if self.role in (Role.HUMAN, Role.ADMIN) else AuthorityTier.AGENT


@dataclass(frozen=True, slots=True)
class Project:
    """A named scope inside a tenant; `number` is what every index leads with after the tenant."""

    number: int
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Entity:
    """Identity alone: what can change is state, never kept here."""

    id: UUID
    type_name: str
    project: int
    key: str | None
    created_at: datetime
    source_artifact: UUID | None


@dataclass(frozen=True, slots=True)
class Alias:
    """A surface form that means an entity."""

    id: UUID
    surface_form: str
    target: UUID
    source: UUID | None
    tier: AuthorityTier
    source_artifact: UUID | None
    valid: Interval


@dataclass(frozen=True, slots=True)
class Reference:
    """A typed, dated edge between two entities."""

    id: UUID
    source: UUID
    target: UUID
    type: ReferenceType
    source_artifact: UUID | None
    valid: Interval


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Why, when and by whom an alias or a reference was withdrawn."""

    reason: str | None
    at: datetime
    actor: str


@dataclass(frozen=True, slots=True)
class AliasResolution:
    """The entity a surface form means, and the aliases that led there."""

    surface_form: str
    entity: Entity
    chain: tuple[Alias, ...]
