"""Resolving identifiers that several files of an import state, or that a file lacks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.domain.bounds import MAX_IDENTIFIER
from app.domain.identifier import identifier_key

FOLDER_FILES = ("readme", "index")
"""A file of these names is identified by the name of its folder."""


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A file by its path inside the import, and the identifier that it states or gets.

    `folder` is the name of the folder it lies in, which the path of a file at the root does not hold.
    """

    source: str
    identifier: str | None
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Collision:
    """An identifier that several files state, and the identifier that each of them gets instead."""

    identifier: str
    files: tuple[NamedDocument, ...]


def resolve_names(stated: Sequence[NamedDocument]) -> tuple[list[NamedDocument], list[Collision]]:
    """Return each file with a unique identifier, and the identifiers that several files stated.

    A file that states none gets its path without the ending; a README or index file gets its folder. Of
    files that state the same identifier none keeps it: in different folders each gets its folder as a prefix,
    in one folder each gets its file's name. Files that no rule distinguishes get no identifier; their source
    names them.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for place, file in enumerate(stated):
        groups[_key(file.identifier or _by_path(file))].append(place)
    taken = Counter(groups.keys())
    named = [NamedDocument(file.source, file.identifier or _by_path(file)) for file in stated]
    collisions = []
    for places in groups.values():
        files = [stated[place] for place in places]
        if len(files) > 1:
            renamed = _renamed(files, taken)
            for place, file in zip(places, renamed, strict=True):
                named[place] = file
            collisions += [Collision(text, tuple(renamed)) for text in _stated(files)[:1]]
    return named, collisions


def _stated(files: Sequence[NamedDocument]) -> list[str]:
    return [file.identifier for file in files if file.identifier is not None]


def _renamed(files: Sequence[NamedDocument], taken: Counter[str]) -> list[NamedDocument]:
    for rule in (_by_folder, _by_stem, _by_path, _by_source):
        names = [rule(file) for file in files]
        keys = {_key(name) for name in names if name is not None}
        if len(keys) == len(files) and not any(taken[key] for key in keys):
            taken.update(keys)
            return [NamedDocument(file.source, name) for file, name in zip(files, names, strict=True)]
    return [NamedDocument(file.source, None) for file in files]


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
