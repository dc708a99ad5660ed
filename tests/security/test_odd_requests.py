"""Requests made to hurt are answered in a few words, and hold up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import thread_time
from urllib.parse import urlsplit

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Message

from app.graphql.context import Context
from app.graphql.http import GraphQLView
from app.graphql.schema import SCHEMA
from app.services.analysis import AnalysedText, terms_of
from app.services.container import Memory
from app.services.recall import name_lookup
from app.web import graphiql_page
from tests.documents import ProjectFixture, adr, file
from tests.odd_requests import OddRequest, odd_requests

MAX_ANSWER = 100_000
"""Bytes: a recall of a hundred hits with their explanations has less."""

MAX_REFUSAL = 4_000
MAX_STRETCH = 0.15
"""Seconds of processor time, three times what is promised: a machine with other work is slower at each."""

LOOK = 0.002  # seconds


@dataclass(slots=True)
class Answer:
    """What came back, and the most processor time that the loop was busy with one thing meanwhile."""

    status: int = 0
    body: bytearray = field(default_factory=bytearray)
    stretch: float = 0.0


@asynccontextmanager
async def watched(answer: Answer) -> AsyncIterator[None]:
    """Note in an answer how much processor time the loop of the block takes between two looks at most."""

    async def watch() -> None:
        while True:
            before = thread_time()
            await asyncio.sleep(LOOK)
            answer.stretch = max(answer.stretch, thread_time() - before)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(LOOK)
    try:
        yield
        await asyncio.sleep(LOOK)
    finally:
        watching.cancel()


async def ask(app: Starlette, request: OddRequest) -> Answer:
    """Return the answer of an application to a request, in the same loop."""
    parts = urlsplit(request.target)
    scope = {
        "type": "http",
        "method": request.method,
        "path": parts.path,
        "query_string": parts.query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in request.headers.items()],
    }
    answer = Answer()

    async def receive() -> Message:
        return {"type": "http.request", "body": request.body or b"", "more_body": False}

    async def send(message: Message) -> None:
        answer.status = message.get("status", answer.status)
        answer.body += message.get("body", b"")

    async with watched(answer):
        await app(scope, receive, send)
    return answer


@pytest.fixture
async def app(memory: Memory) -> Starlette:
    """The API on a small ledger."""
    for number in range(1, 6):
        await file(memory, adr(number, f"Harbor {number}", "The word of a name and ab in w1 w2 w3."))

    async def context(_request: Request) -> Context:
        return Context(memory)

    return Starlette(routes=[Route("/graphql", GraphQLView(SCHEMA, context, graphiql_page))])


async def test_odd_requests_get_short_answers_and_hold_up_nobody(app: Starlette) -> None:
    slow = {}
    for request in odd_requests():
        answer = await ask(app, request)
        assert answer.status < 500, (request.name, bytes(answer.body[:300]))
        assert b'"INTERNAL"' not in answer.body, request.name
        is_refused = answer.body.startswith(b'{"errors":') or b'"problems":[{' in answer.body
        assert len(answer.body) < (MAX_REFUSAL if is_refused else MAX_ANSWER), request.name
        stretches = [answer.stretch]
        while min(stretches) > MAX_STRETCH and len(stretches) < 3:
            stretches.append((await ask(app, request)).stretch)
        slow[request.name] = min(stretches)
    assert {name: stretch for name, stretch in slow.items() if stretch > MAX_STRETCH} == {}


LONG_TEXT = "Workers read events from a queue that keeps them, wordily.\n\n" * 1_000


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of the texts that confidence reads."""
    lengths: list[int] = []

    def noted(text: str) -> AnalysedText:
        lengths.append(len(text))
        return terms_of(text)

    monkeypatch.setattr(name_lookup, "terms_of", noted)
    return lengths


async def test_no_long_text_is_read_to_look_for_a_name(desk: ProjectFixture, read: list[int]) -> None:
    await desk.file_all(
        adr(1, "Events travel through a queue", LONG_TEXT),
        adr(2, "Calls are tried again", f"{LONG_TEXT} Last comes `retry_with_jitter()`."),
    )
    for absent in ("ADR-9999", "src/nowhere/foo.py", "retry_with_events"):
        assert (await desk.ask(absent)).confidence == 0.0, absent
    for written in ("retry_with_jitter()", "ADR-1"):
        assert (await desk.ask(written)).confidence == 1.0, written
    assert max(read, default=0) < 5_000
