"""A record that supersedes a part of another one: the reference says so, in any order of filing."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from app.domain.recall import StateFlag
from tests.documents import ask, hit_of
from tests.graphql.api import Api

REFERENCES = "{ references { nodes { type inPart source { label } target { label } } } }"
PENDING = "{ pendingReferences { nodes { type inPart isInverted waitsFor } } }"


def record(number: int, title: str, status: str, more: str = "") -> str:
    return f"# ADR-{number}: {title}\n\nDate: 2026-01-0{number}\n\n## Status\n\n{status}\n\n{more}\n"


POLL = record(5, "Poll the queue", "Superseded by ADR-9 (section 3 only)")
LISTEN = record(9, "Listen to the queue", "Accepted", "## Supersedes in part\n\n- ADR-5")
RELATED = record(9, "Listen to the queue", "Accepted", "## Related\n\n- ADR-5")
PLAIN = record(9, "Listen to the queue", "Accepted")
OF_POLL, OF_LISTEN = "Poll the queue", "Listen to the queue"


async def listed(api: Api) -> set[tuple[Any, ...]]:
    nodes = (await api.ask(REFERENCES))["references"]["nodes"]
    found = [
        (each["type"], each["inPart"], each["source"]["label"], each["target"]["label"]) for each in nodes
    ]
    assert len(found) == len(set(found))
    return set(found)


IN_PART = ("RELATES_TO", True, OF_LISTEN, OF_POLL)
ONLY_RELATED = ("RELATES_TO", False, OF_LISTEN, OF_POLL)


@pytest.mark.parametrize("order", list(permutations((0, 1))))
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((POLL, PLAIN), {IN_PART}),
        ((POLL, LISTEN), {IN_PART}),
        ((POLL, RELATED), {IN_PART, ONLY_RELATED}),
        ((record(5, OF_POLL, "Accepted"), LISTEN), {IN_PART}),
        (
            (record(5, OF_POLL, "Provisionally superseded by ADR-9"), PLAIN),
            {("RELATES_TO", False, OF_POLL, OF_LISTEN)},
        ),
    ],
)
async def test_a_reference_says_that_it_is_in_part(
    api: Api, order: tuple[int, ...], texts: tuple[str, str], expected: set[tuple[Any, ...]]
) -> None:
    for place in (*order, *order):  # and filed again, nothing changes
        await api.file(texts[place])
    assert await listed(api) == expected
    assert (await api.ask(PENDING))["pendingReferences"]["nodes"] == []
    summary = "[current: ADR-5 is superseded in part by ADR-9 Listen to the queue]"
    note = hit_of(await ask(api.memory, "poll the queue"), "ADR-5").annotation
    assert (note.flag, note.summary) == (StateFlag.CURRENT, summary if IN_PART in expected else None)


async def test_what_is_pending_says_so_and_a_later_text_changes_it(api: Api) -> None:
    await api.file(POLL)
    (waiting,) = (await api.ask(PENDING))["pendingReferences"]["nodes"]
    assert waiting == {"type": "RELATES_TO", "inPart": True, "isInverted": True, "waitsFor": "ADR-9"}
    await api.file(PLAIN)
    assert await listed(api) == {IN_PART}
    later = POLL.replace("2026-01-05", "2026-02-01")
    await api.file(later.replace(" (section 3 only)", ""))
    assert await listed(api) == {("SUPERSEDES", False, OF_LISTEN, OF_POLL)}
    hits = (await ask(api.memory, "poll the queue")).hits
    flags = {hit.annotation.flag for hit in hits if hit.artifact.identifier == "ADR-5"}
    assert flags == {StateFlag.HISTORICAL}
    await api.file(later.replace("2026-02-01", "2026-03-01"))
    assert await listed(api) == {IN_PART}
    await api.file(record(5, OF_POLL, "Accepted").replace("2026-01-05", "2026-04-01"))
    assert await listed(api) == set()


async def test_a_draft_supersedes_no_part(api: Api) -> None:
    for text in (record(5, OF_POLL, "Accepted"), LISTEN.replace("Accepted", "Proposed")):
        await api.file(text)
    assert await listed(api) == {IN_PART}
    assert hit_of(await ask(api.memory, "poll the queue"), "ADR-5").annotation.summary is None
