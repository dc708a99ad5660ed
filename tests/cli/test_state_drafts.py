from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console
from typer.testing import CliRunner

from app.cli.app import application
from app.cli.runner import MISUSED
from app.cli.state import OpenDrafts, drafts_json, load_drafts, print_drafts
from app.errors import NotFound
from app.services.container import Memory
from app.services.states import DraftChange
from tests.documents import adr, file


async def test_drafts_are_listed_with_what_they_say(memory: Memory) -> None:
    assert _printed(await load_drafts(memory, None)) == "no drafts\n"
    proposal = (await file(memory, adr(2, "Tray", status="Proposed"), "harbor")).entity.id
    assert _printed(await load_drafts(memory, None)).splitlines() == [
        "no drafts",
        "proposed",
        "ADR-2 Tray  Proposed since 2020-01-01",
    ]
    filed = (await file(memory, adr(1, "Queue"), "harbor")).entity
    entity = filed.id
    saving = DraftChange({"status": "Rejected", "tags": ["queue"]})
    saved = await memory.states.save_wip(memory.caller, entity, saving)
    found = await load_drafts(memory, "harbor")
    first, second, *_ = _printed(found).splitlines()
    assert first == f"ADR-1 Queue  saved {saved.state.recorded_at:%Y-%m-%d} by {saved.state.actor}"
    assert _printed(found, shows_ids=True).splitlines()[1] == f"    {saved.state.id}"
    assert second == '    identifier: ADR-1; status: Rejected; tags: ["queue"]; title: Queue'
    shown = drafts_json(found)
    (draft,) = shown["drafts"]
    assert draft["entity"] == {
        "id": entity,
        "type": {"name": "ADR"},
        "project": {"key": "harbor", "name": "harbor"},
        "identifier": "ADR-1",
        "label": "Queue",
        "createdAt": filed.created_at,
    }
    assert (draft["isStale"], shown["count"]) == (False, 1)
    (proposed,) = shown["proposed"]["entities"]
    assert (proposed["id"], proposed["status"], shown["proposed"]["count"]) == (proposal, "Proposed", 1)
    later = replace(found, now=found.now + timedelta(days=31))
    assert _printed(later).splitlines()[0].endswith("; seal it or discard it")
    assert "\n2 more drafts\n" in _printed(replace(found, count=3))
    with pytest.raises(NotFound, match="nowhere"):
        await load_drafts(memory, "nowhere")


def _printed(found: OpenDrafts, *, shows_ids: bool = False) -> str:
    written = io.StringIO()
    print_drafts(Console(file=written, markup=False, highlight=False), found, shows_ids=shows_ids)
    return written.getvalue()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give the name of a document or entity"),
        (("ADR-1", "--drafts"), "--drafts lists the open drafts of now"),
        (("--drafts", "--history"), "--drafts lists the open drafts of now"),
        (("--drafts", "--known-at", "2026-01-01"), "--drafts lists the open drafts of now"),
    ],
)
def test_states_are_asked_for_one_way(words: tuple[str, ...], says: str) -> None:
    ran = CliRunner().invoke(application, ["state", *words], env={"COLUMNS": "200"})
    assert ran.exit_code == MISUSED
    assert says in ran.output
