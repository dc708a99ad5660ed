"""Files of revisions: JSON lines, plain or compressed, the whole text of a document at one of its changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from app.domain.identifier import identifier_key
from app.errors import Invalid
from app.services.importing.history.state_rows import moment_of, text_of
from app.services.importing.history.telling import Revision
from app.services.importing.item import Refusal, refusing, shown
from app.services.importing.refusals import RefusedRows, until_hopeless
from app.services.importing.rows import read_objects
from app.services.importing.stopping import IsStopped, never
from app.services.parsing.cleaning import clean_text

NEEDED = 'a revision is {"id": ..., "valid_from": ..., "body": ..., "cause_commit": ...}'


def read_revisions(
    paths: Sequence[Path], is_stopped: IsStopped = never
) -> tuple[dict[str, list[Revision]], list[Refusal]]:
    """Answer the earlier texts of each document, by its key, oldest first, and the rows that are none."""
    found: dict[str, list[Revision]] = defaultdict(list)
    refused = RefusedRows()
    for path in paths:
        for item in until_hopeless(shown(str(path)), _read(path, is_stopped)):
            if isinstance(item, Refusal):
                refused.add(item)
            else:
                found[item[0]].append(item[1])
    return {key: sorted(each, key=lambda revision: revision.at) for key, each in found.items()}, refused.all()


def _read(path: Path, is_stopped: IsStopped) -> Iterator[tuple[str, Revision] | Refusal]:
    for source, row in read_objects(path, is_stopped):
        yield row if isinstance(row, Refusal) else refusing(source, partial(_revision, row))


def _revision(row: Mapping[str, object]) -> tuple[str, Revision]:
    body = row.get("body")
    if not isinstance(body, str):
        raise Invalid(f"body must be a text; {NEEDED}", field="body")
    revision = Revision(
        at=moment_of(row, NEEDED),
        body=clean_text(body),
        title=_optional(row, "title"),
        status=_optional(row, "status"),
        commit=text_of(row, "cause_commit", NEEDED),
    )
    return identifier_key(text_of(row, "id", NEEDED)), revision


def _optional(row: Mapping[str, object], name: str) -> str | None:
    return text_of(row, name, NEEDED) if row.get(name) else None
