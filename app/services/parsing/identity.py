"""Reading the identity of a document: its kind, identifier and title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.domain.identifier import identifier_key
from app.domain.text import beginning, fold
from app.services.parsing.blocks import Block, BlockKind, Section
from app.services.parsing.context import Reading
from app.services.parsing.identifiers import whole_identifier
from app.services.parsing.inline import plain_text
from app.services.parsing.text import text_of, texts_of
from app.services.parsing.vocabulary import kind_named, relation_named, vocabulary

MAX_TITLE_LENGTH = 300
MAX_TEXT_SHARE = 80

_NUMBERED_TITLE = re.compile(
    r"(?:(?P<prefix>[A-Za-z]{2,16})(?P<joint>[-‐‑_ #]{0,2}))?(?P<number>[0-9]{1,6})"
    r"(?P<end>[ \t]*[:.)][ \t]*|[ \t]+[-–—:|][ \t]+|[ \t]*$|(?(prefix)[ \t]+|(?!)))(?P<rest>.*)",
    re.DOTALL,
)
_NUMBERED_FILE = re.compile(
    r"(?:(?P<prefix>[A-Za-z]{2,16})[-_ ]?)?(?P<number>[0-9]{1,6})(?:[-_. ]|$)(?P<rest>.*)"
)
_DATED_FILE = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?:[-_. ]|$)")
_FOLDER_FILES = frozenset({"readme", "index"})


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number read from a name, the prefix that stood before it, and what followed."""

    prefix: str | None
    number: str
    rest: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Kind, identifier and title of a document, and the prefix that bare numbers in it take."""

    kind: str
    identifier: str | None
    title: str
    prefix: str | None


def read_identity(reading: Reading, kind: str | None) -> Identity:
    """Read the identity of a document from its header, its leading heading and its file name."""
    heading = leading_heading(reading)
    spelled = plain_text(heading.content[:2_000]) if heading is not None else ""
    titled = _numbered(_NUMBERED_TITLE, spelled, reading.prefixes)
    filed = _numbered_file(reading)
    stated = _stated_identifier(reading)
    named = kind or _kind(reading, stated, filed, titled)
    prefix = _prefix_of(named, reading.prefixes) or _prefix_in(stated, reading.prefixes)
    identifier = stated and _with_prefix(stated, prefix)
    identifier = identifier or _from_numbers(titled, filed, prefix, reading.warnings)
    prefix = prefix or _prefix_in(identifier, reading.prefixes)
    return Identity(named, identifier, _title(reading, spelled, titled, identifier, prefix), prefix)


def leading_heading(reading: Reading) -> Block | None:
    """Return the heading that titles the document: the first of level one, or one that opens the page.

    Headings that documents share, such as "Context" or "Supersedes", title none unless they lead it.
    """
    if (leading := _leading_shared(reading)) is not None:
        return leading
    titles = [section.heading for section in reading.sections if section.heading and not _is_shared(section)]
    of_level_one = next((block for block in titles if block.level == 1), None)
    opening = next((block for block in reading.page.blocks if block.kind is not BlockKind.HTML), None)
    return of_level_one or next((block for block in titles[:1] if block is opening), None)


def _leading_shared(reading: Reading) -> Block | None:
    """Return the first heading, of level one, when its words are shared and yet title the document.

    They do not where another of level one is shared as well, for then each of them heads a section, nor
    beside a header that states another title.
    """
    headed = [section for section in reading.sections if section.heading is not None]
    shared = [section for section in headed if _level(section) == 1 and _is_shared(section)]
    if len(shared) != 1 or shared[0] is not headed[0]:
        return None
    stated = [fold(text) for _, value in reading.by_role("title") for text in texts_of(value)]
    return shared[0].heading if not stated or shared[0].name in stated else None


def _level(section: Section) -> int:
    return 0 if section.heading is None else section.heading.level


def _is_shared(section: Section) -> bool:
    return section.name in vocabulary().section_names or relation_named(section.name) is not None


def file_name(path: str | None) -> str | None:
    """Return the name of a file without its ending, or the folder's name for README and index files."""
    if path is None:
        return None
    place = PurePosixPath(path)
    return place.parent.name or place.stem if fold(place.stem) in _FOLDER_FILES else place.stem


def numbered_path(path: str, prefixes: frozenset[str]) -> Numbered | None:
    """Return the number and prefix that a path's file name begins with, or None."""
    name = file_name(path)
    if name is None or _DATED_FILE.match(name):
        return None
    return _numbered(_NUMBERED_FILE, name, prefixes)


def _numbered_file(reading: Reading) -> Numbered | None:
    return numbered_path(reading.path, reading.prefixes) if reading.path else None


def _numbered(pattern: re.Pattern[str], text: str, prefixes: frozenset[str]) -> Numbered | None:
    match = pattern.match(text)
    if match is None:
        return None
    prefix = match["prefix"].upper() if match["prefix"] else None
    if prefix is not None and prefix not in prefixes:
        return None
    return Numbered(prefix, match["number"], match["rest"].strip())


def _stated_identifier(reading: Reading) -> str | None:
    for name, value in reading.by_role("identifier"):
        text = text_of(value, name, reading.warnings)
        prefix = fold(name).removesuffix("-number").upper()
        if text:
            return f"{prefix}-{text}" if text.isdigit() and prefix in reading.prefixes else text
    return None


def _kind(reading: Reading, stated: str | None, filed: Numbered | None, titled: Numbered | None) -> str:
    return (
        _stated_kind(reading)
        or _kind_of_prefix(_prefix_in(stated, reading.prefixes))
        or _kind_of_prefix(filed.prefix if filed else None)
        or _kind_of_folder(reading)
        or _kind_of_prefix(titled.prefix if titled else None)
        or _kind_of_shape(reading)
        or vocabulary().default_kind
    )


def _stated_kind(reading: Reading) -> str | None:
    for name, value in reading.by_role("kind"):
        if isinstance(value, str) and names_kind(name, value):
            known = kind_named(value)
            return known.name if known else value.strip()
    return None


def names_kind(name: str, value: object) -> bool:
    """Return whether a field gives the kind: any text under `kind`, and under `type` only a known one."""
    if not isinstance(value, str) or not value.strip():
        return False
    return fold(name) == "kind" or kind_named(value) is not None


def _kind_of_prefix(prefix: str | None) -> str | None:
    if prefix is None:
        return None
    return next((kind.name for kind in vocabulary().kinds if kind.prefix == prefix), prefix)


def _kind_of_folder(reading: Reading) -> str | None:
    folders = PurePosixPath(reading.path).parent.parts if reading.path else ()
    for folder in reversed(folders):
        wanted = fold(folder)
        for kind in vocabulary().kinds:
            if wanted in kind.folders:
                return kind.name
        if wanted.upper() in reading.prefixes:
            return wanted.upper()
    return None


def _kind_of_shape(reading: Reading) -> str | None:
    names = {section.name for section in reading.sections}
    for kind in vocabulary().kinds:
        if any(shape <= names for shape in kind.headings):
            return kind.name
    return None


def _prefix_of(kind: str, prefixes: frozenset[str]) -> str | None:
    known = kind_named(kind)
    if known is not None:
        return known.prefix
    return kind.upper() if kind.upper() in prefixes else None


def _prefix_in(identifier: str | None, prefixes: frozenset[str]) -> str | None:
    if identifier is None or not whole_identifier(identifier, prefixes):
        return None
    word = re.match(r"[^\W\d_]+", identifier.rpartition("/")[2])
    return word[0].upper() if word else None


def _with_prefix(text: str, prefix: str | None) -> str:
    return f"{prefix}-{text}" if prefix is not None and text.isascii() and text.isdigit() else text


def _from_numbers(
    titled: Numbered | None, filed: Numbered | None, prefix: str | None, warnings: list[str]
) -> str | None:
    found = [
        f"{word}-{name.number}"
        for name in (titled, filed)
        if name is not None and (word := name.prefix or prefix) is not None
    ]
    if len(found) == 2 and identifier_key(found[0]) != identifier_key(found[1]):
        # Titles are copied with their numbers when a document starts as a copy of another; file names clash.
        warnings.append(f"the title says {found[0]} and the file name {found[1]}; the file name counts")
        return found[1]
    return max(found, key=len, default=None)


def _title(
    reading: Reading, spelled: str, titled: Numbered | None, identifier: str | None, prefix: str | None
) -> str:
    for name, value in reading.by_role("title"):
        stated = text_of(value, name, reading.warnings)
        if stated:
            return beginning(stated, MAX_TITLE_LENGTH)
    stripped = titled.rest if titled is not None and (titled.prefix or prefix) and identifier else spelled
    title = stripped or _file_title(reading) or identifier or _first_words(reading) or "Untitled"
    return beginning(title, MAX_TITLE_LENGTH)


def _file_title(reading: Reading) -> str | None:
    name = file_name(reading.path)
    filed = _numbered_file(reading)
    words = (filed.rest if filed is not None else name) or ""
    return words.replace("-", " ").replace("_", " ").strip() or None


def _first_words(reading: Reading) -> str | None:
    """Return the first words of a document without a title: of its first text, else its first heading."""
    for kind in (BlockKind.TEXT, BlockKind.HEADING):
        for block in reading.page.blocks:
            words = plain_text(block.content[:400]) if block.kind is kind else ""
            if words:
                return _shorten(words)
    return None


def _shorten(words: str) -> str:
    start = beginning(words, MAX_TEXT_SHARE)
    return words if start == words else start.rpartition(" ")[0] or start
