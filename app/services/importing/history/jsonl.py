"""Files of states and of revisions: JSON lines, plain or compressed, one state or revision in each line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from app.domain.artifact import ReferenceClaim
from app.domain.identifier import identifier_key
from app.errors import Invalid
from app.services.importing.history.model import (
    DocumentHistory,
    HistoricState,
    Revision,
    StatedClaims,
    in_order,
)
from app.services.importing.interruption import IsStopped, never
from app.services.importing.items import (
    Refusal,
    RefusedRows,
    printable_name,
    read_or_refuse,
    until_too_many_refusals,
)
from app.services.importing.jsonl import read_objects
from app.services.parsing.dates import read_date
from app.services.parsing.text import clean_text, clean_value
from app.services.parsing.vocabulary import relation_named

LAST_YEAR = 9998
STATE_FORM = 'a state is {"id": ..., "valid_from": ..., "props": {...}, "cause_commit": ...}'


def read_states(
    paths: Sequence[Path], is_stopped: IsStopped = never
) -> tuple[dict[str, DocumentHistory], list[Refusal]]:
    """Return the history of each document in files of states, by its key, and the refused rows."""
    found: dict[str, list[HistoricState]] = defaultdict(list)
    names: dict[str, str] = {}
    refused = RefusedRows()
    for path in paths:
        for item in until_too_many_refusals(printable_name(str(path)), _read_states(path, is_stopped)):
            if isinstance(item, Refusal):
                refused.add(item)
                continue
            identifier, state = item
            key = identifier_key(identifier)
            names.setdefault(key, identifier)
            found[key].append(state)
    histories = {key: _history(names[key], _ordered(states)) for key, states in found.items()}
    return histories, refused.all()


def _history(identifier: str, states: tuple[HistoricState, ...]) -> DocumentHistory:
    claims = tuple(StatedClaims(state.at, None, state.claims) for state in states)
    return DocumentHistory(identifier, states, claims, is_fact=True)


def _ordered(states: list[HistoricState]) -> tuple[HistoricState, ...]:
    return in_order(sorted(states, key=lambda state: state.at))


def _read_states(path: Path, is_stopped: IsStopped) -> Iterator[tuple[str, HistoricState] | Refusal]:
    for source, row in read_objects(path, is_stopped):
        yield row if isinstance(row, Refusal) else read_or_refuse(source, partial(_state, source, row))


def _state(source: str, row: Mapping[str, object]) -> tuple[str, HistoricState]:
    props = row.get("props")
    if not isinstance(props, dict):
        raise Invalid(f"props must be an object; {STATE_FORM}", field="props")
    cleaned = {clean_text(str(name)): clean_value(value) for name, value in props.items()}
    state = HistoricState(source, moment_of(row), text_of(row, "cause_commit"), cleaned, _claims(cleaned))
    return text_of(row, "id"), state


def text_of(row: Mapping[str, object], name: str, needed: str = STATE_FORM) -> str:
    """Return the text of a field; raises Invalid when the row has none."""
    value = row.get(name)
    if not isinstance(value, str) or not clean_text(value).strip():
        raise Invalid(f"{name} must be a string; {needed}", field=name)
    return clean_text(value).strip()


def moment_of(row: Mapping[str, object], needed: str = STATE_FORM) -> datetime:
    """Return the moment from which a row is valid; raises Invalid when that is no date."""
    moment = read_date(text_of(row, "valid_from", needed))
    if moment is None or moment.year > LAST_YEAR:
        raise Invalid(f"valid_from is not a readable date; {needed}", field="valid_from")
    return moment


def _claims(props: Mapping[str, Any]) -> frozenset[ReferenceClaim]:
    """Return the references in properties whose names are relations."""
    claims = set()
    for name, value in props.items():
        relation = relation_named(name)
        targets = value if isinstance(value, list) else [value]
        if relation is not None:
            claims |= {
                ReferenceClaim(relation.type, target.strip(), relation.inverted, in_part=relation.in_part)
                for target in targets
                if isinstance(target, str) and target.strip()
            }
    return frozenset(claims)


REVISION_FORM = 'a revision is {"id": ..., "valid_from": ..., "body": ..., "cause_commit": ...}'


def read_revisions(
    paths: Sequence[Path], is_stopped: IsStopped = never
) -> tuple[dict[str, list[Revision]], list[Refusal]]:
    """Return the earlier texts of each document, by its key, oldest first, and the refused rows."""
    found: dict[str, list[Revision]] = defaultdict(list)
    refused = RefusedRows()
    for path in paths:
        for item in until_too_many_refusals(printable_name(str(path)), _read_revisions(path, is_stopped)):
            if isinstance(item, Refusal):
                refused.add(item)
            else:
                found[item[0]].append(item[1])
    return {key: sorted(each, key=lambda revision: revision.at) for key, each in found.items()}, refused.all()


def _read_revisions(path: Path, is_stopped: IsStopped) -> Iterator[tuple[str, Revision] | Refusal]:
    for source, row in read_objects(path, is_stopped):
        yield row if isinstance(row, Refusal) else read_or_refuse(source, partial(_revision, row))


def _revision(row: Mapping[str, object]) -> tuple[str, Revision]:
    body = row.get("body")
    if not isinstance(body, str):
        raise Invalid(f"body must be a string; {REVISION_FORM}", field="body")
    revision = Revision(
        at=moment_of(row, REVISION_FORM),
        body=clean_text(body),
        title=_optional(row, "title"),
        status=_optional(row, "status"),
        commit=text_of(row, "cause_commit", REVISION_FORM),
    )
    return identifier_key(text_of(row, "id", REVISION_FORM)), revision


def _optional(row: Mapping[str, object], name: str) -> str | None:
    return text_of(row, name, REVISION_FORM) if row.get(name) else None
