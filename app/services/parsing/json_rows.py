"""Parsing one row of a docs.jsonl file into a document."""

from __future__ import annotations

from collections.abc import Mapping

from app.domain.artifact import DateSource, Document, ReferenceClaim
from app.domain.entity import ReferenceType
from app.domain.text import beginning
from app.errors import Invalid
from app.services.parsing.candidates import read_candidates
from app.services.parsing.context import Reading, open_reading
from app.services.parsing.dates import DateReading, find_date
from app.services.parsing.document import EMPTY, accepted_prefixes, domain_of, limit_warnings
from app.services.parsing.front_matter import bounded_fields, field_role
from app.services.parsing.kind_and_title import Identity, read_identity
from app.services.parsing.references import MAX_REFERENCES, Claims, read_links, read_references
from app.services.parsing.status import read_status
from app.services.parsing.text import clean_path, clean_text, clean_value, text_of, texts_of
from app.services.parsing.vocabulary import Relation, relation_named

_READ = frozenset({"status", "author", "authors", "domain"})
_IGNORED = frozenset({"refs"})


def parse_row(row: Mapping[str, object], *, known_prefixes: frozenset[str] = frozenset()) -> Document:
    """Parse one row `{id, kind, title, body, created_at, meta}`; with `meta.refs` the body's are not read.

    Raises Invalid, with the field, when the row cannot be a document.
    """
    if not isinstance(row, Mapping):
        raise Invalid("a row must be an object with id, title and body")
    source_uri = _optional_text(row, "source_uri")
    identifier = clean_text(_required_text(row, "id")).strip()
    if not identifier:
        raise Invalid("a row needs an id", field="id")
    body = clean_text(_required_text(row, "body"))
    warnings: list[str] = []
    meta = bounded_fields(_meta(row), warnings)
    stated: dict[str, object] = {
        **_header_fields(meta),
        "id": identifier,
        "title": _optional_text(row, "title"),
    }
    reading = open_reading(stated, body, accepted_prefixes(known_prefixes), None, warnings)
    identity = read_identity(reading, _optional_text(row, "kind"))
    aliases, facts = read_candidates(reading)
    refs = meta.get("refs")
    dated = _created(row)
    return Document(
        kind=identity.kind,
        identifier=identity.identifier,
        title=identity.title,
        body=body,
        status=read_status(reading),
        created_at=None if dated is None else dated.moment,
        date_source=None if dated is None else DateSource.HEADER,
        date_precision=None if dated is None else dated.precision,
        domain=domain_of(reading),
        author=_author(reading),
        source_uri=clean_path(source_uri) if source_uri else None,
        props=_props(meta, reading),
        meta={name: value for name, value in meta.items() if name not in _IGNORED and value not in EMPTY},
        references=_references(refs, identity, warnings)
        if refs is not None
        else read_references(reading, identity),
        links=read_links(reading) if refs is None else (),
        alias_claims=aliases,
        fact_claims=facts,
        warnings=limit_warnings(warnings),
    )


def _required_text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise Invalid(f"a row needs a string in {name}", field=name)
    return value


def _optional_text(row: Mapping[str, object], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"{name} must be a string or null", field=name)
    return clean_text(value).strip() or None if value is not None else None


def _meta(row: Mapping[str, object]) -> dict[str, object]:
    meta = row.get("meta")
    if meta is None:
        return {}
    if not isinstance(meta, dict):
        raise Invalid("meta must be an object", field="meta")
    return {clean_text(str(name)): clean_value(value) for name, value in meta.items()}


def _header_fields(meta: dict[str, object]) -> dict[str, object]:
    """Return the header fields of a row's meta object."""
    return {name: value for name, value in meta.items() if name in _READ and value}


def _created(row: Mapping[str, object]) -> DateReading | None:
    text = _optional_text(row, "created_at")
    if text is None:
        return None
    dated = find_date(text)
    if dated is None:
        raise Invalid(f"created_at is not a readable date: {beginning(text, 40)}", field="created_at")
    return dated


def _author(reading: Reading) -> str | None:
    for name, value in reading.by_role("author"):
        return text_of(value, name, reading.warnings)
    return None


def _props(meta: dict[str, object], reading: Reading) -> dict[str, object]:
    props: dict[str, object] = {}
    for name, value in meta.items():
        role = field_role(name, reading.prefixes) if name in reading.fields else None
        if name in _IGNORED or role is not None or value in EMPTY:
            continue
        props[name] = texts_of(value) if name == "tags" else value
    return props


def _references(refs: object, identity: Identity, warnings: list[str]) -> tuple[ReferenceClaim, ...]:
    if not isinstance(refs, list) or len(refs) > MAX_REFERENCES:
        raise Invalid(f"meta.refs must be a list of at most {MAX_REFERENCES} references", field="meta.refs")
    claims = Claims(tuple(name for name in (identity.identifier,) if name), warnings)
    for ref in refs:
        target = ref.get("target") if isinstance(ref, dict) else None
        if not isinstance(target, str) or not target.strip():
            raise Invalid("each reference in meta.refs needs a type and a target", field="meta.refs")
        relation = _relation(ref.get("type"), warnings)
        claims.add(relation, clean_text(target).strip(), None, _count(ref.get("n")))
    return claims.collect()


def _relation(name: object, warnings: list[str]) -> Relation:
    relation = relation_named(name) if isinstance(name, str) else None
    if relation is None:
        warnings.append(f"{name!r} is not a reference type; it was recorded as REFERENCES")
    return relation or Relation(ReferenceType.REFERENCES)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 1
