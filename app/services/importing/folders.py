"""Finding and reading the Markdown files under a folder; no file outside the folder is ever opened."""

from __future__ import annotations

import codecs
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.errors import Invalid
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.importing.interruption import IsStopped, Stopped, never
from app.services.importing.items import Refusal, Skipped, printable_name
from app.services.importing.jsonl import is_row_file
from app.services.importing.name_collisions import FOLDER_FILES
from app.services.importing.open_file import A_LINK, read_bytes
from app.services.parsing.vocabulary import kind_of_folder

MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".txt", ".rst"})
"""The endings of texts that are read as Markdown; what else a form has of its own is text."""

SIDECARS = ("kep.yaml", "metadata.yaml", "metadata.yml", "meta.yaml")
"""The YAML files that hold the header of the README or index beside them."""

MAX_SIDECAR_BYTES = 100_000
PASSED_OVER = frozenset({"node_modules"})
A_ROW_FILE = "a file of rows is imported only if it is given as a path itself"
NO_TEXT = "its name is not UTF-8; rename it"
A_TWIN = "its name differs from the name of another file only in the encoding of its accents; rename it"
NO_ENDING = "no ending"
MAX_ENDING_LENGTH = 16
MAX_CONTROLS = 10
"""One control character in this many is an accident in a text; more is a picture, a program, or UTF-16."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """A Markdown file of an import, and the folder, or the file itself, that the request names."""

    path: Path
    root: Path

    @property
    def source(self) -> str:
        """The path inside the named folder, with slashes; for a file that the request names, its name.

        Its accents are composed, as those of links are: some file systems take them apart.
        """
        inside = self.path.name if self.path == self.root else self.path.relative_to(self.root).as_posix()
        return unicodedata.normalize("NFC", inside)

    @property
    def place(self) -> str:
        """The source after the name of its folder, which may imply the kind of its documents."""
        folder = self.root.parent if self.path == self.root else self.root
        return f"{printable_name(folder.name)}/{self.source}"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that an import does not read, by its ending."""

    ending: str


def read_sidecar_text(file: MarkdownFile) -> str | None:
    """Return the YAML that lies beside a file as its header, or None if none can be read."""
    names = [f"{file.path.stem}.yaml", f"{file.path.stem}.yml"]
    names += SIDECARS if file.path.stem.lower() in FOLDER_FILES else ()
    root = file.root if file.root != file.path else None
    for name in names:
        try:
            return text_of_bytes(read_bytes(file.path.parent / name, MAX_SIDECAR_BYTES, root))
        except (Invalid, OSError):
            continue
    return None


def is_hidden(name: str) -> bool:
    """Return whether a file or folder is passed over; a folder such as `.decisions` is not."""
    return name in PASSED_OVER or (name.startswith(".") and kind_of_folder(name) is None)


def is_markdown(name: str) -> bool:
    """Return whether a file's name is that of a text that is read as Markdown."""
    return os.path.splitext(name)[1].lower() in MARKDOWN


def is_text(name: str) -> bool:
    """Return whether a file's name is text; on most systems it may be any bytes."""
    return printable_name(name) == name


def find_files(
    root: Path, is_stopped: IsStopped = never
) -> Iterator[MarkdownFile | Refusal | Skipped | Unread]:
    """Yield the Markdown files under a folder, in order of their names, and refusals of unreadable ones.

    Links to Markdown or to folders are skipped, and so are files of rows. Files of other endings are unread.
    Hidden folders and files and `node_modules` are ignored silently. Raises Stopped once `is_stopped`
    says so.
    """
    open_folders = [iter(_entries(root))]
    while open_folders:
        if is_stopped():
            raise Stopped
        entry = next(open_folders[-1], None)
        if entry is None:
            open_folders.pop()
        elif isinstance(entry, Refusal):
            yield entry
        elif not is_hidden(entry.name):
            if _is_folder(entry, follow=False) and is_text(entry.name):
                open_folders.append(iter(_entries(Path(entry.path))))
            elif (found := _found(entry, root)) is not None:
                yield found


def _entries(folder: Path) -> list[os.DirEntry[str] | Refusal]:
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        return [Refusal(printable_name(str(folder)), f"it cannot be read: {error.strerror}")]
    names = {entry.name for entry in found}
    return [
        Refusal(printable_name(entry.path), A_TWIN) if _is_twin(entry, names) else entry for entry in found
    ]


def _is_twin(entry: os.DirEntry[str], names: set[str]) -> bool:
    """Return whether the folder has another entry whose name differs only in how accents are encoded."""
    composed = unicodedata.normalize("NFC", entry.name)
    if composed == entry.name or composed not in names:
        return False
    return is_markdown(entry.name) or _is_folder(entry, follow=False)


def _found(entry: os.DirEntry[str], root: Path) -> MarkdownFile | Refusal | Skipped | Unread | None:
    if entry.is_symlink():
        leads_on = is_markdown(entry.name) or _is_folder(entry, follow=True)
        return Skipped(printable_name(entry.path), A_LINK) if leads_on else None
    if _is_folder(entry, follow=False):
        return Refusal(printable_name(entry.path), NO_TEXT)
    if is_row_file(entry.name):
        return Skipped(printable_name(entry.path), A_ROW_FILE)
    if not is_markdown(entry.name):
        return None if entry.name.lower() in SIDECARS else Unread(_ending(entry.name))
    return (
        MarkdownFile(Path(entry.path), root)
        if is_text(entry.name)
        else Refusal(printable_name(entry.path), NO_TEXT)
    )


def _ending(name: str) -> str:
    """Return the ending of a name as it is counted; one that is long, or none, is none."""
    ending = os.path.splitext(printable_name(name))[1].lower()
    return ending if 1 < len(ending) <= MAX_ENDING_LENGTH else NO_ENDING


def _is_folder(entry: os.DirEntry[str], *, follow: bool) -> bool:
    try:
        return entry.is_dir(follow_symlinks=follow)
    except OSError:
        return False


def read_text(path: Path, root: Path | None = None) -> str:
    """Return the text of a regular file of UTF-8, with no link on its way below `root`.

    Raises Invalid with the reason when there is none.
    """
    return text_of_bytes(read_bytes(path, MAX_BODY_BYTES, root))


def text_of_bytes(data: bytes) -> str:
    """Read bytes as UTF-8; raises Invalid with the reason when they are no text or there are none."""
    if len(data) > MAX_BODY_BYTES:
        raise Invalid(f"it is larger than {MAX_BODY_BYTES} bytes; split it")
    if (encoding := _wide_encoding(data)) is not None:
        raise Invalid(f"it is {encoding}, not UTF-8; convert it")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Invalid(f"it is not UTF-8 from byte {error.start} on; if it is text, convert it") from error
    if len(_CONTROL.findall(text)) > len(text) // MAX_CONTROLS:
        raise Invalid("it is not text: too many of its characters are control characters")
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise Invalid("the file is empty")
    return text


MAX_STRAY_CONTROLS = 100
"""One control character in this many is an accident in a text whose encoding is guessed."""


def past_text_of_bytes(data: bytes) -> tuple[str, str | None]:
    """Read bytes as UTF-8, or as the Latin-1 of Windows; return the text, and the encoding if it was guessed.

    Raises Invalid with the reason when they are no text.
    """
    try:
        return text_of_bytes(data), None
    except Invalid:
        if len(data) > MAX_BODY_BYTES or b"\0" in data or _wide_encoding(data) or _is_utf_8(data):
            raise
        text = data.decode("cp1252", "replace") if _is_windows(data) else data.decode("latin-1")
        if len(_CONTROL.findall(text)) > len(text) // MAX_STRAY_CONTROLS:
            raise
        return text, "Latin-1"


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_windows(data: bytes) -> bool:
    """Return whether a text has the quotes and dashes that Windows puts where Latin-1 has nothing."""
    return any(0x80 <= byte <= 0x9F for byte in data)


def _wide_encoding(data: bytes) -> str | None:
    """Return the encoding of the byte order mark at the start, or None; longer marks are compared first."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), None)
