"""Row files: JSON lines, plain or compressed, with one document in each line."""

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
from app.services.importing.compressed_lines import read_lines
from app.services.importing.interruption import IsStopped, never
from app.services.importing.items import (
    MAX_IN_A_ROW,
    Items,
    Readable,
    Refusal,
    prefixes_among,
    printable_name,
    read_or_refuse,
    until_too_many_refusals,
)
from app.services.parsing import parse_row

MAX_PREFIXES = 1_000
SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")

_IDENTIFIER = re.compile(rb'"id"\s*:\s*"(?P<id>[^"\\]{1,256})"')


def is_row_file(name: str) -> bool:
    """Return whether a file's name is that of a row file."""
    return name.lower().endswith(SUFFIXES)


def read_rows(path: Path, kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped = never) -> Items:
    """Yield the document of each row in order, and a refusal for each row that is no document.

    Rows that name no kind get `kind`. Raises Stopped once `is_stopped` says so.
    """
    items = (
        read_or_refuse(source, partial(_readable, source, line, kind, prefixes, is_stopped))
        for source, line in _placed(path, is_stopped)
    )
    yield from until_too_many_refusals(printable_name(str(path)), items)


def read_objects(path: Path, is_stopped: IsStopped = never) -> Iterator[tuple[str, dict[str, Any] | Refusal]]:
    """Yield each row with its place, as an object, or as a refusal where it is no object.

    Raises Stopped once `is_stopped` says so.
    """
    for source, line in _placed(path, is_stopped):
        yield source, read_or_refuse(source, partial(_object, line))


def count_rows(path: Path, is_stopped: IsStopped = never) -> tuple[int, frozenset[str]]:
    """Return how many rows a file has, and the prefixes of identifiers that a quick search finds.

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
        yield f"{printable_name(str(path))}:{number}", line


def _readable(
    source: str,
    line: bytes | Invalid,
    kind: str | None,
    prefixes: frozenset[str],
    is_stopped: IsStopped,
) -> Readable:
    return Readable(source, _document(_object(line), kind, prefixes, is_stopped))


def _object(line: bytes | Invalid) -> dict[str, Any]:
    if isinstance(line, Invalid):
        raise line
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Invalid(f"the row is not UTF-8 from byte {error.start} on") from error
    except (ValueError, RecursionError) as error:
        raise Invalid(f"the row is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Invalid("a row must be an object with an id")
    return value


def _document(
    row: dict[str, Any], kind: str | None, prefixes: frozenset[str], is_stopped: IsStopped
) -> Document:
    """Read a row; its `meta.source` becomes the source of the document, not a property."""
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
    return document_reader().wait(len(text), is_stopped, parse_row, row, known_prefixes=prefixes)
