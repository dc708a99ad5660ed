"""A real folder gives one ledger in any order and any parts; no text is embedded for that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.domain.numbers import TenantNumber
from app.embedding import Embedder
from app.services.importing import ImportRequest
from tests.conftest import Server, new_memory
from tests.corpora.check_corpora import CORPORA, documents_of
from tests.documents import ProjectFixture
from tests.graphql.scattering import ScatteringEmbedder
from tests.services.importing.test_one_set import meaning

RECORD_ORDERS = 4
FOLDER_ORDERS = 20
"""Twenty orders of the 269 records take four minutes and gave one ledger too."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file of the folder by its path."""

    path: str
    content: bytes


def _records() -> Sequence[Text]:
    """Return the decision records of eight projects, each as a file under the name of its project."""
    return [
        Text(f"{row['id']}-{_slug(row['title'])}.md", row["body"].encode()) for row in documents_of("adrs")
    ]


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower()))[:60]


def _folder() -> Sequence[Text]:
    """Return a folder as its owners keep it."""
    root = CORPORA / "records"
    return [Text(str(path.relative_to(root)), path.read_bytes()) for path in sorted(root.rglob("*.md"))]


def _placed(folder: Path, texts: Sequence[Text]) -> Path:
    for text in texts:
        (folder / text.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / text.path).write_bytes(text.content)
    return folder


def _parts(texts: Sequence[Text], random: Random) -> Sequence[Sequence[Text]]:
    """Return the texts in a random order of random parts; files that share a number stay together."""
    by_number: dict[str, list[Text]] = {}
    for text in texts:
        by_number.setdefault(_number(text.path), []).append(text)
    groups = random.sample(sorted(by_number), len(by_number))
    parts: list[list[Text]] = []
    while groups:
        size = random.randint(1, max(2, len(groups) // 2))
        parts.append([text for number in groups[:size] for text in by_number[number]])
        groups = groups[size:]
    return parts


def _number(path: str) -> str:
    found = re.search(r"\d+", Path(path).name)
    return Path(path).name if found is None else found[0].lstrip("0")


def _without_filing_times(rows: Sequence[tuple[Any, ...]], begun: datetime) -> list[tuple[Any, ...]]:
    """Return rows without the moments of filing, which are the dates of documents that have none."""

    def known(value: Any) -> Any:
        return "filed" if isinstance(value, datetime) and value >= begun else value

    return sorted((tuple(known(each) for each in row) for row in rows), key=repr)


@pytest.mark.parametrize(
    ("texts", "orders"), [(_records(), RECORD_ORDERS), (_folder(), FOLDER_ORDERS)], ids=["records", "folder"]
)
async def test_a_folder_gives_one_ledger_in_any_order_and_parts(
    server: Server,
    embedder: Embedder,
    tenant: TenantNumber,
    tmp_path: Path,
    texts: Sequence[Text],
    orders: int,
) -> None:
    begun = datetime.now(UTC)
    async with new_memory(server, ScatteringEmbedder(embedder), tenant) as memory:

        async def said(project: str) -> dict[str, list[tuple[Any, ...]]]:
            found = await meaning(ProjectFixture(memory, project), project)
            return {of: _without_filing_times(rows, begun) for of, rows in found.items()}

        async def imported(folder: Path, project: str) -> None:
            summary = await memory.imports.run(memory.caller, ImportRequest((folder,), project))
            assert summary.refused == []

        await imported(_placed(tmp_path / "whole", texts), "whole")
        expected = await said("whole")
        assert len(expected["entities"]) == len(texts)
        for seed in range(orders):
            project = f"order-{seed}"
            for number, part in enumerate(_parts(texts, Random(seed))):
                await imported(_placed(tmp_path / f"{seed}-{number}", part), project)
            found = await said(project)
            for of, rows in expected.items():
                assert [row for row in found[of] if row not in rows] == [], (seed, of)
                assert [row for row in rows if row not in found[of]] == [], (seed, of)
