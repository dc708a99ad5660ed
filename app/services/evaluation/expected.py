"""What a question expects to be told of its subject, beside which documents answer it."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.entity import Direction, ReferenceType
from app.domain.identifier import identifier_key
from app.services.evaluation.judged_lines import Fields

_PROPERTIES = ("status", "title")


@dataclass(frozen=True, slots=True)
class Relation:
    """How a category asks along references, and the property in which a document states the same."""

    type: ReferenceType
    direction: Direction
    property: str | None = None


RELATIONS = {
    "requires": Relation(ReferenceType.DEPENDS_ON, Direction.OUT, "requires"),
    "required_by": Relation(ReferenceType.DEPENDS_ON, Direction.IN),
    "replaces": Relation(ReferenceType.SUPERSEDES, Direction.OUT, "replaces"),
    "superseded_by": Relation(ReferenceType.SUPERSEDES, Direction.IN, "superseded_by"),
    "superseded_by_before": Relation(ReferenceType.SUPERSEDES, Direction.IN, "superseded_by"),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """The right answer about a subject: that it is not there, properties, related documents, or who leads.

    `related` holds keys; `leader` is the document that recall has to put first.
    """

    subject: str
    is_absent: bool = False
    props: tuple[tuple[str, str], ...] = ()
    relation: Relation | None = None
    related: frozenset[str] = frozenset()
    leader: str | None = None


def read_expected(row: Fields, category: str) -> Expected | None:
    """Read what a question expects, None when it expects no more than relevant documents.

    Raises Invalid when its answer cannot be read.
    """
    subject, answer = row.text_or_none("subject"), row.values.get("answer")
    if subject is None or not isinstance(answer, dict):
        return None
    told = Fields(answer, row.place, row.needed)
    props = tuple((name, told.text(name)) for name in _PROPERTIES if name in answer)
    if answer.get("exists") is False:
        return Expected(subject, is_absent=True)
    if props:
        return Expected(subject, props=props)
    if "prefer" in answer:
        return Expected(subject, leader=told.text("prefer"))
    if category in RELATIONS and "ids" in answer:
        related = frozenset(identifier_key(name) for name in told.texts("ids"))
        return Expected(subject, relation=RELATIONS[category], related=related)
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the ledger told what a question expects, and what it told instead."""

    is_right: bool
    told: str
