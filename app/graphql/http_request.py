"""Read one GraphQL operation from an HTTP request, within limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request

from app.domain.bounds import MAX_NAME
from app.errors import Forbidden
from app.graphql.errors import BAD_REQUEST
from app.graphql.persisted import DocumentReference, read_reference
from app.graphql.scalars import MAX_INTEGER

FindDocument: TypeAlias = Callable[[DocumentReference], str]
"""Returns the text of a document; raises GraphQLError if there is none."""

MAX_BODY = 1024 * 1024  # bytes
MAX_DISCARDED = 16 * MAX_BODY
"""Bytes of a body that is too long, which are read so that its client gets to read the answer."""

MAX_VALUES = 5_000
"""Texts, numbers, items and keys of a request together: the library looks at each of them in turn."""

PREFLIGHT_HEADERS = (
    "authorization",
    "graphql-require-preflight",
    "apollo-require-preflight",
    "x-apollo-operation-name",
    "x-requested-with",
)
"""No page can send one of these to another origin unless CORS allows it."""

PARAMETERS = ("query", "documentId", "operationName", "variables", "extensions")

_LONG_NUMBER = b"0" * 19
_ZEROS_FOR_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_TEXT_OR_NUMBER = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d[\d.eE+-]*+')


class Refused(Exception):
    """A request that is refused before GraphQL: the HTTP status, and the header that explains it."""

    def __init__(
        self, status: int, message: str, *, code: str = BAD_REQUEST, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.headers = headers or {}


@dataclass(frozen=True, slots=True)
class OperationRequest:
    """One operation of a request."""

    query: str
    operation_name: str | None
    variables: dict[str, Any] | None


async def read_operation(request: Request, find: FindDocument) -> OperationRequest:
    """Return the operation in the URL of a GET or the body of a POST, with the document that it names.

    Raises Refused if there is none, and what `find` raises.
    """
    if request.method == "POST":
        return read_parameters(decode_json(await _body(request), "The body"), find)
    _check_site(request.headers)
    parameters: dict[str, object] = {
        name: request.query_params[name] for name in PARAMETERS if name in request.query_params
    }
    for name in ("variables", "extensions"):
        if name in parameters:
            parameters[name] = decode_json(str(parameters[name]).encode(), name)
    return read_parameters(parameters, find)


async def _body(request: Request) -> bytes:
    """Return the body, without keeping more than the size limit."""
    _check_content_type(request.headers.get("content-type", ""))
    _check_encoding(request.headers.get("content-encoding", ""))
    announced = request.headers.get("content-length", "0")
    is_too_long = announced.isdecimal() and int(announced) > MAX_BODY
    # Whoever waits to be asked for the body has not sent it.
    if is_too_long and "expect" in request.headers:
        raise _too_long()
    body, read = bytearray(), 0
    async for chunk in request.stream():
        read += len(chunk)
        if read > MAX_DISCARDED:
            break
        is_too_long = is_too_long or read > MAX_BODY
        if not is_too_long:
            body += chunk
    if is_too_long:
        raise _too_long()
    return bytes(body)


def _check_site(headers: Headers) -> None:
    """Refuse a GET that a foreign page can make a browser send, without a CORS preflight.

    A browser says which site a request is from, on secure connections at least. Elsewhere its name tells.
    """
    site = headers.get("sec-fetch-site", "")
    is_browser = headers.get("user-agent", "").startswith("Mozilla/")
    is_own = site in ("same-origin", "none") or not (site or is_browser)
    is_json = headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
    if not (is_own or is_json or any(name in headers for name in PREFLIGHT_HEADERS)):
        raise Refused(
            403,
            "Another site may have sent this request. Send the query by POST, or with the header"
            " GraphQL-Require-Preflight: 1.",
            code=Forbidden.code,
        )


def _check_content_type(content_type: str) -> None:
    """Refuse all but JSON: a foreign page may post a form or plain text without a CORS preflight."""
    media, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [value[8:].strip('"') for value in parameters if value.startswith("charset=")]
    if media != "application/json" or any(charset not in ("utf-8", "utf8") for charset in charsets):
        raise Refused(
            415,
            "Send the operation as application/json in UTF-8.",
            headers={"accept-post": "application/json"},
        )


def _check_encoding(encoding: str) -> None:
    if encoding.strip().lower() not in ("", "identity"):
        raise Refused(415, "Send the body without Content-Encoding.", headers={"accept-encoding": "identity"})


def decode_json(text: bytes, what: str) -> object:
    """Return decoded JSON; raise Refused for anything else, and for more of it than is read."""
    try:
        value: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise Refused(400, f"{what} must be JSON in UTF-8: {error.msg}.") from None
    if _has_many_values(value):
        raise _too_many(what)
    if _LONG_NUMBER in text.translate(_ZEROS_FOR_DIGITS):
        tokens = [match.group() for match in islice(_TEXT_OR_NUMBER.finditer(text), 2 * MAX_VALUES + 1)]
        if any(map(_is_too_long, tokens)):
            raise Refused(
                400,
                f"{what} has a number of more than 64 bits, which JSON readers round. Send it as a string.",
            )
        # A key that is there again leaves no value behind, and yet was read.
        if len(tokens) > 2 * MAX_VALUES:
            raise _too_many(what)
    return value


def _has_many_values(value: object) -> bool:
    """Return whether JSON has more than MAX_VALUES values and keys, without parsing more than that."""
    pending, count = [value], 1
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            count += 2 * len(item)
        elif isinstance(item, list):
            count += len(item)
        else:
            continue
        if count > MAX_VALUES:
            return True
        pending.extend(item.values() if isinstance(item, dict) else item)
    return False


def _too_many(what: str) -> Refused:
    return Refused(400, f"{what} has more than {MAX_VALUES} values. Send fewer in one request.")


def _is_too_long(token: bytes) -> bool:
    """Return whether a JSON text or number is an integer that would be parsed as another one."""
    digits = token.removeprefix(b"-")
    largest = MAX_INTEGER + token.startswith(b"-")
    return digits.isdigit() and (len(digits) > 19 or int(digits) > largest)


def read_parameters(parameters: object, find: FindDocument) -> OperationRequest:
    """Return the operation in decoded parameters; raise Refused if there is none."""
    if isinstance(parameters, list):
        raise Refused(400, "Send one operation as a JSON object. Batches of operations are not supported.")
    if not isinstance(parameters, dict):
        raise Refused(400, "An operation is a JSON object with the key query.")
    query, name = parameters.get("query"), parameters.get("operationName")
    if not isinstance(query, str | None):
        raise Refused(400, "The parameter query must be a string with a GraphQL document.")
    if not isinstance(name, str | None):
        raise Refused(400, "The parameter operationName must be a string or null.")
    if name is not None and len(name) > MAX_NAME:
        raise Refused(400, f"The parameter operationName has at most {MAX_NAME} characters.")
    for key in ("variables", "extensions"):
        if not isinstance(parameters.get(key), dict | None):
            raise Refused(400, f"The parameter {key} must be an object or null.")
    text = find(read_reference(parameters))
    if not text.strip():
        raise Refused(400, "The parameter query must be a string with a GraphQL document.")
    return OperationRequest(text, name or None, parameters.get("variables"))


def _too_long() -> Refused:
    message = f"The body is longer than {MAX_BODY} bytes. Use `trigraph ingest` for longer documents."
    return Refused(413, message, headers={"connection": "close"})
