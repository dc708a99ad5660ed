"""`trigraph statuses`: the words that documents have, and a word of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from app.cli.statuses import Definition, parse_definition
from app.domain.recall import StateFlag
from tests.cli.processes import Shell


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Blessed=CURRENT", Definition("Blessed", StateFlag.CURRENT)),
        (" under the hammer = wip ", Definition("under the hammer", StateFlag.WIP)),
        ("a=b=HISTORICAL", Definition("a=b", StateFlag.HISTORICAL)),
        ("Blessed=none", Definition("Blessed", None)),
    ],
)
def test_a_definition_is_a_word_and_a_flag(text: str, expected: Definition) -> None:
    assert parse_definition(text) == expected


@pytest.mark.parametrize("text", ["Blessed", "=CURRENT", "Blessed=", "Blessed=GOOD", ""])
def test_what_is_no_definition_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        parse_definition(text)


def test_a_word_is_listed_and_defined(served_home: Shell, tmp_path: Path) -> None:
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr" / "0001-a.md").write_text("# A\n\nDate: 2026-01-10\nStatus: Blessed\n")
    assert served_home.run("ingest", tmp_path, "--project", "words").code == 0
    listed = served_home.run("statuses", "--project", "words")
    assert (listed.code, listed.out.split()) == (0, ["no", "flag", "1", "Blessed"])
    ran = served_home.run(
        "statuses", "set", "blessed=WIP", "Parked for good=HISTORICAL", "--project", "words"
    )
    assert (ran.code, ran.out) == (
        0,
        "Blessed means WIP in words; 1 entity has it\n"
        "parked for good means HISTORICAL in words; 0 entities have it\n",
    )
    found = served_home.run("statuses", "--project", "words", "--json").object["statuses"]
    assert [(each["word"], each["flag"], each["count"]) for each in found] == [
        ("Blessed", "WIP", 1),
        ("parked for good", "HISTORICAL", 0),
    ]
    hits = served_home.run("recall", "ADR-1", "--project", "words", "--json").object["hits"]
    assert hits[0]["stateFlag"] == "WIP"
    assert served_home.run("statuses", "set", "Superseded=WIP", "--project", "words").code == 2
