from __future__ import annotations

from collections import OrderedDict

from app.embedding.embedder import Vector

MAX_KEY_LENGTH = 4096
"""Characters of a query worth remembering, so that the cache is bounded in bytes too."""


class QueryCache:
    """Caches the vectors of the latest queries, at most `capacity` of them."""

    def __init__(self, capacity: int = 2048) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, text: str) -> Vector | None:
        """Return the cached vector of a text and mark it as used."""
        vector = self._vectors.get(text)
        if vector is not None:
            self._vectors.move_to_end(text)
        return vector

    def put(self, text: str, vector: Vector) -> None:
        """Cache a vector; evict the least recently used one when there are too many."""
        if len(text) > MAX_KEY_LENGTH:
            return
        self._vectors[text] = vector
        self._vectors.move_to_end(text)
        if len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)
