"""Requests made to hurt: long, deep, wide and repeated in every place that takes something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote
from uuid import UUID

import orjson

MAX_BYTES = 1_000_000
LIGATURE = "\ufdfa"
"""One character that compatibility makes eighteen."""

SOME_ID = str(UUID(int=7))
QUERY_CHARACTERS = 16_384
POST_HEADERS = {"content-type": "application/json", "accept": "application/json"}


@dataclass(frozen=True, slots=True)
class OddRequest:
    """A request to /graphql by its name: a POST with a body, or a GET without one."""

    name: str
    body: bytes | None = None
    target: str = "/graphql"
    headers: Mapping[str, str] = field(default_factory=lambda: POST_HEADERS)

    @property
    def method(self) -> str:
        """Return the method of the request."""
        return "GET" if self.body is None else "POST"


def odd_requests() -> Iterator[OddRequest]:
    """Yield every odd request, none of more than a million bytes."""
    yield from _arguments()
    yield from _questions()
    yield from _variables()
    yield from _documents()
    yield from _bodies()
    yield from _headers()


def _asking(name: str, query: str, /, **variables: Any) -> OddRequest:
    return OddRequest(name, orjson.dumps({"query": query, "variables": variables}))


def _mutating(name: str, verb: str, type_: str, /, **given: Any) -> OddRequest:
    query = f"mutation($input: {type_}!) {{ {verb}(input: $input) {{ problems {{ code message field }} }} }}"
    return _asking(name, query, input=given)


def _arguments() -> Iterator[OddRequest]:
    long, wide = "Q" * 900_000, LIGATURE * 300_000
    accents = "a" + "\u0315\u0300" * 200_000
    resolve = "query($form: String!) { resolveAlias(surfaceForm: $form) { surfaceForm } }"
    yield _asking("long surfaceForm", resolve, form=long)
    yield _asking("wide surfaceForm", resolve, form=wide)
    yield _asking("accents in surfaceForm", resolve, form=accents)
    yield _asking("widest surfaceForm served", resolve, form=LIGATURE * 1_024)
    yield _asking("wide type", "query($n: String) { entities(type: $n) { totalCount } }", n=wide)
    yield _asking("wide project", "query($n: String) { types(project: $n) { name } }", n=wide)
    yield _asking("wide identifier", "query($n: String) { artifacts(identifier: $n) { totalCount } }", n=wide)
    yield _asking("long cursor", "query($n: String) { entities(after: $n) { totalCount } }", n=long)
    yield _asking("long id", "query($n: ID!) { entity(id: $n) { id } }", n=long)
    yield _asking("long asOf", "query($n: DateTime) { entities(asOf: $n) { totalCount } }", n=long)
    kinds = 'query($k: [String!]) { recall(query: "a", kinds: $k) { id } }'
    yield _asking("one wide kind", kinds, k=[wide])
    yield _asking("many kinds", kinds, k=["a"] * 150_000)
    yield _asking("wide kinds served", kinds, k=[LIGATURE * 64] * 256)
    yield _mutating("wide kind", "fileArtifact", "FileArtifactInput", kind=wide, body="text")
    yield _mutating("wide title", "fileArtifact", "FileArtifactInput", kind="ADR", body="x", title=wide)
    yield _mutating(
        "accents in a form", "createAlias", "CreateAliasInput", surfaceForm=accents, target=SOME_ID
    )
    yield _mutating("wide type of a thing", "createEntity", "CreateEntityInput", type=wide, props={})
    yield _mutating(
        "many properties", "createEntity", "CreateEntityInput", type="Component",
        props={f"p{number}": 1 for number in range(70_000)},
    )  # fmt: skip
    yield _mutating(
        "long property", "createEntity", "CreateEntityInput", type="Component", props={"name": long}
    )
    yield _mutating("many names", "defineType", "DefineTypeInput", name="A", mutableProps=["a"] * 150_000)
    yield _mutating(
        "wide names", "defineType", "DefineTypeInput", name="A", mutableProps=[LIGATURE * 60] * 256
    )
    yield _mutating(
        "long key", "recordFact", "RecordFactInput", entity=SOME_ID, property="name", value="a",
        idempotencyKey=long,
    )  # fmt: skip
    yield _mutating(
        "long value", "recordFact", "RecordFactInput", entity=SOME_ID, property="name", value=long
    )
    yield _mutating(
        "unknown properties", "transition", "TransitionInput", entity=SOME_ID, eventType="a",
        props={f"q{number}": 1 for number in range(2_000)},
    )  # fmt: skip
    yield _mutating("long description", "discardWip", "DiscardWipInput", state=SOME_ID, description=long)


def _questions() -> Iterator[OddRequest]:
    """Yield questions of the full length that one may have."""
    query = """query($q: String!) { recall(query: $q, first: 100, tokenBudget: 100000) {
      id confidence advisories anchors { surfaceForm } hits { rank explanation { leg rank score } } } }"""
    for name, text in {
        "words": "ab " * QUERY_CHARACTERS,
        "distinct words": " ".join(f"w{number}" for number in range(QUERY_CHARACTERS)),
        "one word": "x" * QUERY_CHARACTERS,
        "han": "漢字仮名交" * QUERY_CHARACTERS,
        "hangul": "가나다라마" * QUERY_CHARACTERS,
        "ligatures": LIGATURE * QUERY_CHARACTERS,
        "ligatures in words": f"{LIGATURE * 250} " * 65,
        "short ligatures": f"{LIGATURE} " * QUERY_CHARACTERS,
        "a name of words": "-".join(["word"] * QUERY_CHARACTERS),
        "names": " ".join(["edge-eu-west/api.v2_x"] * QUERY_CHARACTERS),
        "paths": "a/b.c_d-e:" * QUERY_CHARACTERS,
        "camels": "aBcDeFgH" * QUERY_CHARACTERS,
        "identifiers": " ".join(f"ADR-{number}" for number in range(QUERY_CHARACTERS)),
        "spaced identifiers": " ".join(f"PEP {number}" for number in range(QUERY_CHARACTERS)),
        "accents": "a" + "\u0315\u0300" * QUERY_CHARACTERS,
        "many accented": ("e" + "\u0315\u0300" * 14) * QUERY_CHARACTERS,
        "long words": " ".join(["Harbor" * 42] * 64),
        "marks of names": "\"'`()[]{}" * QUERY_CHARACTERS,
        "plus": "a++ " * QUERY_CHARACTERS,
        "spaces": "a" + " " * (QUERY_CHARACTERS - 2) + "b",
    }.items():
        yield _asking(f"question of {name}", query, q=text[:QUERY_CHARACTERS])
    yield _asking("too long a question", query, q="why " * 225_000)


def _variables() -> Iterator[OddRequest]:
    ask = "{ projects { key } }"
    yield _asking("unused list", ask, unused=[0] * 400_000)
    yield _asking("unused names", ask, **{f"v{number}": 0 for number in range(60_000)})
    yield _asking("deep variable", ask, deep=orjson.Fragment(b"[" * 1_000 + b"]" * 1_000))
    first = "query($n: Int) { entities(first: $n) { totalCount } }"
    yield _asking("a list for a number", first, n=[[0]] * 2_000)
    yield _asking("a text for a number", first, n="9" * 900_000)
    yield _asking("a long number", first, n=orjson.Fragment(b"9" * 900_000))
    file = "mutation($input: FileArtifactInput!) { fileArtifact(input: $input) { created } }"
    unknown = {f"sourceComit{number}": "x" * 100 for number in range(2_000)}
    yield _asking("unknown keys of an input", file, input=unknown)


def _documents() -> Iterator[OddRequest]:
    """Yield GraphQL documents that cost their reader more than they are long."""
    chain = " ".join(f"fragment F{n} on Query {{ ...F{n + 1} }}" for n in range(90))
    texts = {
        "one field 490 times": "{ entities { " + "nodes { id } " * 490 + "} }",
        "one field in 280 parts": "{ entities { " + "... { nodes { id } } " * 280 + "} }",
        "one unknown field 490 times": "{ zz { " + "nodes { id } " * 490 + "} }",
        "fields beside each other": "{ " + _doubled(6) + " }",
        "unknown fields": "{ " + " ".join(f"unknwnProjectsField{n}" for n in range(1_900)) + " }",
        "unknown keys": "mutation { createAlias(input: { "
        + " ".join(f"surfceForm{n}: 1" for n in range(600))
        + " }) { position } }",
        "unknown types": "query(" + " ".join(f"$a{n}: FileArtifactInpt{n}" for n in range(480)) + ") { a }",
        "unknown arguments": "{ entities("
        + " ".join(f"projct{n}: 1" for n in range(600))
        + ") { totalCount } }",
        "unknown directives": "{ projects { key " + " ".join(f"@inclde{n}" for n in range(900)) + " } }",
        "unknown values": '{ recall(query: "a", flags: ['
        + " ".join(f"CURRNT{n}" for n in range(900))
        + "]) { id } }",
        "operations": " ".join(f"query A{n} {{ ...F0 }}" for n in range(150)) + chain,
        "variables": "query(" + " ".join(f"$a{n}: Int" for n in range(480)) + ") { projects { key } }",
        "aliases": "{ " + " ".join(f"a{n}: projects {{ key }}" for n in range(40_000)) + " }",
        "items": '{ recall(query: "a", kinds: [' + '"a" ' * 1_900 + "]) { id } }",
        "digits": "{ entities(first: " + "9" * 60_000 + ") { totalCount } }",
        "name": "{ " + "a" * 60_000 + " }",
        "alias": "{ " + "a" * 60_000 + ": projects { key } }",
        "literal": '{ recall(query: "' + "\\u0041" * 10_000 + '") { id } }',
        "long literal": '{ recall(query: "' + "a" * 900_000 + '") { id } }',
        "block": '{ recall(query: """' + "a\n" * 30_000 + '""") { id } }',
        "comments": "#\n" * 300_000 + "{ projects { key } }",
        "a comment": "#" + "a" * 60_000 + "\n{ projects { key } }",
        "commas": "," * 900_000 + "{ projects { key } }",
        "byte order marks": "\ufeff" * 300_000 + "{ projects { key } }",
        "lines before mistakes": "\n" * 60_000 + "{ zzz yyy xxx www vvv uuu }",
        "spaces": " " * 900_000,
        "depth": "{ a" * 900 + " }" * 900,
        "deep list": "{ recall(query: " + "[" * 900 + "]" * 900 + ") { id } }",
        "deep parts": "{ " + "... { " * 600 + "projects { key } " + "} " * 600 + "}",
        "punctuation": "$" * 60_000,
    }
    for name, text in texts.items():
        yield OddRequest(f"document of {name}", orjson.dumps({"query": text}))


def _doubled(levels: int) -> str:
    """Return fields of which each is selected eight times beside itself, as far as 1,900 tokens reach."""
    inner = "id " * 8
    return " ".join(
        f"a{n}: entities {{ nodes {{ {inner} }} nodes {{ {inner} }} }}" for n in range(levels * 8)
    )


def _bodies() -> Iterator[OddRequest]:
    ask = b'{"query":"{ projects { key } }","variables":'
    bodies = {
        "brackets": b"[" * MAX_BYTES,
        "numbers": b"[" + b"1," * 490_000 + b"1]",
        "operations": b"[" + b'{"query":"{a}"},' * 60_000 + b"{}]",
        "one key again and again": ask + b"{" + b'"a":1,' * 160_000 + b'"a":12345678901234567890}}',
        "eighteen digits": ask + b'{"a":"' + b"123456789012345678 " * 50_000 + b'"}}',
        "digits in escapes": ask + b'{"a":"' + b"\\n" * 450_000 + b'12345678901234567890"}}',
        "quotes": b'{"query":"' + b'\\"' * 490_000 + b'"}',
        "no text": b"\xff" * MAX_BYTES,
        "an open text": b'{"query":"' + b"a" * 900_000,
        "a long operationName": b'{"query":"{ projects { key } }","operationName":"' + b"a" * 900_000 + b'"}',
        "extensions": b'{"query":"{ projects { key } }","extensions":{"a":[' + b"0," * 400_000 + b"0]}}",
        "nothing": b"",
    }
    for name, body in bodies.items():
        yield OddRequest(f"body of {name}", body)


def _headers() -> Iterator[OddRequest]:
    """Yield requests whose oddness stands before the body."""
    ask = orjson.dumps({"query": "{ projects { key } }"})
    parameters = "; ".join(f"a{number}=b" for number in range(4_000))
    yield OddRequest("accepts much", ask, headers={**POST_HEADERS, "accept": "a/b;q=0.1, " * 4_000})
    yield OddRequest("parameters", ask, headers={"content-type": f"application/json; {parameters}"})
    yield OddRequest("header", ask, headers={**POST_HEADERS, "x-odd": "a" * 50_000})
    yield OddRequest("compressed", ask, headers={**POST_HEADERS, "content-encoding": "gzip, " * 5_000})
    plain = {"accept": "application/json"}
    query = quote("{ projects { key } }")
    yield OddRequest(
        "long address", target="/graphql?query=" + quote("{ " + "a" * 50_000 + " }"), headers=plain
    )
    yield OddRequest(
        "many parameters", target=f"/graphql?query={query}&" + "&".join(["a=b"] * 10_000), headers=plain
    )
    yield OddRequest(
        "deep variables in the address",
        target=f"/graphql?query={query}&variables=" + "[" * 30_000,
        headers=plain,
    )
    yield OddRequest("a path", target="/graphql/" + "a/" * 20_000, headers=plain)
