"""The words of the domain as enums of the API, every value described."""

from __future__ import annotations

from collections.abc import Mapping
from enum import EnumMeta

import strawberry

from app.domain.artifact import MemoryDomain
from app.domain.candidate import CandidateStatus
from app.domain.entity import Direction, ReferenceType
from app.domain.ontology import Zone
from app.domain.recall import FlagGround, LegName, StateFlag
from app.domain.temporal import Branch, WipSource
from app.graphql.types import enum_values


def _described(enum: EnumMeta, name: str, description: str, values: Mapping[str, str]) -> None:
    """Make a domain enum one of the API's, without writing GraphQL into the domain."""
    strawberry.enum(enum, name=name, description=description)
    for value in enum.__strawberry_definition__.values:  # type: ignore[attr-defined]
        value.description = values[value.name]


_described(
    Branch, "Branch", "Which of an entity's two lines of states a state belongs to.", enum_values.BRANCH
)
_described(
    CandidateStatus,
    "CandidateStatus",
    "Whether a candidate waits, or what was decided about it.",
    enum_values.CANDIDATE_STATUS,
)
_described(Direction, "Direction", "Which way to follow references from an entity.", enum_values.DIRECTION)
_described(FlagGround, "FlagGround", "What a hit's flag rests on.", enum_values.FLAG_GROUND)
_described(LegName, "Leg", "One way of finding artifacts; recall asks all of them.", enum_values.LEG)
_described(
    MemoryDomain,
    "MemoryDomain",
    "What part of a team's memory an artifact belongs to.",
    enum_values.MEMORY_DOMAIN,
)
_described(ReferenceType, "ReferenceType", "How one entity refers to another.", enum_values.REFERENCE_TYPE)
_described(
    StateFlag,
    "StateFlag",
    "Whether a hit speaks of the present, of the past or of work in progress.",
    enum_values.STATE_FLAG,
)
_described(WipSource, "WipSource", "Where a draft comes from.", enum_values.WIP_SOURCE)
_described(Zone, "Zone", "Where a type belongs.", enum_values.ZONE)

__all__ = [
    "Branch",
    "CandidateStatus",
    "Direction",
    "FlagGround",
    "LegName",
    "MemoryDomain",
    "ReferenceType",
    "StateFlag",
    "WipSource",
    "Zone",
]
