from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.errors import Invalid
from app.services.importing.folders import A_ROW_FILE, A_TWIN, NO_TEXT, MarkdownFile, find_files
from app.services.importing.items import Readable, Refusal, Skipped
from app.services.importing.open_file import A_LINK, NO_FILE
from app.services.importing.scan import scan_paths
from tests.documents import ProjectFixture, identifiers
from tests.services.importing.conftest import Importer, Write, reasons

NOBODY = 65534


async def sources(desk: ProjectFixture) -> set[tuple[str, str]]:
    async with desk.reading() as connection:
        rows = await connection.fetch(
            "SELECT source_uri, title FROM artifact JOIN project USING (tenant_id, project_id)"
            " WHERE project.key = $1",
            desk.project,
        )
    return {(row["source_uri"], row["title"]) for row in rows}


async def test_a_folder_is_filed_once_with_kinds_from_its_folders(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("decisions/0001-queues.md", "# Use queues\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n")
    write("specs/SPEC-2-wire.markdown", "# Wire format\n\nImplements ADR-0001.\n")
    write("diary.md", "Nothing happened.\n")
    write("picture.png", b"\x89PNG")
    first, again = await imported(folder), await imported(folder)
    assert (first.filed, first.unchanged, first.refused) == (3, 0, [])
    assert (again.filed, again.unchanged, again.refused) == (0, 3, [])
    assert first.kinds_defined == ["Note"]
    assert again.kinds_defined == []
    found = await desk.ask("queues", kinds=("ADR",))
    assert identifiers(found) == ["ADR-0001"]
    assert found.hits[0].artifact.source_uri == "decisions/0001-queues.md"


async def test_names_of_every_kind_are_kept_as_they_are(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    names = {"decisions/0001-résumé.md", "決定/0002.md", "a b.md", "tab\tname.md", "quo'te\".md"}
    for name in names:
        write(name, f"# About {len(name)}\n\nText of {name}.\n")
    summary = await imported(folder)
    assert (summary.filed, summary.refused) == (5, [])
    assert {source for source, _ in await sources(desk)} == names


async def test_lex_14_a_link_finds_a_file_whose_accents_are_taken_apart(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("politique/re\u0301sume\u0301.md", "# Oranges\n\nOranges are taxed.\n")
    write("0001-tax.md", "# ADR-1: Tax\n\n## Supersedes\n\n- [the former](politique/résumé.md)\n")
    summary = await imported(folder)
    assert (summary.filed, summary.refused) == (2, [])
    assert ("politique/résumé.md", "Oranges") in await sources(desk)
    result = await desk.ask("oranges are taxed")
    assert identifiers(result)[0] == "ADR-0001"
    assert result.hits[1].annotation.superseded_by is not None
    assert (await imported(folder)).unchanged == 2


async def test_two_names_that_look_alike_are_not_one_file(
    folder: Path, write: Write, imported: Importer
) -> None:
    for name in ("résumé.md", "re\u0301sume\u0301.md", "é/one.md", "e\u0301/two.md", "e\u0301.png"):
        write(name, f"# {name}\n\nOranges are taxed.\n")
    for filed in (2, 0):
        summary = await imported(folder)
        assert (summary.filed, summary.unchanged) == (filed, 2 - filed)
        assert reasons(summary) == {"re\u0301sume\u0301.md": A_TWIN, "e\u0301": A_TWIN}


async def test_odd_headers_are_filed_with_a_warning_and_stop_nothing(
    folder: Path, write: Write, imported: Importer
) -> None:
    """MDP-12."""
    headers = (
        "title: [a, b]",
        "tags: x",
        "tags: {a: 1}",
        "title:",
        "- list",
        "title: a: b",
        "title: a\ntitle: b",
        "status: [Accepted, {a: b}]\nauthor: {a: 1}\ndomain: [x]",
        "aliases: {Lamp: 1}\ndate: [2026-01-01]\nkind: [ADR]",
        "id: {a: 1}",
        "? [a, b]\n: c\n? {d: e}\n: f",
        "title: !!python/object:os.system x\ntags: !!binary eA==",
        "tags: [a, [b, {c: d}], null, 1.5, true]\nsupersedes: [null, [], {}, true]",
        "title: |\n  two\n  lines\nsummary: >\n  folded\n  text",
        "--- a\ntitle: b",
    )
    for number, header in enumerate(headers, start=1):
        write(f"note-{number}.md", f"---\n{header}\n---\n\nThe text of note {number}.\n")
    summary = await imported(folder)
    assert summary.filed + len(summary.refused) == len(headers)
    assert summary.filed == len(headers)
    assert sum(warned.count for warned in summary.warnings.values()) >= 4


async def test_bad_files_are_listed_with_reasons_and_the_good_are_filed(
    folder: Path, write: Write, imported: Importer
) -> None:
    """IDM-08: and what was bad is filed once it is repaired."""
    write("good-one.md", "# One\n\nText.\n")
    write("good-two.md", "# Two\n\nText.\n")
    bad = write("latin.md", "# Café\n".encode("latin-1"))
    os.mkfifo(folder / "pipe.md")
    summary = await imported(folder)
    assert summary.filed == 2
    assert reasons(summary) == {
        "latin.md": "it is not UTF-8 from byte 5 on; if it is text, convert it",
        "pipe.md": NO_FILE,
    }
    bad.write_text("# Café\n")
    repaired = await imported(folder)
    assert (repaired.filed, repaired.unchanged) == (1, 2)


async def test_links_are_reported_and_never_followed(
    tmp_path: Path, folder: Path, write: Write, imported: Importer, desk: ProjectFixture
) -> None:
    outside = tmp_path / "docs-secret"
    outside.mkdir()
    (outside / "secret.md").write_text("# The word is xyzzy\n")
    write("adr/0001-open.md", "# Open\n\nText.\n")
    (folder / "adr/0002-leak.md").symlink_to(outside / "secret.md")
    (folder / "elsewhere").symlink_to(outside)
    (folder / "circle").symlink_to(folder)
    (folder / "gone.md").symlink_to(tmp_path / "nothing.md")
    (folder / "self").symlink_to(folder / "self")
    summary = await imported(folder)
    assert (summary.filed, summary.refused, summary.total) == (1, [], 1)
    left = {Path(skipped.source).name: skipped.reason for skipped in summary.skipped}
    assert left == dict.fromkeys(("0002-leak.md", "elsewhere", "circle", "gone.md"), A_LINK)
    assert identifiers(await desk.ask("xyzzy secret")) == ["ADR-0001"]


async def test_files_that_say_nothing_are_refused(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("good.md", "# Good\n\nText.\n")
    for name, content in (("empty.md", ""), ("blank.md", " \n\t\n"), ("mark.md", "\ufeff\u200b\n")):
        write(name, content)
    summary = await imported(folder)
    assert summary.filed == 1
    assert reasons(summary) == dict.fromkeys(("empty.md", "blank.md", "mark.md"), "the file is empty")
    assert await sources(desk) == {("good.md", "Good")}


async def test_rows_in_a_folder_are_left_alone_unless_they_are_named(
    folder: Path, write: Write, imported: Importer
) -> None:
    rows = write("docs.jsonl", '{"id": "RFC-1", "title": "One", "body": "Text."}\n')
    alone = await imported(folder)
    assert (alone.total, alone.skipped) == (0, [Skipped(str(rows), A_ROW_FILE)])
    named = await imported(folder, rows)
    assert (named.filed, named.skipped) == (1, [])


def test_hidden_and_foreign_folders_are_passed_over_in_order_of_names(folder: Path, write: Write) -> None:
    for name in ("b.md", "a/2.md", "a/10.md", ".git/x.md", ".hidden.md", "node_modules/p/README.md", "c.MD"):
        write(name, "text")
    found = list(find_files(folder))
    assert [each.source for each in found if isinstance(each, MarkdownFile)] == [
        "a/10.md",
        "a/2.md",
        "b.md",
        "c.MD",
    ]


@contextmanager
def unprivileged() -> Iterator[None]:
    """Lose the right to read everything, if this process has it."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_what_may_not_be_read_is_named_and_the_rest_is_read() -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-closed-") as name:
        root = Path(name)
        root.chmod(0o755)
        (root / "closed").mkdir(mode=0o000)
        (root / "closed.md").write_text("text")
        (root / "closed.md").chmod(0o000)
        (root / "open.md").write_text("text")
        with unprivileged():
            read = list(scan_paths([root], None, frozenset()).read())
            whole = list(scan_paths([root / "closed"], None, frozenset()).read())
        (root / "closed").chmod(0o755)
    denied = "it cannot be read: Permission denied"
    assert [type(each) for each in read] == [Refusal, Refusal, Readable]
    assert read[:2] == [Refusal(str(root / "closed"), denied), Refusal(str(root / "closed.md"), denied)]
    assert whole == [Refusal(str(root / "closed"), denied)]


async def test_a_name_that_is_no_text_is_refused_in_words_that_can_be_printed(
    folder: Path, write: Write, imported: Importer
) -> None:
    write("good.md", "text")
    odd = write(os.fsdecode(b"caf\xe9.md"), "text")
    write(os.fsdecode(b"d\xe9p\xf4t/inside.md"), "text")
    summary = await imported(folder)
    assert (summary.filed, summary.total) == (1, 3)
    assert reasons(summary) == {"caf\\xe9.md": NO_TEXT, "d\\xe9p\\xf4t": NO_TEXT}
    assert reasons(await imported(odd)) == {"caf\\xe9.md": NO_TEXT}


async def test_a_folder_whose_name_is_no_text_can_be_named_itself(
    desk: ProjectFixture, write: Write, imported: Importer
) -> None:
    odd = write(os.fsdecode(b"d\xe9p\xf4t/README.md"), "# Depot\n").parent
    assert (await imported(odd)).filed == 1
    assert await sources(desk) == {("README.md", "Depot")}


async def test_a_single_file_goes_by_its_name(desk: ProjectFixture, write: Write, imported: Importer) -> None:
    path = write("adr/0007-x.md", "# Seven\n\nText.\n")
    assert (await imported(path, path)).filed == 1
    assert await sources(desk) == {("0007-x.md", "Seven")}
    assert identifiers(await desk.ask("ADR-7")) == ["ADR-0007"]


async def test_a_given_kind_is_for_documents_that_tell_none(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("0012-plain.md", "# Plain\n\nText.\n")
    write("0013-told.md", "---\nkind: Note\n---\n\n# Told\n\nText.\n")
    summary = await imported(folder, kind="RFC")
    assert summary.kinds_defined == ["Note", "RFC"]
    assert [hit.artifact.kind for hit in (await desk.ask("RFC-12", first=1)).hits] == ["RFC"]


@pytest.mark.parametrize("name", ["missing", "notes.pdf"])
async def test_what_cannot_be_imported_stops_before_anything_is_filed(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer, name: str
) -> None:
    write("notes.pdf", "text")
    write("good.md", "# Good\n")
    with pytest.raises(Invalid, match=name):
        await imported(folder, folder / name)
    assert await sources(desk) == set()


async def test_what_is_not_read_and_what_has_no_date_is_counted(
    desk: ProjectFixture, folder: Path, write: Write, imported: Importer
) -> None:
    write("a.mdx", "# Slides\n\nOn oranges.\n")
    write("b.txt", "Plain words on oranges.\n")
    write("c.rst", "Oranges\n=======\n\nDate: 2026-03-05\n")
    write("keps/24-x/README.md", "# X\n\nOn oranges.\n")
    write("keps/24-x/kep.yaml", "kep-number: 24\nstatus: implemented\ncreation-date: 2026-03-05\n")
    write(".decisions/0003-y.md", "# Y\n\n## Date\n\n2026-03-05\n")
    for name in ("d.adoc", "e.adoc", "f.PNG", "LICENSE"):
        write(name, "text")
    summary = await imported(folder)
    assert (summary.filed, summary.refused, len(summary.undated)) == (5, [], 2)
    assert summary.unread == {".adoc": 2, ".png": 1, "no ending": 1}
    result = await desk.ask("KEP-24")
    assert (identifiers(result)[0], result.hits[0].artifact.meta["status"]) == ("KEP-24", "implemented")
    assert "ADR-0003" in identifiers(await desk.ask("ADR-3"))


async def test_numbered_files_of_which_nothing_says_the_kind_are_listed(
    folder: Path, write: Write, imported: Importer
) -> None:
    write("0004-use-a-queue.md", "# 4. Use a queue\n\nWe use one.\n")
    write("0005-adr.md", "# 5. Keep it\n\n## Context\n\nIt is.\n\n## Decision\n\nKeep.\n")
    write("2026-goals.md", "# Goals\n\nMany.\n")
    write("2026-03-10-weekly.md", "# Weekly\n\nWe met.\n")
    write("plain.md", "# Plain\n\nText.\n")
    summary = await imported(folder)
    assert [Path(each).name for each in summary.unnamed_kinds] == ["0004-use-a-queue.md"]
    assert (await imported(folder)).unnamed_kinds == []
