"""A date beside a supersession is when it took effect."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.services.parsing import parse_markdown
from tests.documents import day

THE_DAY = day(2026, 3, 10)
DATED = [
    "# ADR-1: Queue\n\nSuperseded by [ADR-9](0009-x.md) on 2026-03-10.\n",
    "# ADR-1: Queue\n\nStatus: Superseded by ADR-9 (2026-03-10)\n",
    "# ADR-1: Queue\n\nStatus: Superseded 2026-03-10 by ADR-9\n",
    "# ADR-1: Queue\n\nStatus: Superseded on 10 March 2026 by ADR-9\n",
    "# ADR-1: Queue\n\n## Status\n\nSuperseded by [ADR-9](0009-x.md), 10 March 2026\n",
    "# ADR-1: Queue\n\n## Status\n\nSuperseded by ADR-9 as of March 10th, 2026\n",
    "# ADR-1: Queue\n\n> [!warning] Superseded by ADR-9 since 2026-03-10\n",
    "# ADR-1: Queue\n\n**Superseded by:** [ADR-9](0009-x.md) (2026-03-10)\n",
    "# ADR-1: Queue\n\n## Superseded by\n\n- [ADR-9](0009-x.md) (2026-03-10)\n",
    "---\nid: ADR-1\nstatus: Superseded by ADR-9 on 2026-03-10\n---\n# Queue\n",
    "---\nid: ADR-1\nsuperseded-by: ADR-9 (2026-03-10)\n---\n# Queue\n",
    "# ADR-1: Queue\n\nSupersedes ADR-9 (2026-03-10)\n",
    "# ADR-1: Queue\n\n## Status\n\n2026-03-10: Superseded by ADR-9\n",
    "# ADR-1: Queue\n\n## Status\n\n- 2026-01-02: Accepted\n- **2026-03-10** - superseded by ADR-9\n",
    "# ADR-1: Queue\n\n10 March 2026: Superseded by [ADR-9](0009-x.md)\n",
    "# ADR-1: Queue\n\n## Status\n\n2026-03-10: ADR-9 supersedes this record.\n",
    "# ADR-1: Queue\n\nADR-9 supersedes this ADR as of 2026-03-10.\n",
]
UNDATED = [
    "# ADR-1: Queue\n\nStatus: Superseded by ADR-9\n",
    "# ADR-1: Queue\n\nStatus: Superseded by ADR-9, 10 of its rules stay\n",
    "# ADR-1: Queue\n\nSuperseded by ADR-9. On 2026-03-10 we met.\n",
    "# ADR-1: Queue\n\nSuperseded by ADR-9 in the 2026 roadmap.\n",
    "# ADR-1: Queue\n\nSuperseded by ADR-9 (was: 2026-03-10 draft)\n",
    "# ADR-1: Queue\n\n## Status\n\n2026-03-10: Accepted. Superseded by ADR-9\n",
]


def dates_of(text: str) -> list[datetime | None]:
    document = parse_markdown(text, path="adr/0001-queue.md")
    return [claim.since for claim in document.references if claim.type == "SUPERSEDES"]


@pytest.mark.parametrize("text", DATED)
def test_the_date_is_read(text: str) -> None:
    assert dates_of(text) == [THE_DAY]


@pytest.mark.parametrize("text", UNDATED)
def test_another_date_is_not(text: str) -> None:
    assert dates_of(text) == [None]


@pytest.mark.parametrize(
    ("words", "dates"),
    [
        ("ADR-9 (2026-03-10) and ADR-10 (2026-04-10)", [THE_DAY, day(2026, 4, 10)]),
        ("[ADR-9](0009-x.md) on 2026-03-10, ADR-10 on 10 April 2026", [THE_DAY, day(2026, 4, 10)]),
        ("ADR-9 and ADR-10 on 2026-03-10", [THE_DAY, THE_DAY]),
        ("ADR-9, ADR-10 (2026-03-10)", [THE_DAY, THE_DAY]),
        ("ADR-9 (2026-03-10) and ADR-10", [THE_DAY, None]),
    ],
)
def test_of_several_each_has_the_date_behind_it(words: str, dates: list[datetime | None]) -> None:
    assert dates_of(f"# ADR-1: Queue\n\nStatus: Superseded by {words}\n") == dates
