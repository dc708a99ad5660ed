"""Documents that a caller states: Markdown, and fields that win over the text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.artifact import DatePrecision, DateSource, Document, MemoryDomain
from app.domain.bounds import MAX_NAME, require_length
from app.errors import Invalid
from app.services.parsing.document import accepted_prefixes, parse_markdown
from app.services.parsing.identifiers import whole_identifier
from app.services.parsing.text import clean_path, clean_text


@dataclass(frozen=True, slots=True)
class StatedDocument:
    """Markdown of a kind; every other part that is given wins over the text, a blank one counts as absent."""

    kind: str
    body: str
    identifier: str | None = None
    title: str | None = None
    status: str | None = None
    domain: MemoryDomain | None = None
    created_at: datetime | None = None
    source_uri: str | None = None
    source_commit: str | None = None


def document_from(stated: StatedDocument, known_prefixes: frozenset[str] = frozenset()) -> Document:
    """Read the text and apply the stated fields over it; accepts any text.

    `known_prefixes` are accepted in identifiers beside the shipped ones. Raises Invalid when there
    is neither text nor title.
    """
    require_length("kind", stated.kind, MAX_NAME)
    kind = clean_text(stated.kind).strip()
    title, source_uri = _clean_optional(stated.title), _clean_optional(stated.source_uri)
    if title is None and not stated.body.strip():
        raise Invalid("a document needs a title or a body", field="body")
    parsed = parse_markdown(stated.body, kind=kind, known_prefixes=known_prefixes)
    identifier = _clean_optional(stated.identifier) or parsed.identifier
    return replace(
        parsed,
        kind=kind,
        identifier=identifier,
        title=title or _own_title(parsed.title, identifier, accepted_prefixes(known_prefixes)),
        status=_clean_optional(stated.status) or parsed.status,
        domain=stated.domain or parsed.domain,
        created_at=stated.created_at or parsed.created_at,
        date_source=DateSource.HEADER if stated.created_at else parsed.date_source,
        date_precision=DatePrecision.INSTANT if stated.created_at else parsed.date_precision,
        source_uri=clean_path(source_uri) if source_uri else None,
        source_commit=_clean_optional(stated.source_commit),
    )


def _own_title(title: str, identifier: str | None, prefixes: frozenset[str]) -> str:
    """Return a title that was read; the identifier of another document at the start of a text is not one."""
    return identifier if identifier is not None and whole_identifier(title, prefixes) else title


def _clean_optional(text: str | None) -> str | None:
    return None if text is None else clean_text(text).strip() or None
