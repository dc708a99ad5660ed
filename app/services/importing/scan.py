"""A first look at everything an import will read: what there is, and what each file goes by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.domain.artifact import Document
from app.errors import Invalid
from app.services.importing.folders import NO_TEXT, MarkdownFile, find_files, is_markdown, is_text, read_text
from app.services.importing.interruption import IsStopped, Stopped, never, read_aside
from app.services.importing.items import Items, Readable, Refusal, Skipped, prefixes_among, refusing, shown
from app.services.importing.jsonl import count_rows, is_row_file, read_rows
from app.services.importing.name_collisions import Collision, NamedDocument, name_apart
from app.services.parsing import parse_markdown
from app.services.parsing.file_claim import Claim, read_claim


@dataclass(frozen=True, slots=True)
class RowFile:
    """A file of rows and how many it has."""

    path: Path
    rows: int


@dataclass(frozen=True, slots=True)
class ClaimedFile:
    """A Markdown file with its kind and the identifier it goes by in this import."""

    file: MarkdownFile
    kind: str
    identifier: str | None


@dataclass(frozen=True, slots=True)
class FolderScan:
    """Everything to read, in order, and what is left alone; only names are held, never the texts."""

    sources: tuple[ClaimedFile | RowFile | Refusal, ...]
    skipped: tuple[Skipped, ...]
    kind: str | None
    prefixes: frozenset[str]
    collisions: tuple[Collision, ...]

    @property
    def total(self) -> int:
        """How many documents, rows and refusals reading will answer."""
        return sum(source.rows if isinstance(source, RowFile) else 1 for source in self.sources)

    def read(self, is_stopped: IsStopped = never) -> Items:
        """Read the documents one after the other; what cannot be read becomes a refusal.

        Raises Stopped once `is_stopped` says so.
        """
        for source in self.sources:
            if isinstance(source, RowFile):
                yield from read_rows(source.path, self.kind, self.prefixes, is_stopped)
            elif isinstance(source, Refusal):
                yield source
            else:
                yield _read_file(source, self.prefixes)


def survey(
    paths: Sequence[Path],
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped = never,
) -> FolderScan:
    """Look at everything under these paths; `prefixes` are accepted in identifiers beside the shipped ones.

    Raises Invalid when a path does not exist or is nothing that can be imported, and Stopped once
    `is_stopped` says so.
    """
    met = list(_found(paths, is_stopped))
    found = [source for source in met if not isinstance(source, Skipped)]
    skipped = _skipped(met)
    files = [source for source in found if isinstance(source, MarkdownFile)]
    names = {file.path.stem for file in files}
    rows: dict[Path, RowFile] = {}
    for path in (source for source in found if not isinstance(source, MarkdownFile | Refusal)):
        count, seen = count_rows(path, is_stopped)
        rows[path] = RowFile(path, count)
        prefixes |= seen
    prefixes |= prefixes_among([*names, f"{kind or ''}-1"])
    claims = _claims(files, kind, prefixes, is_stopped)
    stated = prefixes_among(claim.identifier or "" for claim in claims.values() if isinstance(claim, Claim))
    if not stated <= prefixes:
        prefixes |= stated
        claims = _claims(files, kind, prefixes, is_stopped)
    claimed, collisions = _apart(claims)
    sources = tuple(_source(source, claimed, rows) for source in found)
    return FolderScan(sources, skipped, kind, prefixes, tuple(collisions))


def _skipped(met: Sequence[MarkdownFile | Path | Refusal | Skipped]) -> tuple[Skipped, ...]:
    """Return what is left alone, each once; a file that was named itself is not."""
    named = {shown(str(source)) for source in met if isinstance(source, Path)}
    skipped = dict.fromkeys(source for source in met if isinstance(source, Skipped))
    return tuple(source for source in skipped if source.source not in named)


def _found(paths: Sequence[Path], is_stopped: IsStopped) -> Iterator[MarkdownFile | Path | Refusal | Skipped]:
    """Yield what the paths lead to, each once; all of them are looked at before any is read."""
    roots = [_root(path) for path in paths]
    seen: set[Path] = set()
    for root in roots:
        for source in find_files(root, is_stopped) if root.is_dir() else [_single(root)]:
            path = source.path if isinstance(source, MarkdownFile) else source
            if not isinstance(path, Path) or path not in seen:
                yield source
            if isinstance(path, Path):
                seen.add(path)


def _root(path: Path) -> Path:
    try:
        root = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise Invalid(f"there is no {shown(str(path))}; name a folder or a file that exists") from error
    if is_row_file(root.name) and not (root.is_dir() or root.is_file()):
        raise Invalid(f"{shown(str(path))} is no regular file, and rows are read twice; copy them to one")
    if not (root.is_dir() or is_markdown(root.name) or is_row_file(root.name)):
        raise Invalid(
            f"{shown(str(path))} cannot be imported; name a folder, a Markdown file or a file"
            " docs.jsonl, docs.jsonl.gz or docs.jsonl.xz"
        )
    return root


def _single(path: Path) -> MarkdownFile | Path | Refusal:
    if not is_markdown(path.name):
        return path
    return MarkdownFile(path, path) if is_text(path.name) else Refusal(shown(str(path)), NO_TEXT)


def _claims(
    files: Sequence[MarkdownFile],
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped,
) -> dict[MarkdownFile, Claim | Refusal]:
    claims = {}
    for file in files:
        if is_stopped():
            raise Stopped
        claims[file] = _claim(file, kind, prefixes)
    return claims


def _claim(file: MarkdownFile, kind: str | None, prefixes: frozenset[str]) -> Claim | Refusal:
    source = shown(str(file.path))
    return refusing(
        source, lambda: read_aside(read_claim, read_text(file.path, file.root), file.place, kind, prefixes)
    )


def _apart(
    claims: dict[MarkdownFile, Claim | Refusal],
) -> tuple[dict[MarkdownFile, ClaimedFile | Refusal], list[Collision]]:
    readable = [(file, claim) for file, claim in claims.items() if isinstance(claim, Claim)]
    named, collisions = name_apart(
        [
            NamedDocument(file.source, claim.identifier, shown(file.path.parent.name))
            for file, claim in readable
        ]
    )
    answer: dict[MarkdownFile, ClaimedFile | Refusal] = {
        file: claim for file, claim in claims.items() if isinstance(claim, Refusal)
    }
    for (file, claim), name in zip(readable, named, strict=True):
        answer[file] = ClaimedFile(file, claim.kind, name.identifier)
    return answer, collisions


def _source(
    source: MarkdownFile | Path | Refusal,
    claimed: dict[MarkdownFile, ClaimedFile | Refusal],
    rows: dict[Path, RowFile],
) -> ClaimedFile | RowFile | Refusal:
    if isinstance(source, Refusal):
        return source
    return claimed[source] if isinstance(source, MarkdownFile) else rows[source]


def _read_file(claimed: ClaimedFile, prefixes: frozenset[str]) -> Readable | Refusal:
    source = shown(str(claimed.file.path))
    return refusing(source, lambda: Readable(source, _document(claimed, prefixes)))


def _document(claimed: ClaimedFile, prefixes: frozenset[str]) -> Document:
    text = read_text(claimed.file.path, claimed.file.root)
    parsed = read_aside(
        parse_markdown, text, kind=claimed.kind, path=claimed.file.place, known_prefixes=prefixes
    )
    return replace(parsed, identifier=claimed.identifier, source_uri=claimed.file.source)
