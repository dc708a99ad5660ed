"""What a hit is worth at the asked time: current, historical or work in progress, and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.recall import Annotation, FlagGround, StateFlag
from app.domain.status_words import standing
from app.domain.temporal import EntityState
from app.domain.types import label_of


@dataclass(frozen=True, slots=True)
class FormerName:
    """A form in a hit's text that an anchor goes by no longer, with what it is called now."""

    form: str
    type_name: str
    current: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything the ledger knows of one artifact at the asked time.

    `newer_version` tells whether its entity has a newer artifact; `superseded_by` is the entity that
    replaced it with its label, if any; `former_names` are what its text calls an anchor, longest first.
    """

    entity: UUID
    committed: EntityState | None
    wip: EntityState | None
    newer_version: bool
    superseded_by: tuple[UUID, str] | None
    former_names: Sequence[FormerName]


def annotate(found: Standing, *, prefer_wip: bool) -> Annotation:
    """Return the flag of a hit, its ground and one line of why.

    The document's own state decides; when that is current, a former name in the text makes the hit
    historical, since a name that gave way dates what uses it.
    """
    state = found.wip if prefer_wip and found.wip is not None else found.committed
    flag, summary, replacement = _own_standing(found, prefer_wip=prefer_wip)
    ground = None if flag is None else FlagGround.OWN_STATE
    if found.former_names and flag in (StateFlag.CURRENT, None):
        flag, ground = StateFlag.HISTORICAL, FlagGround.MENTION
        summary = _named_formerly(found.former_names[0])
    elif found.former_names and summary is not None:
        summary = f"{summary} {_named_formerly(found.former_names[0])}"
    return Annotation(flag, ground, summary, state, replacement)


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
    flag = standing(word)
    if flag is StateFlag.CURRENT:
        return flag, None, None
    return flag, f"[{flag.value.lower()}: the status of {label} is {word}]", None


def _label(state: EntityState | None) -> str:
    if state is None:
        return "this document"
    identifier = state.props.get("identifier")
    return identifier if isinstance(identifier, str) else label_of(state.props) or "this document"


def _named_formerly(name: FormerName) -> str:
    return f"[historical: current {name.type_name} is {name.current}, this reflects {name.form}]"
