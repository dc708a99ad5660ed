from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.services.parsing import parse_markdown
from app.services.parsing.dates import read_date
from app.services.parsing.status import status_in


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Accepted", "Accepted"),
        ("Accepted on 20/11/2015.", "Accepted"),
        ("Superseded by [ADR-0012](0012-x.md)", "Superseded"),
        ("Partly superseded by ADR-9", "Partly superseded"),
        ("Deprecated (no superseding ADR)", "Deprecated"),
        ("**In Review**", "In Review"),
        ("on hold", "on hold"),
        ("~~Proposed~~ Accepted", "Accepted"),
        ("<del>Proposed</del> Accepted", "Accepted"),
        ("Was proposed, now accepted", "accepted"),
        ("Originally proposed, but later rejected.", "rejected"),
        ("Previously accepted, now deprecated", "deprecated"),
        ("Was proposed", "Was proposed"),
        ("Accepted (was: Proposed)", "Accepted"),
        ("Status changed from Proposed to Accepted on 2024-03-01", "Accepted"),
        ("Moved from draft to review", "review"),
        ("Moved to ADR-9", "Moved"),
        ("Proposed on 2024-01-01, accepted on 2024-02-01", "accepted"),
        ("Proposed: Jan 2, 2024, accepted: Feb 3, 2024", "accepted"),
        ("Accepted 2024-02-03, proposed 2024-01-01", "Accepted"),
        ("Proposed, accepted on 2024-02-03", "accepted"),
        ("Accepted on 2024-01-01, to be reviewed on 2025-01-01", "Accepted"),
        ("Accepted on 2024-01-01, proposed", "Accepted"),
        ("April Fool!", "April Fool!"),
        ("Accepted or Rejected", None),
        ("{proposed | accepted}", None),
        ("Proposed | Accepted", None),
        ("The two points above have been implemented; see below", None),
        ("2020-01-02", None),
        ("", None),
    ],
)
def test_the_leading_words_are_the_status(text: str, status: str | None) -> None:
    assert status_in(text) == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("---\nstatus: Draft\n---\n# T\n## Status\nAccepted\n", "Draft"),
        ("# T\nStatus: Accepted\n", "Accepted"),
        ("<!-- a -->\n\n# T\n<!-- b -->\n\nStatus: Accepted\n", "Accepted"),
        ("# T\n* **Status:** Accepted\n", "Accepted"),
        ("# T\n## Status\n\nAccepted\n\n## Context\n", "Accepted"),
        ("# T\n## Status\n\n> Accepted\n", "Accepted"),
        (
            '# T\n## Status\n\n> Accepted or Rejected\n>\n> Valid: "Proposed", "Accepted"\n',
            "Accepted or Rejected",
        ),
        ("# T\n## Status\n\n## Context\nAccepted\n", None),
        ("# T\n## Status\n```\nAccepted\n```\n", None),
        ("# T\n## Notes\nStatus: open\n", None),
        ("# T\n## Status\n* Proposed 2024-01-02\n* Accepted 2024-02-03\n", "Accepted"),
        ("# T\n## Status\nAccepted on 3 February 2024\nProposed on 2 January 2024\n", "Accepted"),
        ("# T\n## Status\nADR-12 supersedes this record.\n", "superseded"),
        ("# T\n## Status\n[ADR-12](0012-x.md) has replaced this decision as of 2026-03-10.\n", "superseded"),
        ("# T\n> ADR-12 supersedes this.\n", "superseded"),
        ("# T\n\nADR-12 replaces this tool.\n", None),
        ("# T\n## Status\nIf approved, ADR-12 supersedes this record.\n", "If approved"),
        ("# T\n## Status\nADR-12 partially supersedes this record.\n", "superseded in part"),
        ("# T\n## Status\nSuperseded by ADR-9 (section 3 only)\n", "superseded in part"),
        ("# T\n## Status\nReplaced by ADR-9 for new services only\n", "superseded in part"),
        ("# T\n## Status\nSuperseded by ADR-9, except section 2\n", "superseded in part"),
        ("# T\n## Status\nSuperseded by ADR-9; see section 2 of ADR-3\n", "Superseded"),
        ("# T\n## Status\nSuperseded by the platform team, see also ADR-9\n", "Superseded"),
    ],
)
def test_the_status_is_read_where_documents_put_it(text: str, status: str | None) -> None:
    assert parse_markdown(text).status == status


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026/01/31 (amended)", datetime(2026, 1, 31, tzinfo=UTC)),
        ("28-Nov-2000", datetime(2000, 11, 28, tzinfo=UTC)),
        ("28 November 2000", datetime(2000, 11, 28, tzinfo=UTC)),
        ("November 28, 2000", datetime(2000, 11, 28, tzinfo=UTC)),
        ("2019-03-18T09:30:00+02:00", datetime(2019, 3, 18, 7, 30, tzinfo=UTC)),
        ("2019-03-18 09:30", datetime(2019, 3, 18, 9, 30, tzinfo=UTC)),
        ("2019-03-18T09:30:00.5Z", datetime(2019, 3, 18, 9, 30, 0, 500_000, tzinfo=UTC)),
        ("1969-12-31", None),
        ("2026-02-30", None),
        ("9999-12-31T23:59:59-05:00", None),
        ("0001-01-01", None),
        ("20/11/2015", None),
        ("soon", None),
        ("", None),
    ],
)
def test_dates_are_one_instant_in_utc(text: str, moment: datetime | None) -> None:
    assert read_date(text) == moment


def test_a_date_that_cannot_be_read_is_warned_about() -> None:
    document = parse_markdown("# T\nDate: someday\n")
    assert document.created_at is None
    assert len(document.warnings) == 1


@pytest.mark.parametrize(
    ("text", "path", "moment"),
    [
        ("# Weekly\nText.\n", "notes/2025-09-10-platform-weekly.md", datetime(2025, 9, 10, tzinfo=UTC)),
        ("---\ndate: 2025-09-12\n---\n# Weekly\n", "2025-09-10-x.md", datetime(2025, 9, 12, tzinfo=UTC)),
        ("---\ndate: soon\n---\n# Weekly\n", "2025-09-10-x.md", datetime(2025, 9, 10, tzinfo=UTC)),
        ("# Weekly\n", "2025-09-10/notes.md", None),
        ("# Weekly\n", "2025-13-40-x.md", None),
        ("# Weekly\n", "20250910.md", datetime(2025, 9, 10, tzinfo=UTC)),
        ("# Weekly\n", "0012-x.md", None),
    ],
)
def test_the_name_of_a_file_dates_what_is_silent(text: str, path: str, moment: datetime | None) -> None:
    assert parse_markdown(text, kind="Retro", path=path).created_at == moment
