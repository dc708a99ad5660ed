"""Resolving identifiers that several files of an import state, or that a file lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import PurePosixPath
from types import MappingProxyType

from app.domain.bounds import MAX_IDENTIFIER
from app.domain.identifier import identifier_key, is_numbered
from app.domain.text import fold
from app.services.parsing.identifiers import place_of_best
from app.services.parsing.target_readings import MARKDOWN_ENDINGS
from app.services.unit_of_work import Homonyms
from app.stores.postgres.document_names import HeldDocument

FOLDER_FILES = ("readme", "index")
"""A file of these names is identified by the name of its folder."""


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A file by its path inside the import, and the identifier that it states or gets.

    `folder` is the name of the folder it lies in, which the path of a file at the root does not hold. `kind`
    and `title` are what it states. `since` orders files by when they stated their identifier first, where
    that is known.
    """

    source: str
    identifier: str | None
    folder: str = ""
    kind: str = ""
    title: str = ""
    since: int = 0


@dataclass(frozen=True, slots=True)
class Collision:
    """An identifier that several files state, and the identifier that each of them gets.

    One that fits it best, or is filed under it already, keeps it.
    """

    identifier: str
    files: tuple[NamedDocument, ...]


def homonyms_of(collisions: Sequence[Collision]) -> Homonyms:
    """Return the identifiers that several files state and none keeps."""
    return {
        identifier_key(collision.identifier): tuple(
            sorted(
                identifier_key(file.identifier) if file.identifier else file.source
                for file in collision.files
            )
        )
        for collision in collisions
        if all(file.identifier != collision.identifier for file in collision.files)
    }


NOTHING_HELD: Mapping[str, HeldDocument] = MappingProxyType({})


def resolve_names(
    stated: Sequence[NamedDocument],
    held: Mapping[str, HeldDocument] = NOTHING_HELD,
    missing: Container[str] = (),
) -> tuple[list[NamedDocument], list[Collision]]:
    """Return each file with a unique identifier, and the identifiers that several files stated.

    A file that states none gets its path without the ending; a README or index file gets its folder. Of
    files that state the same identifier the one that is filed under it keeps it, else the one that stated it
    first, else the one whose kind and file name fit it best: the others get their folder as a prefix in
    different folders, and their file's name in one folder. Files that no rule distinguishes get no
    identifier; their source names them. `held` are the documents in the ledger by key; another document that
    has a file's identifier keeps it, unless its own file is `missing` from this folder: it moved.
    """
    sources = {file.source for file in stated}
    groups: dict[str, list[int]] = defaultdict(list)
    for place, file in enumerate(stated):
        groups[_key(file.identifier or _by_path(file))].append(place)
    taken = Counter(groups.keys())
    named = [NamedDocument(file.source, file.identifier or _by_path(file)) for file in stated]
    collisions = []
    for key, places in groups.items():
        files = [stated[place] for place in places]
        foreign = _held_by_another(files, held.get(key), sources)
        foreign = None if foreign in missing else foreign
        if len(files) == 1 and foreign is None:
            continue
        other = [] if foreign is None else [NamedDocument(foreign, _stated(files)[0])]
        keeper = _keeper(key, files, held.get(key)) if foreign is None else None
        renamed = _renamed(files, taken, keeper, other)
        for place, file in zip(places, renamed, strict=True):
            named[place] = file
        collisions += [Collision(text, (*other, *renamed)) for text in _stated(files)[:1]]
    return named, collisions


def _held_by_another(
    files: Sequence[NamedDocument], held: HeldDocument | None, sources: Container[str]
) -> str | None:
    """Return the source of a document in the ledger that has an identifier, and is none of these files.

    A file that was moved keeps its name or its title: such a file is another version of that document.
    """
    if held is None or held.source_uri is None or held.source_uri in sources or not _stated(files):
        return None
    if not held.source_uri.endswith(MARKDOWN_ENDINGS):
        return None  # a row or an address: who files it otherwise files it again
    return None if any(_may_be(file, held) for file in files) else held.source_uri


def _may_be(file: NamedDocument, held: HeldDocument) -> bool:
    here, there = PurePosixPath(file.source), PurePosixPath(held.source_uri or "")
    is_beside = here.parent == there.parent or fold(here.stem) == fold(there.stem)
    return is_beside or fold(file.title) == fold(held.title)


def _keeper(key: str, files: Sequence[NamedDocument], held: HeldDocument | None) -> int | None:
    """Return the place of the file that keeps the identifier that several state, or None."""
    if held is not None and held.source_uri is not None:
        for place, file in enumerate(files):
            if file.source == held.source_uri and file.identifier is not None:
                return place
    first = min(file.since for file in files)
    earliest = [place for place, file in enumerate(files) if file.since == first]
    if len(earliest) == 1 and len(files) > 1:
        return earliest[0]
    if not is_numbered(key):
        return None
    return place_of_best(key, [(file.kind, file.source) for file in files])


def _stated(files: Sequence[NamedDocument]) -> list[str]:
    return [file.identifier for file in files if file.identifier is not None]


def _renamed(
    files: Sequence[NamedDocument],
    taken: Counter[str],
    keeper: int | None,
    beside: Sequence[NamedDocument],
) -> list[NamedDocument]:
    """Return the files with identifiers of their own, by a rule that tells them from those beside too.

    The keeper has its own already. A file that came later changes no identifier of one that was there.
    """
    given: dict[int, NamedDocument] = {}
    for since in sorted({file.since for file in files}):
        places = [place for place, file in enumerate(files) if file.since == since]
        before = [*beside, *(files[place] for place in given)]
        apart = _apart(
            [files[place] for place in places], taken, [place == keeper for place in places], before
        )
        given |= zip(places, apart, strict=True)
    return [given[place] for place in range(len(files))]


def _apart(
    files: Sequence[NamedDocument],
    taken: Counter[str],
    keeps: Sequence[bool],
    beside: Sequence[NamedDocument],
) -> list[NamedDocument]:
    given = [NamedDocument(file.source, None) for file in files]
    for rule in (_by_folder, _by_stem, _by_path, _by_source):
        names = [rule(file) for file in files]
        every = [_key(name) for name in (*names, *map(rule, beside)) if name is not None]
        keys = {_key(name) for name, is_keeper in zip(names, keeps, strict=True) if not is_keeper}
        is_apart = None not in names and len(set(every)) == len(every)
        if is_apart and not any(taken[key] for key in keys):
            taken.update(keys)
            given = [NamedDocument(file.source, name) for file, name in zip(files, names, strict=True)]
            break
    else:
        if keeps == [False]:
            given = [_numbered(files[0], taken)]
    return [
        NamedDocument(file.source, file.identifier or _by_path(file)) if is_keeper else own
        for file, own, is_keeper in zip(files, given, keeps, strict=True)
    ]


def _numbered(file: NamedDocument, taken: Counter[str]) -> NamedDocument:
    """Return a file at a path that another one had, named by the path and the first free number."""
    names = (_short(f"{_by_path(file)}-{number}") for number in count(2))
    name = next(name for name in names if name is None or not taken[_key(name)])
    taken[_key(name)] += 1
    return NamedDocument(file.source, name)


def name_by_root(root: PurePosixPath, name: str, is_taken: Callable[[str], bool]) -> str | None:
    """Return a name that another root has, with as many of the last folders of its own root as part them."""
    folders = [part for part in root.parts if part != root.anchor]
    for place in range(len(folders) - 1, -1, -1):
        longer = "/".join((*folders[place:], name))
        if not is_taken(_key(longer)):
            return _short(longer)
    return None


def _by_folder(file: NamedDocument) -> str | None:
    folder = PurePosixPath(file.source).parent
    if file.identifier is None or not folder.parts:
        return None
    return _short(f"{'-'.join(str(folder).split())}/{file.identifier.rpartition('/')[2]}")


def _by_stem(file: NamedDocument) -> str | None:
    return _short(PurePosixPath(file.source).stem)


def _by_path(file: NamedDocument) -> str | None:
    path = PurePosixPath(file.source)
    if path.stem.lower() not in FOLDER_FILES:
        return _short(str(path.with_suffix("")))
    return _short(str(path.parent) if path.parent.parts else file.folder or path.stem)


def _by_source(file: NamedDocument) -> str | None:
    return _short(file.source)


def _short(name: str) -> str | None:
    return name if len(name) <= MAX_IDENTIFIER else None


def _key(name: str | None) -> str:
    return "" if name is None else identifier_key(name)
