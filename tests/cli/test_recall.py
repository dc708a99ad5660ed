from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.processes import Shell


def test_recall_answers_one_object_with_the_names_of_the_schema(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "how do workers get messages", "--project", "team", "--json")
    assert (ran.code, ran.err) == (0, "")
    result = ran.object
    assert set(result) == {
        "id", "hits", "anchors", "legs", "asOf", "knownAt", "tokensUsed", "confidence", "advisories",
    }  # fmt: skip
    assert [hit["artifact"]["identifier"] for hit in result["hits"]] == ["ADR-0002", "ADR-0001"]
    assert [hit["rank"] for hit in result["hits"]] == [1, 2]
    old = result["hits"][1]
    assert set(old) == {
        "artifact", "entity", "passage", "content", "score", "rank", "stateFlag", "stateSummary",
        "flagGround", "state", "supersededBy", "explanation",
    }  # fmt: skip
    assert (old["stateFlag"], old["flagGround"]) == ("HISTORICAL", "OWN_STATE")
    assert old["stateSummary"].startswith("[historical: ADR-0001 is superseded by ADR-0002")
    assert old["supersededBy"]["label"] == "Push messages"
    assert old["entity"]["project"]["key"] == "team"
    assert old["content"] == old["passage"]["text"]
    assert {leg["leg"] for leg in result["legs"]} == {"DENSE", "LEXICAL", "GRAPH", "RECENCY"}
    assert all(set(share) == {"leg", "rank", "score", "contribution"} for share in old["explanation"])


def test_a_day_in_the_past_is_its_start_in_utc(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    asked = ("recall", "how do workers get messages", "--project", "team")
    ran = served_home.run(*asked, "--as-of", "2026-03-01", "--json")
    assert ran.object["asOf"] == "2026-03-01T00:00:00Z"
    assert [hit["artifact"]["identifier"] for hit in ran.object["hits"]] == ["ADR-0002", "ADR-0001"]
    earlier = served_home.run(*asked, "--as-of", "2026-02-28T23:59:59+00:00", "--explain")
    assert earlier.code == 0
    assert "ADR-0001  Poll for messages  2026-01-01  current" in earlier.out
    assert "as of     2026-02-28T23:59:59Z" in earlier.out
    assert "current because of its own state; dense rank" in earlier.out
    assert "ADR-0002  Push messages" not in earlier.out
    assert "lexical rank 1" in earlier.out


def test_a_hit_says_what_brought_it_here(served_home: Shell, folder: Path) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "ADR-1", "--project", "team", "--explain")
    assert "anchor    ADR-1: ADR-0001 Poll for messages\n" in ran.out
    named, replacing = re.split(r"^ \d  ", ran.out, flags=re.MULTILINE)[1:]
    assert replacing.startswith("ADR-0002  Push messages  2026-03-01  current\n")
    assert "; exact match; " not in replacing
    assert named.startswith("ADR-0001  Poll for messages  2026-01-01  historical\n")
    assert "; exact match; historical because of its own state; " in named
    brief = served_home.run("recall", "ADR-1", "--project", "team").out
    assert brief.count("    exact match; ranks: ") == 1
    assert "## " not in brief


@pytest.mark.parametrize(
    ("asked", "output"),
    [
        (("--first", "0"), "--first 0 asks for no hits\n"),
        (("--as-of", "1990-01-01"), "nothing matched as of 1990-01-01T00:00:00Z\n"),
        (("--known-at", "1990-01-01"), "nothing that was recorded by 1990-01-01T00:00:00Z matched\n"),
        (("--token-budget", "0"), "every match is larger than --token-budget; raise it\n"),
        (("--flag", "WIP"), "no match is wip; leave out --flag to see the matches\n"),
        (
            ("--flag", "current", "--token-budget", "0"),
            "no match is current, or it is larger than --token-budget; leave out --flag to see the matches\n",
        ),
        (
            ("--flag", "wip", "--flag", "historical", "--as-of", "2026-02-01"),
            "no match is wip or historical; leave out --flag to see the matches\n",
        ),
        (
            ("--kind", "Retro"),
            "no document of this type or domain matched; use other words, or leave out --kind and --domain\n",
        ),
    ],
)
def test_a_result_without_hits_says_why(
    served_home: Shell, folder: Path, asked: tuple[str, ...], output: str
) -> None:
    served_home.run("ingest", folder, "--project", "team")
    ran = served_home.run("recall", "messages", "--project", "team", *asked)
    assert (ran.code, ran.out, ran.err) == (0, output, "")


def test_only_hits_of_a_flag_or_a_domain_are_answered(
    served_home: Shell, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "ADR-7.md").write_text("---\ndomain: runtime\n---\n# Messages wait in memory\n")
    served_home.run("ingest", folder, tmp_path, "--project", "narrowed")

    def found(*narrowed: str) -> list[str]:
        ran = served_home.run("recall", "messages", "--project", "narrowed", "--json", *narrowed)
        return [hit["artifact"]["identifier"] for hit in ran.object["hits"]]

    assert found("--flag", "historical") == ["ADR-0001"]
    assert set(found("--flag", "CURRENT", "--flag", "HISTORICAL")) == {"ADR-0001", "ADR-0002", "ADR-7"}
    assert found("--domain", "runtime") == ["ADR-7"]
    assert found("--domain", "DECISION") == []
    wrong = served_home.run("recall", "messages", "--flag", "OLD")
    assert (wrong.code, wrong.out) == (2, "")
    assert "'OLD' is not one of 'current', 'historical', 'wip'" in wrong.err
