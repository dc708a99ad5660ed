"""The documents of a repository: what stands at the end of its main line, and what each edition said."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from app.domain.artifact import Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.errors import TrigraphError
from app.services.filing.preparation import LARGEST_BODY
from app.services.importing.claims import Claim, prefixes_among, read_claim
from app.services.importing.files import text_of_bytes
from app.services.importing.history.git_command import Blobs
from app.services.importing.history.git_lineage import Edition, Lineage
from app.services.importing.history.telling import HistoricState, in_order
from app.services.importing.item import Refusal, refusing, shown
from app.services.parsing import clean_path, parse_markdown

MOSTLY_THE_SAME = 90
"""A renamed file that keeps so much of its text is the same document, even under another number."""


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A Markdown file that stands, where it is, and its text."""

    lineage: Lineage
    source: str
    place: str
    text: str

    @property
    def folder(self) -> str:
        """The name of the folder it lies in; the repository's own at its root."""
        return PurePosixPath(self.place).parent.name


@dataclass(frozen=True, slots=True)
class Edit:
    """One edition of a document as it was read."""

    edition: Edition
    document: Document


def path_text(path: bytes) -> str:
    """Answer a path as it is shown and kept, with its accents composed."""
    return clean_path(shown(os.fsdecode(path)))


def read_file(lineage: Lineage, name: str, blobs: Blobs) -> RepositoryFile | Refusal:
    """Read the newest edition of a file, or answer why it cannot be; `name` is the repository's."""
    source = path_text(lineage.newest.path)
    return refusing(
        source,
        lambda: RepositoryFile(lineage, source, f"{name}/{source}", _text(lineage.newest, blobs)),
    )


def _text(edition: Edition, blobs: Blobs) -> str:
    return text_of_bytes(blobs.read(edition.blob, LARGEST_BODY + 1))


def read_claims(
    files: Sequence[RepositoryFile], kind: str | None, prefixes: frozenset[str]
) -> tuple[list[Claim], frozenset[str]]:
    """Answer what each file says it is, and the prefixes that were accepted: theirs as well."""
    names = (PurePosixPath(file.source).stem for file in files)
    prefixes |= prefixes_among([*names, f"{kind or ''}-1"])
    claims = [read_claim(file.text, file.place, kind, prefixes) for file in files]
    stated = prefixes_among(claim.identifier or "" for claim in claims)
    if stated <= prefixes:
        return claims, prefixes
    prefixes |= stated
    return [read_claim(file.text, file.place, kind, prefixes) for file in files], prefixes


def read_edits(
    file: RepositoryFile, kind: str, prefixes: frozenset[str], blobs: Blobs, name: str
) -> list[Edit]:
    """Answer the editions of a document that can be read, oldest first.

    They begin anew where a rename brought another number with mostly another text.
    """
    edits: list[Edit] = []
    for edition in file.lineage.editions:
        try:
            text = file.text if edition is file.lineage.newest else _text(edition, blobs)
            place = f"{name}/{path_text(edition.path)}"
            document = parse_markdown(text, kind=kind, path=place, known_prefixes=prefixes)
        except TrigraphError:
            continue
        if edits and edition.likeness < MOSTLY_THE_SAME and _is_another(edits[-1].document, document):
            edits.clear()
        edits.append(Edit(edition, document))
    return edits


def _is_another(before: Document, after: Document) -> bool:
    stated = (before.identifier, after.identifier)
    return None not in stated and stated[0] != stated[1]


def states_of(edits: Sequence[Edit], source: str) -> tuple[HistoricState, ...]:
    """Answer a state for each edition that changed title, status or relations."""
    states: list[HistoricState] = []
    for edit in edits:
        props = {"title": edit.document.title, "status": edit.document.status}
        claims = frozenset(_claims(edit.document))
        if not states or (props, claims) != (states[-1].props, states[-1].claims):
            states.append(HistoricState(source, edit.edition.at, edit.edition.commit, props, claims))
    return in_order(states)


def _claims(document: Document) -> list[ReferenceClaim]:
    return [
        replace(claim, count=1) for claim in document.references if claim.type is not ReferenceType.REFERENCES
    ]
