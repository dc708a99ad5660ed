"""Find the document of a request that names it by a hash, as Apollo's clients do, or by a trusted id."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from graphql import GraphQLError, GraphQLSchema

from app.domain.bounds import excerpt
from app.errors import Forbidden, Invalid
from app.graphql.errors import BAD_REQUEST, PERSISTED_QUERY_NOT_FOUND
from app.graphql.execution import check_document
from app.graphql.query_cost import MAX_TEXT

MAX_ID = 128  # characters
MAX_KEPT = 1_000  # documents
MAX_KEPT_CHARACTERS = 4 * 1024 * 1024
MAX_TRUSTED = 10_000  # documents
MAX_FILE = 16 * 1024 * 1024  # bytes
_ALGORITHM = "sha256:"


@dataclass(frozen=True, slots=True)
class DocumentReference:
    """What a request says of its document: its text, its hash, its id, or several of them."""

    text: str | None = None
    hash: str | None = None
    id: str | None = None


class Documents(Protocol):
    """Finds the documents of requests."""

    def find(self, reference: DocumentReference, owner: Hashable) -> str:
        """Return the text of a document; raise GraphQLError if there is none."""


def read_reference(parameters: Mapping[str, Any]) -> DocumentReference:
    """Return what the parameters of a request say of its document; raise GraphQLError for nonsense."""
    persisted = (parameters.get("extensions") or {}).get("persistedQuery")
    if persisted is None:
        persisted = {"version": 1}
    if not isinstance(persisted, dict) or persisted.get("version") != 1:
        raise _refusal("extensions.persistedQuery is an object with version 1 and a sha256Hash.")
    hash, id = (_short(value) for value in (persisted.get("sha256Hash"), parameters.get("documentId")))
    return DocumentReference(parameters.get("query") or None, hash, id)


def _short(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID:
        raise _refusal(f"The hash or id of a document is a text of at most {MAX_ID} characters.")
    return value.removeprefix(_ALGORITHM)


def _refusal(message: str, code: str = BAD_REQUEST) -> GraphQLError:
    return GraphQLError(message, extensions={"code": code})


class PersistedDocuments:
    """Keeps the latest documents that were sent with their hash, of each owner for itself."""

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[Hashable, str], str] = OrderedDict()
        self._characters = 0

    def find(self, reference: DocumentReference, owner: Hashable) -> str:
        """Return the text that was sent, and keep it if its hash came with it, or the text of the hash."""
        if reference.id is not None:
            raise _refusal("This service has no trusted documents. Send the text of the document as query.")
        if reference.hash is None:
            return reference.text or ""
        if reference.text is None:
            return self._kept((owner, reference.hash))
        if hashlib.sha256(reference.text.encode(errors="surrogatepass")).hexdigest() != reference.hash:
            raise _refusal("The sha256Hash is not that of the query.")
        self._keep((owner, reference.hash), reference.text)
        return reference.text

    def _kept(self, key: tuple[Hashable, str]) -> str:
        if key not in self._texts:
            raise _refusal("PersistedQueryNotFound", PERSISTED_QUERY_NOT_FOUND)
        self._texts.move_to_end(key)
        return self._texts[key]

    def _keep(self, key: tuple[Hashable, str], text: str) -> None:
        if key in self._texts or key[0] is None or len(text) > MAX_TEXT:
            return
        self._texts[key] = text
        self._characters += len(text)
        while len(self._texts) > MAX_KEPT or self._characters > MAX_KEPT_CHARACTERS:
            self._characters -= len(self._texts.popitem(last=False)[1])


class TrustedDocuments:
    """The only documents that are answered, each by its id."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def find(self, reference: DocumentReference, owner: Hashable) -> str:
        """Return the text of an id; a text is none of the trusted ones until it is named by its id."""
        id = reference.id or reference.hash
        if id is not None and id in self._texts:
            return self._texts[id]
        if id is None:
            message = "This service answers only trusted documents. Send the id of one as documentId."
            raise _refusal(message, Forbidden.code)
        raise _refusal("PersistedQueryNotFound", PERSISTED_QUERY_NOT_FOUND)


def read_trusted_documents(path: Path, schema: GraphQLSchema) -> TrustedDocuments:
    """Return the documents of a file, an object of texts by id or Apollo's manifest.

    Raises Invalid, saying what to do, when it is neither, or when a document does not fit the schema.
    """
    texts: dict[str, str] = {}
    for id, text in _entries(path, _load(path)):
        if not isinstance(id, str) or not isinstance(text, str) or not 0 < len(id) <= MAX_ID:
            raise _bad_file(path, f"{excerpt(str(id))} is not the id of a text")
        try:
            errors = check_document(schema, text).verdict.errors
        except GraphQLError as error:
            errors = [error]
        if errors:
            raise _bad_file(path, f"the document {excerpt(id)} does not fit the schema: {errors[0].message}")
        texts[id.removeprefix(_ALGORITHM)] = text
    if not 0 < len(texts) <= MAX_TRUSTED:
        raise _bad_file(path, f"it has {len(texts)} documents; 1 to {MAX_TRUSTED} are allowed")
    return TrustedDocuments(texts)


def _load(path: Path) -> object:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
        if len(content) > MAX_FILE:
            raise _bad_file(path, f"it has more than {MAX_FILE} bytes")
        value: object = json.loads(content)
    except OSError as error:
        raise _bad_file(path, error.strerror or "it cannot be read") from None
    except (ValueError, RecursionError):
        raise _bad_file(path, "it is not JSON") from None
    return value


def _entries(path: Path, manifest: object) -> Iterator[tuple[object, object]]:
    """Yield the id and the text of each document of a file."""
    if not isinstance(manifest, dict):
        raise _bad_file(path, "it is not a JSON object")
    if "operations" not in manifest:
        yield from manifest.items()
        return
    operations = manifest["operations"]
    for operation in operations if isinstance(operations, list) else [None]:
        if not isinstance(operation, dict):
            raise _bad_file(path, "its operations are not a list of objects with id and body")
        yield operation.get("id"), operation.get("body")


def _bad_file(path: Path, reason: str) -> Invalid:
    return Invalid(
        f"the trusted documents in {path} cannot be used: {reason}. Make the file again from the operations"
        " of the client, with graphql-codegen (persistedDocuments) or generate-persisted-query-manifest"
    )
