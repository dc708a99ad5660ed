from __future__ import annotations

import sys

import pytest

from app.embedding import open_embedder
from app.errors import Invalid, Unavailable
from app.settings import Settings


async def test_the_default_is_the_onnx_embedder_and_imports_no_torch() -> None:
    embedder = open_embedder(Settings(embedder="onnx"))
    assert (embedder.name, embedder.dimensions, embedder.longest_passage) == ("all-MiniLM-L6-v2", 384, 256)
    assert "torch" not in sys.modules
    await embedder.close()


def test_sentence_transformers_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(Unavailable, match=r"pip install 'trigraph\[models\]'.*TRIGRAPH_EMBEDDER=onnx"):
        open_embedder(Settings(embedder="sentence-transformers"))


def test_a_model_named_for_the_onnx_embedder_is_refused_rather_than_ignored() -> None:
    with pytest.raises(Invalid, match="TRIGRAPH_EMBEDDER=sentence-transformers"):
        open_embedder(Settings(embedder="onnx", embedding_model="some/model"))
