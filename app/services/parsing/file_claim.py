"""Reading the kind and identifier that a Markdown file claims, before the whole file is parsed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from app.services.parsing.context import form_of, open_reading
from app.services.parsing.document import accepted_prefixes
from app.services.parsing.front_matter import read_header, read_sidecar
from app.services.parsing.kind_and_title import names_kind, read_identity
from app.services.parsing.text import clean_text
from app.services.parsing.vocabulary import vocabulary


@dataclass(frozen=True, slots=True)
class Claim:
    """The kind of a document, the identifier it states, if any, its title, and the MD5 of its body."""

    kind: str
    identifier: str | None
    title: str
    digest: str = ""


def read_claim(
    text: str, place: str, kind: str | None, prefixes: frozenset[str], beside: str | None = None
) -> Claim:
    """Read kind and identifier from a document's header, heading and path.

    Documents that state no kind get `kind`. `beside` is the YAML of a file beside it.
    """
    accepted = accepted_prefixes(prefixes)
    header = read_header(clean_text(text), accepted)
    digest = hashlib.md5(header.body.encode(), usedforsecurity=False).hexdigest()
    around = read_sidecar(beside, []) if beside else {}
    reading = open_reading({**around, **header.fields}, header.body, accepted, place, [])
    if form_of(reading) is not None:
        return Claim(vocabulary().default_kind, None, read_identity(reading, None).title, digest)
    identity = read_identity(reading, None)
    is_stated = any(names_kind(name, value) for name, value in reading.by_role("kind"))
    if kind is not None and identity.kind == vocabulary().default_kind and not is_stated:
        identity = read_identity(reading, kind)
    return Claim(identity.kind, identity.identifier, identity.title, digest)
