"""Scanning the paths of an import: the files to read, their kinds and their identifiers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from app.domain.artifact import Document
from app.domain.identifier import identifier_key
from app.domain.text import short_key
from app.errors import Invalid
from app.services.importing.folders import (
    NO_TEXT,
    MarkdownFile,
    Unread,
    find_files,
    is_markdown,
    is_text,
    read_sidecar_text,
    read_text,
)
from app.services.importing.interruption import IsStopped, Stopped, never, read_in_process, read_in_turns
from app.services.importing.items import (
    Items,
    Readable,
    Refusal,
    Skipped,
    prefixes_among,
    printable_name,
    read_or_refuse,
)
from app.services.importing.jsonl import count_rows, is_row_file, read_rows
from app.services.importing.name_collisions import (
    NOTHING_HELD,
    Collision,
    NamedDocument,
    name_by_root,
    resolve_names,
)
from app.services.importing.removals import KnownFiles, RootContents
from app.services.parsing import parse_markdown
from app.services.parsing.document import accepted_prefixes
from app.services.parsing.file_claim import Claim, read_claim
from app.services.parsing.vocabulary import vocabulary
from app.stores.postgres.absences import ImportRoot, RootedDocument
from app.stores.postgres.document_names import HeldDocument


@dataclass(frozen=True, slots=True)
class RowFile:
    """A row file and how many rows it has."""

    path: Path
    rows: int


@dataclass(frozen=True, slots=True)
class ClaimedFile:
    """A Markdown file with its kind, its identifier in this import, and the one it states if that differs."""

    file: MarkdownFile
    kind: str
    identifier: str | None
    stated: str | None

    @property
    def key(self) -> str:
        """The key that its document is filed under."""
        return identifier_key(self.identifier or "") or short_key(f"source:{self.file.source}")


@dataclass(frozen=True, slots=True)
class FolderScan:
    """Everything to read, in order, and the skipped files; holds names only, unless texts are kept.

    `unread` counts the files that are not read, by their endings, and `kept` are documents that were read
    already. `roots` are the folders of the request.
    """

    sources: tuple[ClaimedFile | RowFile | Refusal, ...]
    skipped: tuple[Skipped, ...]
    kind: str | None
    prefixes: frozenset[str]
    collisions: tuple[Collision, ...]
    unread: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[MarkdownFile, Document] = field(default_factory=dict)
    roots: tuple[Path, ...] = ()

    @property
    def filed(self) -> list[RootContents]:
        """What each folder of the request holds."""
        refused = frozenset(source.source for source in self.sources if isinstance(source, Refusal))
        claimed = [source for source in self.sources if isinstance(source, ClaimedFile)]
        return [
            RootContents(
                ImportRoot(printable_name(str(root))),
                {each.key: each.file.source for each in claimed if each.file.root == root},
                refused,
            )
            for root in self.roots
        ]

    @property
    def total(self) -> int:
        """How many documents, rows and refusals `read` will yield."""
        return sum(source.rows if isinstance(source, RowFile) else 1 for source in self.sources)

    def read(self, is_stopped: IsStopped = never) -> Items:
        """Yield the documents one after the other; one that cannot be read becomes a refusal.

        Raises Stopped once `is_stopped` says so.
        """
        for source in self.sources:
            if isinstance(source, RowFile):
                yield from read_rows(source.path, self.kind, self.prefixes, is_stopped)
            elif isinstance(source, Refusal):
                yield source
            else:
                yield _read_file(source, self.prefixes, is_stopped, self.kept.get(source.file))


def scan_paths(
    paths: Sequence[Path],
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped = never,
    held: Mapping[str, HeldDocument] = NOTHING_HELD,
    rooted: Sequence[RootedDocument] = (),
    *,
    keeps: bool = False,
) -> FolderScan:
    """Scan everything under these paths; `prefixes` are accepted in identifiers beside the shipped ones.

    `held` are the documents of the ledger by key, whose identifiers other documents do not get, and `rooted`
    those that came from a folder: a file that moved in it, or is in another root, keeps its document. A scan
    that `keeps` reads each document once and holds all of them; no kind can be given then. Raises Invalid
    when a path does not exist or is nothing that can be imported, and Stopped once `is_stopped` says so.
    """
    everything = list(_found(paths, is_stopped))
    unread = Counter(source.ending for source in everything if isinstance(source, Unread))
    entries = [source for source in everything if not isinstance(source, Unread)]
    found = [source for source in entries if not isinstance(source, Skipped)]
    skipped = _skipped(entries)
    files = [source for source in found if isinstance(source, MarkdownFile)]
    names = {file.path.stem for file in files}
    rows: dict[Path, RowFile] = {}
    for path in (source for source in found if not isinstance(source, MarkdownFile | Refusal)):
        count, seen = count_rows(path, is_stopped)
        rows[path] = RowFile(path, count)
        prefixes |= seen
    prefixes |= prefixes_among([*names, f"{kind or ''}-1"])
    kept: dict[MarkdownFile, Document] | None = {} if keeps else None
    claims = _claims(files, kind, prefixes, is_stopped, kept)
    stated = prefixes_among(claim.identifier or "" for claim in claims.values() if isinstance(claim, Claim))
    is_complete = stated <= accepted_prefixes(prefixes)
    prefixes |= stated
    if not is_complete:
        claims = _claims(files, kind, prefixes, is_stopped, kept)
    present: dict[str, list[str]] = defaultdict(list)
    for file in files:
        present[printable_name(str(file.root))].append(file.source)
    claimed, collisions = _resolve_claims(claims, held, KnownFiles(rooted, present))
    sources = tuple(_source(source, claimed, rows) for source in found)
    roots = tuple(root for root in dict.fromkeys(map(_root, paths)) if root.is_dir())
    return FolderScan(sources, skipped, kind, prefixes, tuple(collisions), unread, kept or {}, roots)


def _skipped(entries: Sequence[MarkdownFile | Path | Refusal | Skipped]) -> tuple[Skipped, ...]:
    """Return the skipped files, each once, without those that the request names."""
    named = {printable_name(str(source)) for source in entries if isinstance(source, Path)}
    skipped = dict.fromkeys(source for source in entries if isinstance(source, Skipped))
    return tuple(source for source in skipped if source.source not in named)


def _found(
    paths: Sequence[Path], is_stopped: IsStopped
) -> Iterator[MarkdownFile | Path | Refusal | Skipped | Unread]:
    """Yield each file under the paths once; all paths are checked before any file is read."""
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
        raise Invalid(
            f"{printable_name(str(path))} does not exist; give a folder or a file that exists"
        ) from error
    if is_row_file(root.name) and not (root.is_dir() or root.is_file()):
        raise Invalid(
            f"{printable_name(str(path))} is not a regular file, and rows are read twice;"
            " copy them to a regular file"
        )
    if not (root.is_dir() or is_markdown(root.name) or is_row_file(root.name)):
        raise Invalid(
            f"{printable_name(str(path))} cannot be imported; give a folder, a Markdown file"
            " or a file docs.jsonl, docs.jsonl.gz or docs.jsonl.xz"
        )
    return root


def _single(path: Path) -> MarkdownFile | Path | Refusal:
    if not is_markdown(path.name):
        return path
    return MarkdownFile(path, path) if is_text(path.name) else Refusal(printable_name(str(path)), NO_TEXT)


def _claims(
    files: Sequence[MarkdownFile],
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped,
    kept: dict[MarkdownFile, Document] | None,
) -> dict[MarkdownFile, Claim | Refusal]:
    """Return what each file claims; keep the documents, if there is something to keep them in."""
    if kept is not None:
        return _claims_of_kept(files, prefixes, is_stopped, kept)
    claims: dict[MarkdownFile, Claim | Refusal] = {}
    for file in files:
        if is_stopped():
            raise Stopped
        claims[file] = _claim(file, kind, prefixes, is_stopped)
    return claims


def _claims_of_kept(
    files: Sequence[MarkdownFile],
    prefixes: frozenset[str],
    is_stopped: IsStopped,
    kept: dict[MarkdownFile, Document],
) -> dict[MarkdownFile, Claim | Refusal]:
    claims: dict[MarkdownFile, Claim | Refusal] = {}
    whole = read_in_turns(files, lambda file: _whole(file, prefixes, is_stopped))
    for file, read in zip(files, whole, strict=True):
        if isinstance(read, Refusal):
            claims[file] = read
        else:
            claims[file], kept[file] = Claim(read.kind, read.identifier, read.title), read
    return claims


def _whole(file: MarkdownFile, prefixes: frozenset[str], is_stopped: IsStopped) -> Document | Refusal:
    if is_stopped():
        raise Stopped
    return read_or_refuse(printable_name(str(file.path)), lambda: _parse(file, None, prefixes, is_stopped))


def _claim(
    file: MarkdownFile, kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped
) -> Claim | Refusal:
    source = printable_name(str(file.path))
    return read_or_refuse(
        source,
        lambda: read_in_process(
            is_stopped,
            read_claim,
            read_text(file.path, file.root),
            file.place,
            kind,
            prefixes,
            beside=read_sidecar_text(file),
        ),
    )


def _resolve_claims(
    claims: dict[MarkdownFile, Claim | Refusal], held: Mapping[str, HeldDocument], known: KnownFiles
) -> tuple[dict[MarkdownFile, ClaimedFile | Refusal], list[Collision]]:
    readable = [(file, claim) for file, claim in claims.items() if isinstance(claim, Claim)]
    own, strangers = _own_identifiers(readable, held, known)
    named, collisions = resolve_names(
        [
            NamedDocument(
                file.source,
                own.get(file, claim.identifier),
                printable_name(file.path.parent.name),
                claim.kind,
                claim.title,
            )
            for file, claim in readable
        ],
        held,
        known.missing_sources(),
    )
    kept, apart = _kept_identifiers(readable, named, held, known)
    resolved: dict[MarkdownFile, ClaimedFile | Refusal] = {
        file: claim for file, claim in claims.items() if isinstance(claim, Refusal)
    }
    for (file, claim), name in zip(readable, named, strict=True):
        stated = None if claim.identifier == name.identifier else claim.identifier
        claimed = ClaimedFile(file, claim.kind, kept.get(file, name.identifier), stated)
        before = known.kind_of(printable_name(str(file.root)), claimed.key)
        # A folder may name the kind, and a file that left it is of the same kind all the same.
        is_of_folder = before is not None and claim.kind == vocabulary().default_kind
        resolved[file] = replace(claimed, kind=before) if before and is_of_folder else claimed
    return resolved, [*collisions, *strangers, *apart]


def _own_identifiers(
    readable: Sequence[tuple[MarkdownFile, Claim]], held: Mapping[str, HeldDocument], known: KnownFiles
) -> tuple[dict[MarkdownFile, str], list[Collision]]:
    """Return the identifiers of files that state one that a document of another root has, or had before.

    A file whose number a document of another root has keeps the one that it was filed under. A new one gets
    the folder of its root before the number, which is a collision.
    """
    digests: dict[str, dict[str, str]] = defaultdict(dict)
    twins: dict[tuple[str, str], set[str]] = defaultdict(set)
    places: dict[str, set[str]] = defaultdict(set)
    for file, claim in readable:
        digests[_place(file)][file.source] = claim.digest
        twins[identifier_key(claim.identifier or ""), file.source].add(claim.digest)
        places[identifier_key(claim.identifier or "")].add(_place(file))
    own: dict[MarkdownFile, str] = {}
    collisions = []
    taken = {identifier_key(claim.identifier) for _, claim in readable if claim.identifier is not None}
    for file, claim in readable:
        if claim.identifier is None:
            continue
        key, place = identifier_key(claim.identifier), _place(file)
        before = known.at(place, file.source)
        is_shared = len(places[key]) > 1 or known.is_of_another(key, place)
        if before is not None and key in before.keys and is_shared:
            own[file] = claim.identifier if before.key == key else before.identifier or before.key
            continue
        other = known.stranger(key, file.path, place, digests[place], file.source)
        if other is None and len(twins[key, file.source]) == 1:
            continue
        name = name_by_root(_folder(file), claim.identifier, lambda each: each in held or each in taken)
        own[file] = name or file.source
        taken.add(identifier_key(own[file]))
        there = () if other is None else (NamedDocument(printable_name(str(other.path)), other.identifier),)
        collisions.append(Collision(claim.identifier, (*there, NamedDocument(file.source, own[file]))))
    return own, collisions


def _place(file: MarkdownFile) -> str:
    return printable_name(str(file.root))


def _folder(file: MarkdownFile) -> PurePosixPath:
    """Return the folder of the root of a file, which may be the file itself."""
    place = PurePosixPath(_place(file))
    return place if file.root != file.path else place.parent


def _kept_identifiers(
    readable: Sequence[tuple[MarkdownFile, Claim]],
    named: Sequence[NamedDocument],
    held: Mapping[str, HeldDocument],
    known: KnownFiles,
) -> tuple[dict[MarkdownFile, str], list[Collision]]:
    """Return the identifiers of files that state none, where they are not their paths.

    A file has the identifier that it had before, else the one with its text that is gone from its folder, or
    the one that came from it by another root. One whose path names a document of another file gets the folder
    of its root as well, which is a collision.
    """
    by_path = {
        file: name.identifier or ""
        for (file, claim), name in zip(readable, named, strict=True)
        if claim.identifier is None
    }
    places = {file: printable_name(str(file.root)) for file in by_path}
    digests: dict[str, dict[str, str]] = defaultdict(dict)
    for file, claim in readable:
        digests[printable_name(str(file.root))][file.source] = claim.digest
    taken = {
        identifier_key(name.identifier or "")
        for (_, claim), name in zip(readable, named, strict=True)
        if claim.identifier is not None
    }
    kept: dict[MarkdownFile, str] = {}
    for file, identifier in _former_identifiers(by_path, digests, held, known):
        if identifier_key(identifier) not in taken:
            kept[file] = identifier
            taken.add(identifier_key(identifier))
    taken |= {identifier_key(by_path[file]) for file in by_path if file not in kept}
    collisions = []
    for file in (each for each in by_path if each not in kept):
        name, place = by_path[file], places[file]
        other = known.holder(identifier_key(name), place, digests[place], file.source)
        if other is not None:
            apart = name_by_root(_folder(file), name, lambda key: key in held or key in taken) or file.source
            kept[file] = apart
            taken.add(identifier_key(apart))
            there = NamedDocument(printable_name(str(other.path)), name)
            collisions.append(Collision(name, (there, NamedDocument(file.source, apart))))
    return kept, collisions


def _former_identifiers(
    by_path: Mapping[MarkdownFile, str],
    digests: Mapping[str, Mapping[str, str]],
    held: Mapping[str, HeldDocument],
    known: KnownFiles,
) -> Iterator[tuple[MarkdownFile, str]]:
    """Yield the files without an identifier that were filed before, and what they were filed under."""
    for root in dict.fromkeys(file.root for file in by_path):
        place, own = printable_name(str(root)), [file for file in by_path if file.root == root]
        new = {
            file.source: digests[place][file.source]
            for file in own
            if identifier_key(by_path[file]) not in held
        }
        moved = known.moved(place, new)
        for file in own:
            before = known.at(place, file.source)
            same = None if before is None else before.identifier
            identifier = same or moved.get(file.source) or known.elsewhere(file.path, place)
            if identifier is not None:
                yield file, identifier


def _source(
    source: MarkdownFile | Path | Refusal,
    claimed: dict[MarkdownFile, ClaimedFile | Refusal],
    rows: dict[Path, RowFile],
) -> ClaimedFile | RowFile | Refusal:
    if isinstance(source, Refusal):
        return source
    return claimed[source] if isinstance(source, MarkdownFile) else rows[source]


def _read_file(
    claimed: ClaimedFile, prefixes: frozenset[str], is_stopped: IsStopped, kept: Document | None
) -> Readable | Refusal:
    source = printable_name(str(claimed.file.path))
    return read_or_refuse(source, lambda: Readable(source, _document(claimed, prefixes, is_stopped, kept)))


def _document(
    claimed: ClaimedFile, prefixes: frozenset[str], is_stopped: IsStopped, kept: Document | None
) -> Document:
    return replace(
        kept or _parse(claimed.file, claimed.kind, prefixes, is_stopped),
        identifier=claimed.identifier,
        source_uri=claimed.file.source,
        stated_identifier=claimed.stated,
    )


def _parse(file: MarkdownFile, kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped) -> Document:
    return read_in_process(
        is_stopped,
        parse_markdown,
        read_text(file.path, file.root),
        kind=kind,
        path=file.place,
        known_prefixes=prefixes,
        beside=read_sidecar_text(file),
    )
