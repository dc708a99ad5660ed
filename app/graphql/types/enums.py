"""The domain's enums as enums of the API, with descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import EnumMeta

import strawberry

from app.domain.artifact import DatePrecision, DateSource, MemoryDomain
from app.domain.candidate import CandidateStatus
from app.domain.entity import AbsenceSource, Direction, ReferenceType, Role
from app.domain.recall import FlagGround, LegName, StateFlag
from app.domain.temporal import Branch, WipSource
from app.domain.types import Zone

ABSENCE_SOURCE = {
    "CALLER": "A caller withdrew the document.",
    "FOLDER": "Its file was gone from the folder at an import with --prune.",
    "GIT": "A commit deleted its file, or the history that held it was rewritten.",
}
BRANCH = {
    "COMMITTED": "The states that are agreed and in force.",
    "WIP": "The draft beside the state in force, until it is sealed or discarded.",
}
CANDIDATE_STATUS = {
    "PENDING": "Nobody has decided yet.",
    "PROMOTED": "A person agreed, and the alias or fact was written.",
    "REJECTED": "A person disagreed, and nothing was written.",
}
DATE_PRECISION = {
    "INSTANT": "It has a time of day.",
    "DAY": "It is a day, from its start in UTC.",
    "WEEK": "It is a week, from the start of its Monday.",
    "MONTH": "It is a month, from the start of its first day.",
    "QUARTER": "It is a quarter of a year, from the start of its first day.",
    "YEAR": "It is a year, from the start of its first day.",
}
DATE_SOURCE = {
    "HEADER": "The document says it, or whoever filed it.",
    "FILE_NAME": "The name of its file or folders says it.",
    "GIT": "The commit that brought it says it.",
    "FILED": "Nothing says it: the document counts from its filing.",
}
DIRECTION = {
    "OUT": "References from the entity.",
    "IN": "References to the entity.",
    "BOTH": "References in both directions.",
}
FLAG_GROUND = {
    "OWN_STATE": (
        "The state of the document itself: its status, a newer version, or the document that superseded it."
    ),
    "MENTION": "A name in its text: it uses an old name of an entity that the query names.",
}
LEG = {
    "DENSE": "Similarity in meaning: the cosine between the embeddings of the query and of a passage.",
    "LEXICAL": "Common words: BM25 over the terms of the documents.",
    "GRAPH": (
        "Typed references from the entities that the query names, or mentions that a document shares"
        " with the best candidates."
    ),
    "RECENCY": (
        "Age at the instant of the query. It orders what the other legs found and finds nothing itself."
    ),
}
MEMORY_DOMAIN = {
    "GOVERNANCE": "Rules and permissions.",
    "METHODOLOGY": "How recurring work is done.",
    "RUNTIME": "What is running, and its configuration.",
    "RETROSPECTIVE": "Reviews of finished work.",
    "SIGNAL_TRACE": "Messages between people and agents, and their results.",
    "INSTALL": "Installation and setup.",
    "DECISION": "Decisions and their reasons.",
    "TASK_STATE": "The current state of a piece of work.",
    "VALIDATION": "Checks and their results.",
    "RESEARCH": "Findings of research.",
    "POSTMORTEM": "Failures and their causes.",
    "BEHAVIOR": "How agents and people should act.",
}
REFERENCE_TYPE = {
    "IMPLEMENTS": "The source implements what the target demands.",
    "EXTENDS": "The source adds to the target, which stays in force.",
    "RELATES_TO": "The source and the target are related in some way.",
    "SUPERSEDES": "The source replaces the target.",
    "DEPENDS_ON": "The source needs the target.",
    "SPECIFIES": "The source says in detail what the target does.",
    "FORMALIZES": "The source turns an informal statement of the target into a rule.",
    "RESOLVES": "The source resolves the target.",
    "DOCUMENTS": "The source describes the target.",
    "REFERENCES": "The source names the target without giving a reason.",
}
STATE_FLAG = {
    "CURRENT": "It is in force at the instant of the query.",
    "HISTORICAL": "Something replaced it, or its text uses an old name.",
    "WIP": "It is a draft or a proposal and not in force yet.",
}
ROLE = {
    "READER": "Reads, and writes nothing.",
    "AGENT": "Writes with the authority of an agent, and reviews nothing.",
    "HUMAN": "Writes with the authority of a person, and reviews candidates.",
    "ADMIN": "Does what a human does, and also creates projects and types.",
}
WIP_SOURCE = {
    "SESSION_INTENT": "The intent of a session.",
    "WORKING_TREE": "Uncommitted changes in a working tree.",
    "EXPLICIT": "A caller saved it as a draft.",
}
ZONE = {
    "SYSTEM": "Defined in the system, for every project.",
    "PROJECT": "Defined in projects: shipped for all of them, or defined by one.",
}


def _describe(enum: EnumMeta, name: str, description: str, values: Mapping[str, str]) -> None:
    """Register a domain enum in the API, without GraphQL in the domain."""
    strawberry.enum(enum, name=name, description=description)
    for value in enum.__strawberry_definition__.values:  # type: ignore[attr-defined]
        value.description = values[value.name]


_describe(
    AbsenceSource, "AbsenceSource", "The source that says that a document is not there.", ABSENCE_SOURCE
)
_describe(
    Branch,
    "Branch",
    "The branch of a state: an entity has committed states and at most one open draft.",
    BRANCH,
)
_describe(
    CandidateStatus,
    "CandidateStatus",
    "Whether a candidate is pending, promoted or rejected.",
    CANDIDATE_STATUS,
)
_describe(DatePrecision, "DatePrecision", "How exact a date is.", DATE_PRECISION)
_describe(DateSource, "DateSource", "The source of the date of an artifact.", DATE_SOURCE)
_describe(Direction, "Direction", "The direction of references, seen from an entity.", DIRECTION)
_describe(FlagGround, "FlagGround", "The evidence for the flag of a hit.", FLAG_GROUND)
_describe(LegName, "Leg", "A search method of recall. Every recall uses all of them.", LEG)
_describe(
    MemoryDomain,
    "MemoryDomain",
    "The part of a team's memory that an artifact belongs to.",
    MEMORY_DOMAIN,
)
_describe(ReferenceType, "ReferenceType", "The type of a reference.", REFERENCE_TYPE)
_describe(Role, "Role", "What a caller may do.", ROLE)
_describe(
    StateFlag,
    "StateFlag",
    "Whether a hit is current, historical or work in progress.",
    STATE_FLAG,
)
_describe(WipSource, "WipSource", "The origin of a draft.", WIP_SOURCE)
_describe(Zone, "Zone", "The zone in which a type is defined.", ZONE)

__all__ = [
    "AbsenceSource",
    "Branch",
    "CandidateStatus",
    "DatePrecision",
    "DateSource",
    "Direction",
    "FlagGround",
    "LegName",
    "MemoryDomain",
    "ReferenceType",
    "Role",
    "StateFlag",
    "WipSource",
    "Zone",
]
