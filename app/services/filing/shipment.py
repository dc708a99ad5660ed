"""Documents that are to be filed, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from app.domain.artifact import Document
from app.services.filing.preparation import check_limits, content_hash, entity_key

Origin = TypeVar("Origin")


@dataclass(frozen=True, slots=True)
class Shipment(Generic[Origin]):
    """Where documents come from, and those to be filed in order, such as the versions of one."""

    origin: Origin
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Hashed:
    """A document and the hash of its content."""

    document: Document
    hash: str

    @property
    def key(self) -> str:
        """The key it is filed under."""
        return entity_key(self.document, self.hash)


def hashed(documents: Sequence[Document]) -> list[Hashed] | Exception:
    """Answer documents with their hashes, or why one of them cannot be filed."""
    try:
        for document in documents:
            check_limits(document)
        return [Hashed(document, content_hash(document)) for document in documents]
    except Exception as error:
        return error
