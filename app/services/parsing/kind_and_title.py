"""Read the kind, the identifier and the title of a document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import PurePosixPath

from app.domain.artifact import DatePrecision
from app.domain.identifier import identifier_key
from app.domain.text import beginning, fold
from app.services.parsing.blocks import BlockKind
from app.services.parsing.context import Reading
from app.services.parsing.dates import date_of_byline, date_of_path, find_date
from app.services.parsing.field_lines import is_known_field
from app.services.parsing.identifiers import whole_identifier
from app.services.parsing.inline import plain_text
from app.services.parsing.text import text_of
from app.services.parsing.vocabulary import field_key, kind_named, kind_of_folder, kind_of_prefix, vocabulary

MAX_TITLE_LENGTH = 300
MAX_TEXT_SHARE = 80

_NUMBERED_TITLE = re.compile(
    r"[\[(]?(?:(?P<prefix>[A-Za-z]{2,16})(?P<joint>[-‐‑_ #]{0,2}))?(?P<number>[0-9]{1,6})"
    r"[\])]?"
    r"(?P<end>[ \t]*[:.)\]][ \t]*|[ \t]+[-–—:|][ \t]+|[ \t]*$|(?(prefix)[ \t]+|(?!)))(?P<rest>.*)",
    re.DOTALL,
)
_NUMBERED_FILE = re.compile(
    r"(?:(?P<prefix>[A-Za-z]{2,16})[-_ ]?)?(?P<number>[0-9]{1,6})(?:[-_. ]|$)(?P<rest>.*)"
)
_YEARS = range(1970, 2100)
_FOLDER_FILES = frozenset({"readme", "index", "_index"})


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
    spelled = _spelled_title(reading)
    titled = _numbered(_NUMBERED_TITLE, spelled, reading.prefixes | _own_prefixes())
    filed = _numbered_file(reading)
    stated = _stated_identifier(reading)
    named = kind or _kind(reading, stated, filed, titled, spelled)
    own = reading.prefixes | _own_prefixes()
    prefix = _prefix_of(named, reading.prefixes)
    titled, filed = without_year(titled, prefix), without_year(filed, prefix)
    prefix = prefix or _prefix_in(stated, own)
    identifier = stated and _with_prefix(stated, prefix)
    identifier = identifier or _from_numbers(titled, filed, prefix, reading.warnings)
    prefix = prefix or _prefix_in(identifier, own)
    return Identity(named, identifier, _title(reading, spelled, titled, identifier, prefix), prefix)


@cache
def _own_prefixes() -> frozenset[str]:
    """Return the prefixes that a document may have itself, beside those that texts may mention."""
    return frozenset(kind.prefix for kind in vocabulary().kinds)


def without_year(numbered: Numbered | None, prefix: str | None) -> Numbered | None:
    """Return a number, or None where it is a year: 2026 in `2026-Q1.md` numbers no retrospective.

    `prefix` is the one that a number without any takes.
    """
    if numbered is None or len(numbered.number) != 4 or int(numbered.number) not in _YEARS:
        return numbered
    known = kind_of_prefix(numbered.prefix or prefix)
    counts = known.has_large_numbers if known is not None else numbered.prefix is not None
    return numbered if counts else None


_HTML_HEADING = re.compile(r"<h1\b[^>]{0,500}>(?P<words>.{1,1000}?)</h1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,1000}>")
_BOLD_LINE = re.compile(r"(\*\*|__)(?P<words>[^*_\n]{2,200})\1")
_SPACE_BEFORE = re.compile(r"[^:]{1,80} : (?P<title>\S.*)", re.DOTALL)


def _spelled_title(reading: Reading) -> str:
    """Return the words of the heading that titles a document, in Markdown, in HTML, or set in bold."""
    html = _html_title(reading)
    if html:
        return html
    bold = _bold_title(reading)
    if bold:
        return bold
    heading = "" if reading.title is None else plain_text(reading.title.content[:2_000])
    exported = _SPACE_BEFORE.fullmatch(heading)
    return exported["title"] if exported is not None and _is_exported(reading) else heading


def _is_exported(reading: Reading) -> bool:
    """Return whether a line says by whom and when a page was changed, as wikis write it into exports."""
    lines = (line for block in reading.opening[:5] for line in block.content[:1_000].split("\n"))
    return any(date_of_byline(line) is not None for line in lines)


def _html_title(reading: Reading) -> str:
    """Return the first HTML heading of level one above the heading that titles the page."""
    for block in reading.page.blocks:
        if block.opens_section and block.level == 1:
            break
        if (
            block.kind is BlockKind.HTML
            and (match := _HTML_HEADING.search(block.content[:4_000])) is not None
        ):
            return " ".join(unescape(_TAG.sub("", match["words"])).split())
    return ""


def _bold_title(reading: Reading) -> str:
    """Return a first line set in bold, as exported pages have it above headings that are sections."""
    opening = next(iter(reading.page.blocks), None)
    if opening is None or opening.kind is not BlockKind.TEXT or not opening.top or opening is reading.title:
        return ""
    match = _BOLD_LINE.fullmatch(opening.content.strip())
    if match is None or any(
        is_known_field(line.name) for line in reading.lines.fields if line.block is opening
    ):
        return ""
    ones = [section.heading for section in reading.sections if section.heading and section.heading.level == 1]
    is_above = len(ones) != 1 or ones[0].content.strip().startswith(("**", "__"))
    return plain_text(match["words"]) if is_above else ""


def file_name(path: str | None) -> str | None:
    """Return the name of a file without its ending, or the folder's name for README and index files."""
    if path is None:
        return None
    place = PurePosixPath(path)
    return place.parent.name or place.stem if fold(place.stem) in _FOLDER_FILES else place.stem


def numbered_path(path: str, prefixes: frozenset[str]) -> Numbered | None:
    """Return the number and prefix that a path's file name begins with, or None."""
    name = file_name(path)
    if name is None or date_of_path(name) is not None:
        return None
    return _numbered(_NUMBERED_FILE, name, prefixes)


def _numbered_file(reading: Reading) -> Numbered | None:
    own = reading.prefixes | _own_prefixes()
    return numbered_path(reading.path, own) if reading.path else None


def _numbered(pattern: re.Pattern[str], text: str, prefixes: frozenset[str]) -> Numbered | None:
    match = pattern.match(text)
    dated = find_date(text) if match is not None else None
    if match is None or (dated is not None and dated.precision is not DatePrecision.YEAR):
        return None
    prefix = match["prefix"].upper() if match["prefix"] else None
    if prefix is not None and prefix not in prefixes:
        return None
    return Numbered(prefix, match["number"], match["rest"].strip())


def _stated_identifier(reading: Reading) -> str | None:
    own = reading.prefixes | _own_prefixes()
    for name, value in reading.by_role("identifier"):
        text = text_of(value, name, reading.warnings)
        prefix = field_key(name).removesuffix("-number").upper()
        if text:
            return f"{prefix}-{text}" if text.isdigit() and prefix in own else text
    return None


def _kind(
    reading: Reading, stated: str | None, filed: Numbered | None, titled: Numbered | None, spelled: str
) -> str:
    own = reading.prefixes | _own_prefixes()
    return (
        _stated_kind(reading)
        or _kind_of_prefix(_prefix_in(stated, own))
        or _kind_of_prefix(filed.prefix if filed else None)
        or _kind_of_folder(reading)
        or _kind_of_prefix(titled.prefix if titled else None)
        or _kind_of_words(reading, spelled)
        or _kind_of_shape(reading)
        or vocabulary().default_kind
    )


_TITLE_END = re.compile(r"\s*(?:[:|#]|[-–—]\s|\d|$)")


def _kind_of_words(reading: Reading, spelled: str) -> str | None:
    """Return the kind whose name a title begins with, or a file's name begins or ends with."""
    dated = find_date(spelled)
    is_date = dated is not None and dated.precision is not DatePrecision.YEAR
    title = "" if is_date else fold(spelled.replace("-", " "))
    name = re.sub(r"^[\d-]+|-?[\d-]+$", "", field_key(file_name(reading.path) or ""))
    for kind in vocabulary().kinds:
        if any(title.startswith(words) and _TITLE_END.match(title, len(words)) for words in kind.titles):
            return kind.name
        if any(name == word or name.endswith(f"-{word}") for word in kind.files):
            return kind.name
        if any(name.startswith(f"{word}-") for word in kind.starts):
            return kind.name
    return None


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
    known = kind_of_prefix(prefix)
    return prefix if known is None else known.name


def _kind_of_folder(reading: Reading) -> str | None:
    folders = PurePosixPath(reading.path).parent.parts if reading.path else ()
    for folder in reversed(folders):
        if (known := kind_of_folder(folder)) is not None:
            return known.name
        if folder.upper() in reading.prefixes:
            return folder.upper()
    return None


def _kind_of_shape(reading: Reading) -> str | None:
    names = {section.name for section in reading.sections}
    fields = {field_key(name) for name in reading.fields}
    fields |= {field_key(line.name) for line in reading.lines.fields}
    for kind in vocabulary().kinds:
        if any(shape <= names for shape in kind.headings) or any(shape <= fields for shape in kind.fields):
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
    if not spelled and (line := next(reading.lines_by_role("title"), None)) is not None and line.value:
        return beginning(plain_text(line.value[:2_000]), MAX_TITLE_LENGTH)
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
