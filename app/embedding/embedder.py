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
    """Reads text and answers where it lies among meanings.

    The two `embed_` methods work in threads of their own, so the event loop stays free;
    they raise Unavailable once the embedder is closed.
    """

    @property
    def name(self) -> str:
        """The model's name, as people write it."""

    @property
    def fingerprint(self) -> str:
        """Says how vectors are made; two equal fingerprints mean that vectors may be compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector holds."""

    @property
    def longest_passage(self) -> int:
        """How many word pieces the encoder reads, the two marks it sets around a text included.

        A text of `longest_passage - 2` pieces, as `piece_offsets` counts them, is read whole;
        what follows in a longer text has no part in its vector.
        """

    @property
    def piece_offsets(self) -> Callable[[str], list[tuple[int, int]]]:
        """Says where each word piece of the whole text starts and ends, in characters.

        Blocks for about a millisecond per thousand pieces; white space belongs to no piece. It can be
        pickled: documents are cut in another process.
        """

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question; one asked lately is remembered."""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of stored texts, in their order."""

    async def close(self) -> None:
        """Let the work at hand end and free the threads."""
