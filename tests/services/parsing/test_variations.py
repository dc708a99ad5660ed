"""The kinds of style that documents are written in, each in several variations, read without a ledger."""

from __future__ import annotations

import pytest

from app.domain.artifact import DatePrecision, DateSource
from app.domain.recall import StateFlag
from app.domain.status_words import flag_of_status
from app.services.parsing import parse_markdown
from app.services.parsing.dates import find_date
from tests.services.parsing.claims import edges

CURRENT, WIP, HISTORICAL = StateFlag.CURRENT, StateFlag.WIP, StateFlag.HISTORICAL


@pytest.mark.parametrize(
    ("text", "path", "kind", "identifier", "title"),
    [
        ("# RFC 3: Fast\n\nReplaces: RFC 2\n", "rfcs/0003-x.md", "RFC", "RFC-0003", "Fast"),
        ("# Fast\n", "text/rfc-0012-fast.md", "RFC", "RFC-0012", "Fast"),
        ("# RFD 12 Storage\n", "rfd/0012/README.md", "RFD", "RFD-0012", "Storage"),
        ("# TEP-0004: Tasks\n", "teps/0004-tasks.md", "TEP", "TEP-0004", "Tasks"),
        (
            "# Outage of March\n",
            "postmortems/0007-march.md",
            "Postmortem",
            "POSTMORTEM-0007",
            "Outage of March",
        ),
        ("# Postmortem: the queue\n", "docs/queue.md", "Postmortem", None, "Postmortem: the queue"),
        ("# Incident 12: queue\n", "docs/x.md", "Incident", "Incident-12", "queue"),
        ("# Failover\n", "docs/db-runbook.md", "Runbook", None, "Failover"),
        ("# Failover\n", "runbooks/failover.md", "Runbook", None, "Failover"),
        ("# Weekly\n", "2026-03-04-meeting-notes.md", "Meeting", None, "Weekly"),
        ("# Quotas\n", "proposals/0008-quotas.md", "Proposal", "PROPOSAL-0008", "Quotas"),
        ("# Response policy\n", "docs/incident-response.md", "Note", None, "Response policy"),
        ("# Sep 2026 report\n", "docs/report.md", "Note", None, "Sep 2026 report"),
        ("# Use X\n", ".decisions/0003-x.md", "ADR", "ADR-0003", "Use X"),
        ("# Use X\n", "docs/02_Architecture Decisions/0003-x.md", "ADR", "ADR-0003", "Use X"),
        ("# Use X\n", "_adr/7-x.md", "ADR", "ADR-7", "Use X"),
        ("# Q2\n", "retros/2026-Q2.md", "Retro", None, "Q2"),
        ("# Goals\n", "plans/PLAN-2026-goals.md", "Plan", None, "Goals"),
        ("# 2027: goals\n", "plans/goals.md", "Plan", None, "2027: goals"),
        ("# Nodes\n", "keps/sig-node/2000-nodes/README.md", "KEP", "KEP-2000", "Nodes"),
        ("# (ADR-24) Bracket\n", "misc/a.md", "ADR", "ADR-24", "Bracket"),
        ("# [ADR-24]: Bracket\n", "misc/a.md", "ADR", "ADR-24", "Bracket"),
    ],
)
def test_kind_and_number_come_from_folder_title_and_file_name(
    text: str, path: str, kind: str, identifier: str | None, title: str
) -> None:
    document = parse_markdown(text, path=path)
    assert (document.kind, document.title) == (kind, title)
    assert (document.identifier or "").lower() == (identifier or "").lower()


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            "- Feature Name: slow_paths\n- Start Date: 2026-03-05\n\n# Summary\n\n# Motivation\n",
            "x/0022-a.md",
            "slow_paths",
        ),
        ("# Summary\n\na\n\n# Motivation\n\nb\n\n# Alternatives\n", "x/0022-slow-paths.md", "slow paths"),
        (
            "**Courier: loud hours**\n\n**Author:** Ada **Status:** Draft\n\n# **Goals**\n\n# **Scope**\n",
            "a.md",
            "Courier: loud hours",
        ),
        ("**Note**\n\n# Real title\n", "a.md", "Real title"),
        (
            "<p align=center><img src=x></p>\n\n<h1>The <b>Harbor</b> &amp; co</h1>\n\n# Install\n",
            "README.md",
            "The Harbor & co",
        ),
        ("[![b](https://b)](https://c)\n\n# Harbor\n", "a/README.md", "Harbor"),
        ("# Contents\n\n- [a](#a)\n\n# Harbor guide\n", "a.md", "Harbor guide"),
        (
            "# Platform : Use queues\n\nCreated by Ada, last modified on May 12, 2026\n\nText.\n",
            "a.md",
            "Use queues",
        ),
        ("# Lists : an overview\n\nText.\n", "a.md", "Lists : an overview"),
        ("title:: Queue\nstatus:: adopted\n\n- a\n", "pages/q.md", "Queue"),
        ("| Title | Use queues |\n|---|---|\n| Status | Approved |\n\nText.\n", "a.md", "Use queues"),
    ],
)
def test_the_title_is_the_document_s(text: str, path: str, title: str) -> None:
    assert parse_markdown(text, path=path).title == title


@pytest.mark.parametrize(
    ("text", "status", "flag", "date", "author"),
    [
        (
            "**Decided:** 2026-01-10 | **Recorded:** 2026-03-01 | **Status:** Accepted",
            "Accepted",
            CURRENT,
            "2026-01-10",
            None,
        ),
        (
            "**Author:** A. Writer **Status:** Draft **Last updated:** Mar 5, 2026",
            "Draft",
            WIP,
            "2026-03-05",
            "A. Writer",
        ),
        ("Status: Rejected · Date: 2026-03-05 · Author: Ada", "Rejected", HISTORICAL, "2026-03-05", "Ada"),
        ("**Status**: Accepted<br>**Date**: 2026-03-05", "Accepted", CURRENT, "2026-03-05", None),
        (
            "| Status | Approved |\n|---|---|\n| Date | 5 March 2026 |\n| Owner | Ada |",
            "Approved",
            CURRENT,
            "2026-03-05",
            None,
        ),
        ("| Field | Value |\n|---|---|\n| Status | On hold |\n| Author | Ada |", "On hold", WIP, None, "Ada"),
        (
            "| Status | Date | Author |\n|---|---|---|\n| Retired | 2026-03-05 | Ada |",
            "Retired",
            HISTORICAL,
            "2026-03-05",
            "Ada",
        ),
        ("- [status:: adopted]\n- [date:: 2026-03-05]", "adopted", CURRENT, "2026-03-05", None),
        ("> **Status:** Accepted\n> **Date:** 2026-03-05", "Accepted", CURRENT, "2026-03-05", None),
        ("## Metadata\n\n- Status: Accepted\n- Date: 2026-03-05", "Accepted", CURRENT, "2026-03-05", None),
        ("📅 **Date**: 2026-03-05\n🚦 **Status**: ✅ Accepted", "Accepted", CURRENT, "2026-03-05", None),
    ],
)
def test_fields_are_read_in_every_form_of_opening(
    text: str, status: str, flag: StateFlag, date: str | None, author: str | None
) -> None:
    document = parse_markdown(f"# Case\n\n{text}\n\nText.\n", path="a.md")
    assert (document.status, flag_of_status(document.status)) == (status, flag)
    assert (str(document.created_at.date()) if document.created_at else None) == date
    assert document.author == author


@pytest.mark.parametrize(
    "header",
    [
        '---json\n{"title": "T", "status": "Accepted", "date": "2026-03-05"}\n---\n',
        ';;;\n{"title": "T", "status": "Accepted", "date": "2026-03-05"}\n;;;\n',
        '{\n"title": "T", "status": "Accepted",\n"date": "2026-03-05"\n}\n\n',
        '---toml\ntitle = "T"\nstatus = "Accepted"\ndate = 2026-03-05\n---\n',
        "---yaml\ntitle: T\nstatus: Accepted\ndate: 2026-03-05\n---\n",
        "---\nTitle: T\nStatus: Accepted\ndecisionDate: 2026-03-05\n---\n",
    ],
)
def test_front_matter_is_read_in_every_language(header: str) -> None:
    document = parse_markdown(f"{header}Body.\n", path="a.md")
    assert (document.title, document.status) == ("T", "Accepted")
    assert document.created_at is not None
    assert str(document.created_at.date()) == "2026-03-05"
    assert document.body.strip() == "Body."


@pytest.mark.parametrize(
    ("header", "title", "tags"),
    [
        ("title: RFC: the gateway\ntags: [a, b]", "RFC: the gateway", ["a", "b"]),
        ("title: [plugin] Use: x\ntags: [a]", "[plugin] Use: x", ["a"]),
        ("title: @home: x\ntags:\n  - a\n  - b", "@home: x", ["a", "b"]),
        ("title: 'It's here'\ntags: [a]", "It's here", ["a"]),
    ],
)
def test_front_matter_with_a_colon_means_what_its_writer_meant(
    header: str, title: str, tags: list[str]
) -> None:
    document = parse_markdown(f"---\n{header}\nstatus: accepted\n---\nBody.\n", path="a.md")
    assert (document.title, document.props["tags"], document.status) == (title, tags, "accepted")
    assert any("is not YAML" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("section", "status"),
    [
        ("| Date | Status |\n|---|---|\n| 2026-01-01 | Proposed |\n| 2026-02-01 | Accepted |", "Accepted"),
        ("| Status | When |\n|---|---|\n| Draft | May |\n| Rejected | June |", "Rejected"),
        ("- [ ] Proposed\n- [x] Accepted\n- [ ] Deprecated", "Accepted"),
        ("- [x] Proposed\n- [x] Accepted", "Accepted"),
        ("- [ ] Proposed\n- [ ] Accepted", "[ ] Proposed [ ] Accepted"),
        ("Status: Accepted", "Accepted"),
        ("**Status**: Rejected", "Rejected"),
        ("2024-05-01: Rejected", "Rejected"),
        ("- 2024-01-01: Proposed\n- 2024-05-01: Accepted", "Accepted"),
        ("- Accepted (2024-05-01)\n- Proposed (2024-01-01)", "Accepted"),
        ("❌ Rejected", "Rejected"),
        (":white_check_mark: Accepted", "Accepted"),
        ("Proposed / **Accepted** / Rejected", "Accepted"),
        ("~~Proposed~~ Accepted", "Accepted"),
        ("Draft → Accepted", "Accepted"),
        ("Implemented / Accepted", "Implemented / Accepted"),
        ("Accepted, superseded by ADR-9", "superseded"),
        ("Active review (May 1 to May 9)", "Active review"),
        ("Returned for revision", "Returned for revision"),
        ("Accepted with revisions", "Accepted with revisions"),
        ("Duplicate of ADR-9", "Duplicate"),
        ("Replaced with ADR-9", "Replaced"),
        ("ADR-9 supersedes this record.", "superseded"),
        ("The first that is there counts: the header.", "The first that is there counts: the header."),
        ("Deprecated in favour of [Nine](0009-n.md)", "Deprecated"),
    ],
)
def test_a_section_of_status_says_the_last_one(section: str, status: str | None) -> None:
    assert parse_markdown(f"# ADR-3: T\n\n## Status\n\n{section}\n\n## Context\n\nc\n").status == status


LEFT_OPEN = [
    "Proposed | Accepted | Rejected",
    "{proposed | accepted}",
    "{{status}}",
    "{accepted}",
    "Draft/Accepted/Rejected",
    "[Proposed, Accepted, Rejected]",
    "(proposed, accepted)",
    "Proposed, Accepted, Rejected or Superseded",
    "Accepted or Rejected",
    "choose one of: Proposed, Accepted",
    "Choose one: Proposed / Accepted",
    "One of Proposed, Accepted, Rejected",
    "Pick from: draft, final",
    "Either accepted or rejected",
    "Accepted | Superseded by ADR-NNN",
    "<status>",
    "<Proposed | Accepted>",
    "???",
    "?",
    "...",
    "XXX",
    "Accepted?",
    "[ ] Proposed [ ] Accepted",
    "☐ Proposed ☐ Accepted",
    "[x] Accepted [x] Rejected",
    "3 approved, 2 rejected",
    "2026-05-01",
    "We will know in May what becomes of it",
]


@pytest.mark.parametrize("place", ["---\nstatus: {}\n---\n# ADR-3: T\n", "# ADR-3: T\n\nStatus: {}\n"])
@pytest.mark.parametrize("status", LEFT_OPEN)
def test_a_status_left_open_is_kept_and_has_no_flag(place: str, status: str) -> None:
    document = parse_markdown(place.replace("{}", status) + "\n## Context\n\nc\n", path="adr/0003-t.md")
    assert document.status
    assert flag_of_status(document.status) is None


@pytest.mark.parametrize(
    "section",
    [
        *LEFT_OPEN,
        "- Proposed\n- Accepted\n- Rejected",
        "Proposed\n\nAccepted",
        "- [x] Accepted\n- [x] Rejected",
        "- ☐ Proposed\n- ☐ Accepted",
        "> Proposed, accepted or rejected",
        "Choose one of:\n\n- Proposed\n- Accepted",
        "| Status |\n|---|\n| Proposed / Accepted |",
        "<Proposed | Accepted | Rejected>",
    ],
)
def test_a_section_of_status_left_open_has_no_flag(section: str) -> None:
    document = parse_markdown(f"# ADR-3: T\n\n## Status\n\n{section}\n\n## Context\n\nc\n")
    assert document.status
    assert flag_of_status(document.status) is None


@pytest.mark.parametrize(
    "section", ["", "-", "—", "<!-- Proposed / Accepted -->", "<br>", "```\nAccepted\n```"]
)
def test_an_empty_section_of_status_states_none(section: str) -> None:
    assert parse_markdown(f"# ADR-3: T\n\n## Status\n\n{section}\n\n## Context\n\nc\n").status is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("- [x] Proposed\n- [x] Accepted\n- [ ] Deprecated", "Accepted"),
        ("☐ Proposed ☑ Accepted", "Accepted"),
        ("[ ] Proposed [x] Accepted", "Accepted"),
        ("☑ Proposed ☐ Accepted", "Proposed"),
        ("Accepted by the board after the spike, but later rejected by security", "rejected"),
        ("Accepted by everyone but then it was later withdrawn", "withdrawn"),
        ("Accepted; later rejected", "rejected"),
        ("Accepted for the whole platform, but it is now under review", "under review"),
        ("Proposed in May, now accepted", "accepted"),
        ("Accepted, but the old way is deprecated", "Accepted"),
        ("Accepted. Now deprecated parts are listed below.", "Accepted"),
        ("Accepted since approved by all", "Accepted"),
        (
            "Under review while the platform team measures the queue",
            "Under review while the platform team measures the queue",
        ),
        (
            "Accepted with revisions each team asked us again and again and again before last year ended",
            "Accepted with revisions each team asked us again and again and again…",
        ),
    ],
)
def test_a_status_is_kept_whole_and_what_it_turns_to_counts(text: str, status: str) -> None:
    assert parse_markdown(f"# ADR-3: T\n\n## Status\n\n{text}\n\n## Context\n\nc\n").status == status


@pytest.mark.parametrize(
    ("header", "flag"),
    [
        ("draft: true", WIP),
        ("draft: false", CURRENT),
        ("published: false", WIP),
        ("archived: true", HISTORICAL),
    ],
)
def test_a_switch_says_a_status(header: str, flag: StateFlag) -> None:
    assert flag_of_status(parse_markdown(f"---\ntitle: T\n{header}\n---\nx\n").status) is flag


SUPERSEDED_BY_9 = ("SUPERSEDES<", "ADR-9")


@pytest.mark.parametrize(
    "text",
    [
        "## Status\n\nDuplicate of ADR-9",
        "## Status\n\nMoved to ADR-9",
        "## Status\n\nSuperseded (see ADR-9)",
        "## Status\n\nDeprecated, see ADR-9",
        "## Status\n\nDeprecated in favor of ADR-9",
        "## Status\n\nReplaced with ADR-9",
        "## Status\n\nSuperseded\n\nBy ADR-9",
        "## Status\n\nSuperseded\nby ADR-9",
        "Status: superseded by 9",
        "> [!warning] Superseded by ADR-9",
        "> **Note**: This decision has been superseded by ADR-9.",
        "**This ADR is superseded by ADR-9.**",
        ":::warning\nSuperseded by ADR-9\n:::",
        '!!! warning "Superseded by ADR-9"',
        "⚠️ Superseded by ADR-9",
        "| Superseded by | ADR-9 |\n|---|---|\n| Status | Accepted |",
        "superseded_by:: ADR-9",
        "## Links\n\n* Superseded by [ADR-9](0009-n.md)",
        "## Superseded by ADR-9\n\nIt is old.",
        "## [Superseded by](x.md)\n\n- ADR-9",
        "## Superseded\n\nBy [ADR-9](0009-n.md)",
    ],
)
def test_a_document_says_in_many_words_that_it_is_superseded(text: str) -> None:
    document = parse_markdown(f"# ADR-3: T\n\n{text}\n", path="adr/0003-t.md")
    assert [edge for edge in edges(document) if edge[0] != "REFERENCES"] == [SUPERSEDED_BY_9]


@pytest.mark.parametrize(
    "text",
    [
        "## Status\n\nSuperseded by ADR-5 (was: §3 superseded by ADR-9)",
        "## Status\n\nAccepted. Not superseded by ADR-9",
        "## Status\n\nWill be superseded by ADR-9",
        "## Status\n\nPartly superseded by ADR-9",
        "## Status\n\nsuperseded-in-part by ADR-9",
        "## Status\n\nSuperseded by ADR-9 in part",
        "## Status\n\nSupersedes section 3 of ADR-9",
        "## Status\n\nProvisionally Superseded by ADR-9",
        "> He said that ADR-4 was superseded by ADR-9.",
        "## Notes\n\nThe cache is superseded by ADR-9",
        "```\nSuperseded by ADR-9\n```",
        "~~Superseded by ADR-9~~",
    ],
)
def test_what_only_resembles_it_supersedes_nothing(text: str) -> None:
    document = parse_markdown(f"# ADR-3: T\n\n{text}\n", path="adr/0003-t.md")
    assert not any(kind.startswith("SUPERSEDES") and target == "ADR-9" for kind, target in edges(document))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("amended-in-part by [0215](0215-x.md)", "EXTENDS<"),
        ("extended in part by [0215](0215-x.md)", "EXTENDS<"),
        ("superseded-in-part by [0215](0215-x.md)", "RELATES_TO<"),
        ("Provisionally Superseded by ADR-0215", "RELATES_TO"),
    ],
)
def test_what_is_changed_in_part_stays_in_force(status: str, kind: str) -> None:
    document = parse_markdown(f"---\nid: ADR-3\nstatus: {status}\n---\nx\n", path="adr/0003-t.md")
    assert edges(document) == [(kind, "ADR-0215")]
    assert flag_of_status(document.status) is CURRENT


@pytest.mark.parametrize(
    "text",
    [
        "## Supersedes.\n\nADR-1",
        "## ✅ Supersedes\n\nADR-1",
        "## III. Supersedes\n\nADR-1",
        "## B) Supersedes\n\nADR-1",
        "## Supersedes {#supersedes}\n\nADR-1",
        "##Supersedes\n\nADR-1",
        "##Supersedes\nADR-1",
        "## Super\u00adsedes\u200b\n\nADR-1",
        "## **Supersedes:**\n\nADR-1",
        "## Supersedes ADR-1\n\nBecause.",
        "## Supersedes\n\n### ADR-1: Old\n\nBecause.",
        "Supersedes:\n\n- ADR-1",
        "- Supersedes:\n  - ADR-1",
        "**Supersedes**\n\n- ADR-1",
        "## Links\n\n- supersedes: ADR-1",
        "## Relationships\n\n- **Supersedes** [One](0001-o.md)",
        "## References\n\n- Supersedes ADR-1",
        "| Supersedes | ADR-1 |\n|---|---|\n| Status | Accepted |",
        "**Status:** Accepted **Supersedes:** ADR-1",
        "This decision supersedes ADR-1.",
        "supersedes:: [[ADR-1]]",
    ],
)
def test_a_relation_is_read_whatever_it_is_dressed_in(text: str) -> None:
    document = parse_markdown(f"# ADR-3: T\n\n{text}\n", path="adr/0003-t.md")
    typed = [(kind, target.replace("0001", "1")) for kind, target in edges(document) if kind != "REFERENCES"]
    assert typed == [("SUPERSEDES", "ADR-1")]


@pytest.mark.parametrize(
    "header",
    [
        "supersedes: [ADR-1]",
        "relations:\n  supersedes: [ADR-1]",
        "links:\n  - type: supersedes\n    target: ADR-1",
        "links:\n  - {rel: supersedes, id: ADR-1}",
        "related:\n  - supersedes: ADR-1",
        "supersedes:\n  - id: ADR-1\n    reason: old",
        "supersedes: '`ADR-1`'",
        "replaces: 1",
    ],
)
def test_header_fields_may_hold_relations_in_any_shape(header: str) -> None:
    document = parse_markdown(f"---\nid: ADR-3\n{header}\n---\nx\n", path="adr/0003-t.md")
    assert edges(document) == [("SUPERSEDES", "ADR-1")]


def test_a_heading_that_looks_like_a_relation_is_told() -> None:
    document = parse_markdown(
        "# ADR-3: T\n\n## Superseeded stuff\n\n- ADR-1\n\n## Superseded ideas\n\nNone.\n"
    )
    assert [warning for warning in document.warnings if "looks like a relation" in warning] == [
        "the heading 'Superseeded stuff' looks like a relation and is read as none"
    ]


@pytest.mark.parametrize(
    ("text", "moment", "precision"),
    [
        ("March 5th, 2026", "2026-03-05", DatePrecision.DAY),
        ("the 5th of March, 2026", "2026-03-05", DatePrecision.DAY),
        ("Thursday, 5 March 2026", "2026-03-05", DatePrecision.DAY),
        ("Thu, 05 Mar 2026 10:00:00 +0000", "2026-03-05T10:00", DatePrecision.INSTANT),
        ("2026-3-5", "2026-03-05", DatePrecision.DAY),
        ("20260305", "2026-03-05", DatePrecision.DAY),
        ("2026.03.05", "2026-03-05", DatePrecision.DAY),
        ("5.3.2026", "2026-03-05", DatePrecision.DAY),
        ("2026年3月5日", "2026-03-05", DatePrecision.DAY),
        ("2026-W14", "2026-03-30", DatePrecision.WEEK),
        ("2026-03", "2026-03-01", DatePrecision.MONTH),
        ("March 2026", "2026-03-01", DatePrecision.MONTH),
        ("Q2 2026", "2026-04-01", DatePrecision.QUARTER),
        ("2026", "2026-01-01", DatePrecision.YEAR),
    ],
)
def test_a_date_says_how_exact_it_is(text: str, moment: str, precision: DatePrecision) -> None:
    found = find_date(text)
    assert found is not None
    assert (found.moment.isoformat().startswith(moment), found.precision) == (True, precision)


@pytest.mark.parametrize("zone", ["CET", "(CEST)", "PM", "Europe/Berlin"])
def test_a_time_in_a_zone_that_is_not_read_leaves_the_day(zone: str) -> None:
    document = parse_markdown(f"# T\n\nDate: 2026-03-05 14:00 {zone}\n")
    assert document.created_at is not None
    assert (document.created_at.hour, document.date_precision) == (0, DatePrecision.DAY)
    assert any("time zone" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("## Date\n\n2026-03-05", "2026-03-05"),
        ("## Decision date\n\nMarch 5, 2026", "2026-03-05"),
        ("### Date: 2026-03-05\n\nx", "2026-03-05"),
        ("**Date**\n2026-03-05", "2026-03-05"),
        ("*March 5, 2026*", "2026-03-05"),
        ("Created by Ada on May 2, 2026, last modified on May 12, 2026", "2026-05-12"),
        ("Date: 2026-03-05\nCreated: 2026-01-01\nUpdated: 2026-04-01", "2026-03-05"),
        ("Updated: 2026-04-01\nCreated: 2026-01-01", "2026-01-01"),
        ("Effective: 2026-05-01\nDate: 2026-03-05", "2026-05-01"),
        ("Accepted: yes\n", None),
        ("Decided: 2026-05-01\n\n## Date\n\n2026-03-05", "2026-05-01"),
        ("The limit was lifted on 2026-03-05 for all.", None),
    ],
)
def test_the_date_is_found_where_it_stands(text: str, date: str | None) -> None:
    document = parse_markdown(f"# Case\n\n{text}\n\nText.\n", path="a.md")
    assert (str(document.created_at.date()) if document.created_at else None) == date


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/decisions/adr-template.md", "# Title\n\nStatus: accepted\n\nSupersedes ADR-1\n"),
        ("adr/0000-template.md", "# T\n\n## Supersedes\n\nADR-1\n"),
        ("adr/NNNN-title.md", "# T\n\nSupersedes ADR-1\n"),
        ("docs/x.md", "# {short title}\n\nSupersedes ADR-1\n"),
        ("docs/x.md", "# [short title of the problem]\n\nSupersedes ADR-1\n"),
        ("decisions/README.md", "# Decisions\n\n- [ADR-1](0001-x.md)\n\nSupersedes ADR-1\n"),
        ("rfcs/index.md", "# All\n\n- [RFC-1](0001-x.md)\n"),
    ],
)
def test_templates_and_indexes_state_nothing(path: str, text: str) -> None:
    document = parse_markdown(text, path=path)
    assert (document.kind, document.identifier, document.status, document.references) == (
        "Note",
        None,
        None,
        (),
    )
    assert any("states nothing" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "adr/0007-use-template-engine.md",
            "# Use {name} in URLs for tenants and more\n\nStatus: accepted\n",
        ),
        ("keps/sig-node/24-apparmor/README.md", "---\nstatus: accepted\n---\n# Add AppArmor\n"),
        ("docs/email-template.md", "# Mail template\n\nStatus: accepted\n"),
    ],
)
def test_documents_about_templates_are_documents(path: str, text: str) -> None:
    assert parse_markdown(text, path=path).status == "accepted"


def test_what_lies_beside_a_document_is_its_header() -> None:
    beside = "kep-number: 24\nstatus: implemented\ncreation-date: 2026-03-05\nowning-sig: sig-node\n"
    document = parse_markdown("# Add AppArmor\n", path="keps/24-apparmor/README.md", beside=beside)
    assert (document.identifier, document.status) == ("KEP-24", "implemented")
    assert document.meta["owning-sig"] == "sig-node"


def test_every_field_of_a_header_is_kept() -> None:
    text = "---\nstatus: accepted\ndeciders: [Ada, Bob]\nempty:\n---\n# T\n\n- Owner: Carol\n\nNote: more\n"
    assert parse_markdown(text).meta == {
        "status": "accepted",
        "deciders": ["Ada", "Bob"],
        "Owner": "Carol",
        "Note": "more",
    }


HISTORY = "- 2026-03-10: Accepted\n- 2026-01-10: Proposed\n"
JANUARY = "2026-01-10"


@pytest.mark.parametrize(
    ("path", "text", "date"),
    [
        ("x.md", f"## Changelog\n\n{HISTORY}", JANUARY),
        ("x.md", "## History\n\n| No. | Date |\n|---|---|\n| 1 | 2026-01-10 |\n| 2 | 2026-03-10 |", JANUARY),
        ("x.md", "## Revision history\n\n1. January 10, 2026 - Ada: first draft\n", JANUARY),
        ("x.md", "## Change log\n\n### v2 - 2026-03-10\n\nB.\n\n### v1 (2026-01-10)\n\nA.\n", JANUARY),
        ("x.md", "## Version History\n\n* **v1.0** (2026-01-10): first\n", JANUARY),
        ("x.md", f"Date: 2026-05-01\n\n## Changelog\n\n{HISTORY}", "2026-05-01"),
        ("2026-05-01-x.md", f"## Changelog\n\n{HISTORY}", "2026-05-01"),
        ("x.md", f"## Changelog\n\nNone.\n\n## Context\n\n{HISTORY}", None),
        ("x.md", "## History\n\n2014 was the year when we began.\n", None),
        ("x.md", "## Changelog\n\n```\n2026-01-10\n```\n", None),
    ],
)
def test_a_history_of_changes_dates_what_nothing_else_does(path: str, text: str, date: str | None) -> None:
    document = parse_markdown(f"# T\n\n{text}\n", path=path)
    assert (document.created_at and document.created_at.date().isoformat()) == date
    expected = None if date is None else DateSource.FILE_NAME if path != "x.md" else DateSource.HEADER
    assert document.date_source is expected


def test_what_is_given_beside_a_text_dates_it_alone() -> None:
    text = "---\ndecided: 2026-01-01\ndate: 2026-01-02\n---\n# T\n\nEffective: 2026-01-03\n"
    document = parse_markdown(text, path="a.md", stated={"created": "2026-03-05"})
    assert document.created_at is not None
    assert str(document.created_at.date()) == "2026-03-05"
