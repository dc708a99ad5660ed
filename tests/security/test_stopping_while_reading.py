"""An import that is asked to end while it reads a long text ends then, and not when the text is read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import perf_counter

import pytest

from app.services.container import Memory
from app.services.document_reader import document_reader
from app.services.importing import ImportRequest
from tests.hurtful import SHAPES

CHARACTERS = 3_000_000
"""Of links these take ten seconds at least."""


@pytest.mark.parametrize("name", ["long.md", "docs.jsonl"])
async def test_an_import_ends_while_it_reads(memory: Memory, tmp_path: Path, name: str) -> None:
    body = SHAPES["wiki links in a line"](CHARACTERS)
    row = f'{{"id": "ADR-1", "kind": "ADR", "title": "T", "body": "{body}"}}\n'
    (tmp_path / name).write_text(row if name.endswith("jsonl") else body)
    stop, service = asyncio.Event(), memory.imports
    request = ImportRequest((tmp_path / name,), "p")
    importing = asyncio.create_task(service.run(memory.caller, request, stop=stop))
    async with asyncio.timeout(60):
        while not document_reader().processes:  # noqa: ASYNC110 - a process tells nobody that it began
            await asyncio.sleep(0.02)
    await asyncio.sleep(0.5)
    assert not importing.done()
    stop.set()
    before = perf_counter()
    summary = await importing
    assert perf_counter() - before < 5
    assert (summary.was_stopped, summary.filed, summary.refused) == (True, 0, [])
