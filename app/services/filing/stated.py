"""A document as a caller states it, read where it holds up nobody."""

from __future__ import annotations

from app.domain.artifact import Document
from app.errors import Invalid
from app.services.document_reader import document_reader
from app.services.filing.preparation import LARGEST_BODY, check_stated_lengths
from app.services.parsing.stating import StatedDocument, document_from


async def read_stated(stated: StatedDocument, known_prefixes: frozenset[str]) -> Document:
    """Return what `document_from` returns, read in another process.

    Raises Invalid for what is longer than is kept, for a text that takes too much time or memory to read, and
    where there is neither text nor title.
    """
    check_stated_lengths(
        stated.identifier, stated.title, stated.source_uri, stated.source_commit, stated.kind
    )
    size = len(stated.body)
    if size > LARGEST_BODY:
        raise Invalid(f"the body is larger than {LARGEST_BODY} bytes; split the document", field="body")
    return await document_reader().run(size, document_from, stated, known_prefixes)
