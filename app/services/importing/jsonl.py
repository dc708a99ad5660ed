"""Files of rows: JSON lines, plain or compressed, one document each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from app.domain.artifact import Document
from app.errors import Invalid
from app.services.document_reader import document_reader
from app.services.filing.prepare import MAX_BODY_BYTES
from app.services.importing.interruption import IS_STOPPED, IsStopped, never
from app.services.importing.items import (
    MAX_IN_A_ROW,
    Items,
    Readable,
    Refusal,
    prefixes_among,
    refusing,
    shown,
    until_hopeless,
)
from app.services.importing.row_lines import read_lines
from app.services.parsing import parse_row

MAX_PREFIXES = 1_000
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")

_IDENTIFIER = re.compile(rb'"id"\s*:\s*"(?P<id>[^"\\]{1,256})"')


def is_row_file(name: str) -> bool:
    """Return whether a file's name is that of a file of rows."""
    return name.lower().endswith(SUFFIXES)


def read_rows(path: Path, kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped = never) -> Items:
    """Yield the document of each row in order, and a refusal for each row that is none.

    `kind` is that of rows which name none. Raises Stopped once `is_stopped` says so.
    """
    items = (
        refusing(source, partial(_readable, source, line, kind, prefixes))
        for source, line in _placed(path, is_stopped)
    )
    yield from until_hopeless(shown(str(path)), items)


def read_objects(path: Path, is_stopped: IsStopped = never) -> Iterator[tuple[str, dict[str, Any] | Refusal]]:
    """Yield each row with the place it stands at, as an object or as the refusal of what is none.

    Raises Stopped once `is_stopped` says so.
    """
    for source, line in _placed(path, is_stopped):
        yield source, refusing(source, partial(_object, line))


def count_rows(path: Path, is_stopped: IsStopped = never) -> tuple[int, frozenset[str]]:
    """Return how many rows a file has, and the prefixes of identifiers that a glance finds.

    Rows that will not be read are not counted. Raises Stopped once `is_stopped` says so.
    """
    rows = without = 0
    prefixes: frozenset[str] = frozenset()
    for _, line in read_lines(path, is_stopped):
        rows += 1
        may_be_read = isinstance(line, bytes) and b'"id"' in line and b'"body"' in line
        without = 0 if may_be_read else without + 1
        if without > MAX_IN_A_ROW:
            break
        if isinstance(line, bytes) and (match := _IDENTIFIER.search(line)) is not None:
            found = prefixes_among([match["id"].decode("utf-8", "replace")])
            if not found <= prefixes and len(prefixes) < MAX_PREFIXES:
                prefixes |= found
    return rows, prefixes


def _placed(path: Path, is_stopped: IsStopped) -> Iterator[tuple[str, bytes | Invalid]]:
    for number, line in read_lines(path, is_stopped):
        yield f"{shown(str(path))}:{number}", line


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
    if isinstance(body, str) and len(body) > MAX_BODY_BYTES:
        raise Invalid(f"the body is larger than {MAX_BODY_BYTES} bytes; split the document")
    meta = row.get("meta")
    if isinstance(meta, dict) and isinstance(meta.get("source"), str) and not row.get("source_uri"):
        rest = {name: value for name, value in meta.items() if name != "source"}
        row = row | {"source_uri": meta["source"], "meta": rest}
    if kind is not None and not row.get("kind"):
        row = row | {"kind": kind}
    text = body if isinstance(body, str) else ""
    return document_reader().wait(len(text), IS_STOPPED.get(), parse_row, row, known_prefixes=prefixes)
