from __future__ import annotations

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
