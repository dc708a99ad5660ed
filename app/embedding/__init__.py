"""Turn text into vectors: one protocol, two implementations."""

from __future__ import annotations

from app.embedding.embedder import Embedder, Vector, Vectors
from app.errors import Invalid
from app.settings import Settings

__all__ = ["Embedder", "Vector", "Vectors", "open_embedder"]


def open_embedder(settings: Settings) -> Embedder:
    """Open the embedder that the settings name; this takes a moment and reads files.

    Raises Unavailable when a part is missing or altered, Invalid when the named model cannot be used.
    """
    if settings.embedder == "onnx":
        if settings.embedding_model is not None:
            raise Invalid(
                "the onnx embedder has only one model; set"
                " TRIGRAPH_EMBEDDER=sentence-transformers to use another model, or unset"
                " TRIGRAPH_EMBEDDING_MODEL",
                field="embedding_model",
            )
        # The runtime takes a while to import, and not every command compares texts by their meaning.
        from app.embedding.onnx import open_onnx

        return open_onnx(settings.embedding_threads)
    # torch takes seconds to import and is installed only by the extra `models`
    from app.embedding.sentence_transformer import open_sentence_transformer

    return open_sentence_transformer(settings.embedding_model, settings.embedding_threads)
