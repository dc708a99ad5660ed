from __future__ import annotations

from app.embedding.embedder import Embedder
from app.embedding.onnx import open_onnx
from app.settings import Settings


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder that the settings name; it takes a moment and reads files.

    Raises Unavailable when a part is not installed or altered, Invalid when the model cannot be read.
    """
    if settings.embedder == "onnx":
        return open_onnx(settings.embedding_threads)
    # torch takes seconds to import and is installed only by the extra `models`
    from app.embedding.sentence_transformer import open_sentence_transformer

    return open_sentence_transformer(settings.embedding_model, settings.embedding_threads)
