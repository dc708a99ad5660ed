from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.artifact import Document
from app.domain.recall import LegName, RecallRequest
from app.errors import Conflict
from app.services.container import open_memory
from app.settings import Settings

DOCUMENTS = (
    Document("ADR", "ADR-1", "Retry with jitter", "Clients wait a random while before they ask again."),
    Document("ADR", "ADR-2", "Paint the bicycle shed", "The shed is painted green every spring."),
)


async def test_documents_are_filed_and_recalled_through_sentence_transformers(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedder="sentence-transformers", embedding_threads=2)
    async with open_memory(settings) as memory:
        for document in DOCUMENTS:
            filed = await memory.filing.file(memory.caller, document)
            assert filed.created
        result = await memory.recall.recall(memory.caller, RecallRequest("pause by chance, then try anew"))
    assert result.hits[0].artifact.identifier == "ADR-1"
    shares = {share.leg: share.rank for share in result.hits[0].contributions}
    assert shares[LegName.DENSE] == 1


async def test_a_ledger_of_one_embedder_is_refused_by_the_other(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, embedder="sentence-transformers", embedding_threads=2)
    async with open_memory(settings) as memory:
        await memory.filing.file(memory.caller, DOCUMENTS[0])
    with pytest.raises(Conflict, match="trigraph reembed"):
        async with open_memory(Settings(home=tmp_path, embedder="onnx")):
            pass
