"""Annotate hits: is each current, historical or work in progress at the asked time, and why. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.numbers import ArtifactNumber
from app.domain.recall import Annotation, FlagGround, StateFlag
from app.domain.status_words import NO_TEAM_WORDS, TeamWords, flag_of_status
from app.domain.temporal import EntityState
from app.domain.text import beginning
from app.domain.types import label_of

MAX_SUCCESSOR_LENGTH = 80


@dataclass(frozen=True, slots=True)
class FormerName:
    """A former name of an anchor that a hit's text uses, with the anchor's present name."""

    form: str
    type_name: str
    current: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything that annotation needs to know of one artifact at the asked time.

    `newer_version` is whether its entity has a newer artifact; `superseded_by` is the entity that replaced
    it, with its label, if any; `former_names` are those its text uses for anchors, longest first.
    `awaited_successor` is what it says superseded it, which is not filed, and `superseded_in_part_by` what
    supersedes a part of it, by its label. `team` are the status words of its project.
    """

    entity: UUID
    committed: EntityState | None
    wip: EntityState | None
    newer_version: bool
    superseded_by: tuple[UUID, str] | None
    former_names: Sequence[FormerName]
    awaited_successor: str | None = None
    superseded_in_part_by: str | None = None
    team: TeamWords = NO_TEAM_WORDS


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of several artifacts at the asked time.

    `replacement` maps an artifact's number to the number of the artifact that replaced it, if that is
    visible; a chain of replacements takes several look-ups.
    """

    by_artifact: Mapping[ArtifactNumber, Standing]
    replacement: Mapping[ArtifactNumber, ArtifactNumber]


def annotate(found: Standing, *, prefer_wip: bool) -> Annotation:
    """Return the flag of a hit, its ground and a line that explains it.

    The document's own state decides; if that is current, a former name in the text makes the hit
    historical, since a text that uses a replaced name is old.
    """
    state = found.wip if prefer_wip and found.wip is not None else found.committed
    flag, summary, replacement = _own_standing(found, prefer_wip=prefer_wip)
    ground = None if flag is None else FlagGround.OWN_STATE
    if found.former_names and flag in (StateFlag.CURRENT, None):
        flag, ground = StateFlag.HISTORICAL, FlagGround.MENTION
        summary = _former_name_line(found.former_names[0])
    elif found.former_names and summary is not None:
        summary = f"{summary} {_former_name_line(found.former_names[0])}"
    return Annotation(flag, ground, summary, state, replacement)


def own_flag(found: Standing, *, prefer_wip: bool) -> StateFlag | None:
    """Return the flag of a document by its own state, whatever names its text uses."""
    flag, _, _ = _own_standing(found, prefer_wip=prefer_wip)
    return flag


def _own_standing(found: Standing, *, prefer_wip: bool) -> tuple[StateFlag | None, str | None, UUID | None]:
    label = _label(found.committed)
    if found.superseded_by is not None:
        entity, successor = found.superseded_by
        return StateFlag.HISTORICAL, f"[historical: {label} is superseded by {successor}]", entity
    if found.newer_version:
        return StateFlag.HISTORICAL, f"[historical: {label} has a newer version]", found.entity
    if prefer_wip and found.wip is not None:
        return StateFlag.WIP, f"[wip: {label} has a draft that is not sealed]", None
    if found.committed is None:
        return None, None, None
    status = found.committed.props.get("status")
    word = status if isinstance(status, str) else None
    flag = flag_of_status(word, found.team)
    if found.awaited_successor is not None and flag is not StateFlag.HISTORICAL:
        successor = beginning(found.awaited_successor, MAX_SUCCESSOR_LENGTH)
        line = f"[historical: {label} says that {successor} superseded it, which is not filed]"
        return StateFlag.HISTORICAL, line, None
    if flag is StateFlag.CURRENT:
        by = found.superseded_in_part_by
        return flag, None if by is None else f"[current: {label} is superseded in part by {by}]", None
    if flag is None:
        return None, f"[unknown status: the status of {label} is {word}]", None
    return flag, f"[{flag.value.lower()}: the status of {label} is {word}]", None


def _label(state: EntityState | None) -> str:
    if state is None:
        return "this document"
    identifier = state.props.get("identifier")
    return identifier if isinstance(identifier, str) else label_of(state.props) or "this document"


def _former_name_line(name: FormerName) -> str:
    return f"[historical: current {name.type_name} is {name.current}, this reflects {name.form}]"
