from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
"""One text: float32 of shape (dimensions,) and length 1, so a dot product is a cosine. Read-only."""

Vectors: TypeAlias = NDArray[np.float32]
"""Several texts: float32 of shape (texts, dimensions), each row a Vector."""


class Embedder(Protocol):
    """Turns texts into vectors of their meaning.

    The two `embed_` methods work in their own threads, so the event loop stays free;
    they raise Unavailable once the embedder is closed.
    """

    @property
    def name(self) -> str:
        """The model's name for people."""

    @property
    def fingerprint(self) -> str:
        """Return a hash of how vectors are made; vectors with equal fingerprints may be compared."""

    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""

    @property
    def longest_passage(self) -> int:
        """The number of word pieces that the encoder reads, including the two marks around a text.

        A text of `longest_passage - 2` pieces, as `piece_offsets` counts them, is read whole;
        the rest of a longer text does not affect its vector.
        """

    @property
    def piece_offsets(self) -> Callable[[str], list[tuple[int, int]]]:
        """Return where each word piece of the whole text starts and ends, in characters.

        Blocks for about a millisecond per thousand pieces; white space belongs to no piece. It can be
        pickled, since documents are split in another process.
        """

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; recent ones are cached."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts, in their order."""

    async def close(self) -> None:
        """Wait for the current work and free the threads."""


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
