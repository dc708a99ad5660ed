"""Turn text into vectors: one protocol, two implementations."""

from app.embedding.embedder import Embedder, Vector, Vectors
from app.embedding.factory import open_embedder

__all__ = ["Embedder", "Vector", "Vectors", "open_embedder"]
