"""Files of rows: JSON lines, plain or compressed, one document each."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from app.domain.artifact import Document
from app.errors import Invalid
from app.services.filing.preparation import LARGEST_BODY
from app.services.importing.item import Items, Readable, Refusal, refusing, shown
from app.services.parsing import parse_row

LONGEST_LINE = 32 * 1024 * 1024
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")

_IDENTIFIER = re.compile(rb'"id"\s*:\s*"(?P<id>[^"\\]{1,256})"')


def is_row_file(name: str) -> bool:
    """Tell whether a file's name is that of a file of rows."""
    return name.lower().endswith(SUFFIXES)


def read_rows(path: Path, kind: str | None, prefixes: frozenset[str]) -> Items:
    """Answer the document of each row in order, and a refusal for each row that is none.

    `kind` is that of rows which name none.
    """
    for number, line in _lines(path):
        source = f"{shown(str(path))}:{number}"
        yield refusing(source, partial(_readable, source, line, kind, prefixes))


def read_objects(path: Path) -> Iterator[tuple[str, dict[str, Any] | Refusal]]:
    """Answer each row with the place it stands at, as an object or as the refusal of what is none."""
    for number, line in _lines(path):
        source = f"{shown(str(path))}:{number}"
        yield source, refusing(source, partial(_object, line))


def count_rows(path: Path) -> tuple[int, set[str]]:
    """Answer how many rows a file has, and the identifiers that can be seen without reading them whole."""
    rows = 0
    identifiers: set[str] = set()
    for _, line in _lines(path):
        rows += 1
        if isinstance(line, bytes) and (match := _IDENTIFIER.search(line)) is not None:
            identifiers.add(match["id"].decode("utf-8", "replace"))
    return rows, identifiers


def _lines(path: Path) -> Iterator[tuple[int, bytes | Invalid]]:
    """Answer the lines that are not blank with their numbers; what ends the reading is the last."""
    number = 0
    try:
        with _opened(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    _skip_rest(file)
                    yield number, Invalid(f"the row is longer than {LONGEST_LINE} bytes")
                elif line.strip():
                    yield number, line
    except EOFError:
        yield number + 1, Invalid("the file is cut off here: its compressed data ends too soon")
    except (OSError, lzma.LZMAError, zlib.error) as error:
        yield number + 1, Invalid(f"the file cannot be read from here on: {error}")


def _opened(path: Path) -> IO[bytes]:
    if path.suffix.lower() == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return lzma.open(path, "rb") if path.suffix.lower() == ".xz" else path.open("rb")


def _skip_rest(file: IO[bytes]) -> None:
    while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def _readable(source: str, line: bytes | Invalid, kind: str | None, prefixes: frozenset[str]) -> Readable:
    return Readable(source, _document(_object(line), kind, prefixes))


def _object(line: bytes | Invalid) -> dict[str, Any]:
    if isinstance(line, Invalid):
        raise line
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Invalid(f"the row is not UTF-8 from byte {error.start} on") from error
    except (ValueError, RecursionError) as error:
        raise Invalid(f"the row is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise Invalid("a row must be an object that holds an id")
    return value


def _document(row: dict[str, Any], kind: str | None, prefixes: frozenset[str]) -> Document:
    """Read a row; where it says that it comes from is its source, and no property of the document."""
    body = row.get("body")
    if isinstance(body, str) and len(body) > LARGEST_BODY:
        raise Invalid(f"the body is larger than {LARGEST_BODY} bytes; split the document")
    meta = row.get("meta")
    if isinstance(meta, dict) and isinstance(meta.get("source"), str) and not row.get("source_uri"):
        rest = {name: value for name, value in meta.items() if name != "source"}
        row = row | {"source_uri": meta["source"], "meta": rest}
    if kind is not None and not row.get("kind"):
        row = row | {"kind": kind}
    return parse_row(row, known_prefixes=prefixes)
