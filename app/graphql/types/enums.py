"""The domain's enums as enums of the API, with descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import EnumMeta

import strawberry

from app.domain.artifact import DatePrecision, DateSource, MemoryDomain
from app.domain.candidate import CandidateStatus
from app.domain.entity import Direction, ReferenceType
from app.domain.recall import FlagGround, LegName, StateFlag
from app.domain.temporal import Branch, WipSource
from app.domain.types import Zone

BRANCH = {
    "COMMITTED": "What is agreed and in force.",
    "WIP": "A draft, kept beside what is in force until it is sealed or dropped.",
}
CANDIDATE_STATUS = {
    "PENDING": "It waits for a person.",
    "PROMOTED": "A person agreed, and what it says was written.",
    "REJECTED": "A person disagreed; nothing was written.",
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
    "OUT": "References that the entity makes.",
    "IN": "References made to the entity.",
    "BOTH": "References either way.",
}
FLAG_GROUND = {
    "OWN_STATE": "The document's own standing: its status, a newer version, or what superseded it.",
    "MENTION": "The form its text uses for something the query names, which has another name now.",
}
LEG = {
    "DENSE": "Nearness in meaning: cosine between the query's and a passage's embedding.",
    "LEXICAL": "Words in common: BM25 over the ledger's own terms.",
    "GRAPH": "Typed references from what the query names, or mentions in common with the best candidates.",
    "RECENCY": "Age at the asked instant; it ranks what the others found and adds nothing.",
}
MEMORY_DOMAIN = {
    "GOVERNANCE": "Rules and who may do what.",
    "METHODOLOGY": "How recurring work is done.",
    "RUNTIME": "What is running, and how it is configured.",
    "RETROSPECTIVE": "Looking back on finished work.",
    "SIGNAL_TRACE": "Messages between people and agents, and what came of them.",
    "INSTALL": "Setting things up.",
    "DECISION": "Decisions and their reasons.",
    "TASK_STATE": "Where a piece of work stands.",
    "VALIDATION": "Checks and their results.",
    "RESEARCH": "What was found out.",
    "POSTMORTEM": "What went wrong and why.",
    "BEHAVIOR": "How agents and people are to act.",
}
REFERENCE_TYPE = {
    "IMPLEMENTS": "The source carries out what the target demands.",
    "EXTENDS": "The source adds to the target, which stays in force.",
    "RELATES_TO": "The two belong together in some way.",
    "SUPERSEDES": "The source takes the target's place.",
    "DEPENDS_ON": "The source needs the target.",
    "SPECIFIES": "The source says precisely what the target is to do.",
    "FORMALIZES": "The source writes down as a rule what the target says loosely.",
    "RESOLVES": "The source settles the target.",
    "DOCUMENTS": "The source describes the target.",
    "REFERENCES": "The source names the target and does not say why.",
}
STATE_FLAG = {
    "CURRENT": "It holds at the asked instant.",
    "HISTORICAL": "Something replaced it, or it speaks of things by names they no longer have.",
    "WIP": "It is a draft or a proposal, not in force yet.",
}
WIP_SOURCE = {
    "SESSION_INTENT": "What a session set out to do.",
    "WORKING_TREE": "What is written in a working tree and not committed.",
    "EXPLICIT": "Somebody saved it as a draft.",
}
ZONE = {
    "SYSTEM": "It belongs to the system and so to every project.",
    "PROJECT": "It belongs to projects, shipped for all or defined by one.",
}


def _describe(enum: EnumMeta, name: str, description: str, values: Mapping[str, str]) -> None:
    """Register a domain enum in the API, without GraphQL in the domain."""
    strawberry.enum(enum, name=name, description=description)
    for value in enum.__strawberry_definition__.values:  # type: ignore[attr-defined]
        value.description = values[value.name]


_describe(Branch, "Branch", "Which of an entity's two lines of states a state belongs to.", BRANCH)
_describe(
    CandidateStatus,
    "CandidateStatus",
    "Whether a candidate waits, or what was decided about it.",
    CANDIDATE_STATUS,
)
_describe(DatePrecision, "DatePrecision", "How exact a date is.", DATE_PRECISION)
_describe(DateSource, "DateSource", "Where the date of an artifact is from.", DATE_SOURCE)
_describe(Direction, "Direction", "Which way to follow references from an entity.", DIRECTION)
_describe(FlagGround, "FlagGround", "What a hit's flag rests on.", FLAG_GROUND)
_describe(LegName, "Leg", "One way of finding artifacts; recall asks all of them.", LEG)
_describe(
    MemoryDomain,
    "MemoryDomain",
    "What part of a team's memory an artifact belongs to.",
    MEMORY_DOMAIN,
)
_describe(ReferenceType, "ReferenceType", "How one entity refers to another.", REFERENCE_TYPE)
_describe(
    StateFlag,
    "StateFlag",
    "Whether a hit speaks of the present, of the past or of work in progress.",
    STATE_FLAG,
)
_describe(WipSource, "WipSource", "Where a draft comes from.", WIP_SOURCE)
_describe(Zone, "Zone", "Where a type belongs.", ZONE)

__all__ = [
    "Branch",
    "CandidateStatus",
    "DatePrecision",
    "DateSource",
    "Direction",
    "FlagGround",
    "LegName",
    "MemoryDomain",
    "ReferenceType",
    "StateFlag",
    "WipSource",
    "Zone",
]
