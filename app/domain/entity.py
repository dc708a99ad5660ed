"""Entities, aliases and references, and the callers, tenants and projects they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import TypeAlias
from uuid import UUID

from app.domain.numbers import ProjectNumber, TenantNumber
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
    """The authority of a source: a person, an agent in an authored artifact, a pattern extractor."""

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
    """The caller of a service: tenant, role, and the name recorded with every write.

    To a caller of one `project` no other is there. `is_local` marks the person at this machine, who has the
    database itself.
    """

    tenant: TenantNumber
    role: Role
    principal: str
    project: ProjectNumber | None = None
    is_local: bool = False

    @property
    def tier(self) -> AuthorityTier:
        """The authority tier of this caller's writes."""
        return AuthorityTier.PERSON if self.role in (Role.HUMAN, Role.ADMIN) else AuthorityTier.AGENT

    @property
    def may_administer(self) -> bool:
        """Whether this caller may make projects and types."""
        return self.role is Role.ADMIN or (self.is_local and self.role is Role.HUMAN)


@dataclass(frozen=True, slots=True)
class Token:
    """A token as its operator sees it: never the secret, nor its hash."""

    id: UUID
    tenant: str
    project: str | None
    role: Role
    principal: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class TenantCounts:
    """A tenant, with the numbers of its projects and of its tokens that are good now."""

    key: str
    created_at: datetime
    projects: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Project:
    """A named scope inside a tenant; every index starts with the tenant and this `number`."""

    number: ProjectNumber
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An identity; everything that can change is state and is stored elsewhere."""

    id: UUID
    type_name: str
    project: ProjectNumber
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


Edge: TypeAlias = tuple[UUID, UUID, ReferenceType, bool]
"""What a reference joins and how: its source, its target, its type, and whether it is in part."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A typed, dated edge between two entities.

    One that is `in_part` says that the source supersedes a part of the target, which stays in force; it
    relates them.
    """

    id: UUID
    source: UUID
    target: UUID
    type: ReferenceType
    source_artifact: UUID | None
    valid: Interval
    in_part: bool = False

    @property
    def edge(self) -> Edge:
        """What it joins and how."""
        return self.source, self.target, self.type, self.in_part


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Why, when and by whom an alias or a reference was withdrawn."""

    reason: str | None
    at: datetime
    actor: str


class AbsenceSource(StrEnum):
    """What says that a document is not there: a caller, a folder without its file, or a git history."""

    CALLER = "CALLER"
    FOLDER = "FOLDER"
    GIT = "GIT"


@dataclass(frozen=True, slots=True)
class Absence:
    """An interval in which a document is not there, or one version of it, if `artifact` names one."""

    id: UUID
    entity: UUID
    artifact: UUID | None
    valid: Interval
    source: AbsenceSource
    commit: str | None
    reason: str | None
    recorded_at: datetime
    actor: str

    def hides_document(self, moment: datetime) -> bool:
        """Return whether the document is not there at a moment in any version."""
        return self.artifact is None and self.valid.covers(moment)


@dataclass(frozen=True, slots=True)
class AliasResolution:
    """The entity that a surface form means, and the aliases that lead to it."""

    surface_form: str
    entity: Entity
    chain: tuple[Alias, ...]


@dataclass(frozen=True, slots=True)
class PendingReference:
    """A reference of `source` that is pending until its document's name `waits_for` can be resolved.

    `is_inverted` marks one that leads from the missing end to the source, such as `Superseded by`,
    and `in_part` one that supersedes a part of its target.
    """

    id: UUID
    source: UUID
    type: ReferenceType
    waits_for: str
    is_inverted: bool
    in_part: bool
    is_ambiguous: bool
    source_artifact: UUID
    valid_from: datetime
    recorded_at: datetime
