"""Reading the texts of a folder for a check, as an import reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

from app.domain.artifact import Document
from app.domain.identifier import bare_key, identifier_key, is_numbered
from app.domain.recall import StateFlag
from app.domain.status_words import NO_TEAM_WORDS, TeamWords, flag_of_status
from app.errors import Invalid
from app.services.filing.prepare import content_hash, entity_key
from app.services.importing.folders import is_markdown, is_text
from app.services.importing.interruption import IsStopped, never
from app.services.importing.items import Readable, Refusal, printable_name
from app.services.importing.jsonl import is_row_file
from app.services.importing.name_collisions import NOTHING_HELD, Collision
from app.services.importing.scan import scan_paths
from app.services.parsing.vocabulary import kind_named, vocabulary
from app.stores.postgres.document_names import HeldDocument
from app.stores.postgres.entities import KeyedEntity

_NOW = datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A text of the folder as an import would file it; `path` is relative to the folder."""

    path: str
    document: Document
    entity: KeyedEntity
    team: TeamWords = NO_TEAM_WORDS

    @property
    def id(self) -> UUID:
        """The id under which the others refer to it."""
        return self.entity.id

    @property
    def name(self) -> str:
        """The identifier that it states, or else its path."""
        return self.document.stated_identifier or self.document.identifier or self.path

    @property
    def flag(self) -> StateFlag | None:
        """The flag of its own status."""
        return flag_of_status(self.document.status, self.team)

    @property
    def series(self) -> str | None:
        """The prefix of its number, folded; None without a number."""
        key = bare_key(identifier_key(self.name))
        return key.rpartition("-")[0] if is_numbered(key) else None

    @property
    def is_decision(self) -> bool:
        """Whether its kind is one of decisions, or a series of the team's own."""
        if self.document.kind in vocabulary().decision_kinds:
            return True
        return self.series is not None and kind_named(self.document.kind) is None

    @property
    def is_record(self) -> bool:
        """Whether it is a decision or has a number; templates, indexes and notes are none."""
        return self.is_decision or self.series is not None


@dataclass(frozen=True, slots=True)
class CheckedFolder:
    """The texts of a folder, what could not be read, and the numbers that several of them state.

    Only findings about the text at `only` count, if it is given; the others are there for it to refer to.
    `team` are status words beside those that ship.
    """

    root: Path
    texts: tuple[CheckedText, ...]
    refused: tuple[Refusal, ...] = ()
    collisions: tuple[Collision, ...] = ()
    skipped: int = 0
    only: str | None = None
    team: TeamWords = NO_TEAM_WORDS
    by_id: Mapping[UUID, CheckedText] = field(default_factory=dict)

    @property
    def records(self) -> Sequence[CheckedText]:
        """The texts that are checked; the others only count as what a record may refer to."""
        return [text for text in self.texts if text.is_record]


def read_folder(
    path: Path,
    prefixes: frozenset[str] = frozenset(),
    held: Mapping[str, HeldDocument] = NOTHING_HELD,
    is_stopped: IsStopped = never,
    team: TeamWords = NO_TEAM_WORDS,
) -> CheckedFolder:
    """Read the texts under a folder, or one file together with the texts beside it.

    `prefixes` are accepted in identifiers beside the shipped ones, `held` are documents of a ledger, and
    `team` are status words beside the shipped ones.
    Raises Invalid if the path does not exist or is neither, and Stopped once `is_stopped` says so.
    """
    if is_row_file(path.name) and not path.is_dir():
        raise Invalid(f"{printable_name(str(path))} is a file of rows; give a folder or a text")
    scan = scan_paths(_beside(path), None, prefixes, is_stopped, held, keeps=True)
    root = path.resolve()
    base = root if root.is_dir() else root.parent
    read = list(scan.read(is_stopped))
    texts = tuple(_checked(item.document, team) for item in read if isinstance(item, Readable))
    refused = tuple(
        Refusal(item.source.removeprefix(f"{printable_name(str(base))}/"), item.reason)
        for item in read
        if isinstance(item, Refusal)
    )
    return CheckedFolder(
        root=base,
        texts=texts,
        refused=refused,
        collisions=scan.collisions,
        skipped=len(scan.skipped),
        only=None if base == root else root.name,
        team=team,
        by_id={text.id: text for text in texts},
    )


def _beside(path: Path) -> list[Path]:
    """Return a folder itself, or a file and then the other texts of its folder, links left out."""
    if not path.is_file():
        return [path]
    texts = (each for each in sorted(path.resolve().parent.iterdir()) if is_markdown(each.name))
    return [
        path,
        *(each for each in texts if is_text(each.name) and each.is_file() and not each.is_symlink()),
    ]


def _checked(document: Document, team: TeamWords) -> CheckedText:
    key = entity_key(document, content_hash(document) if not document.source_uri else "")
    entity = KeyedEntity(
        id=uuid4(),
        key=key,
        bare_key=bare_key(key),
        is_document=True,
        created_at=document.created_at or _NOW,
        source_artifact=None,
        type_name=document.kind,
        source_uri=document.source_uri,
    )
    return CheckedText(document.source_uri or document.title, document, entity, team)
