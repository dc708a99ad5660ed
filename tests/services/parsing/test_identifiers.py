from __future__ import annotations

import pytest

from app.services.parsing import find_identifiers

PREFIXES = frozenset({"ADR", "SPEC", "PLAN", "PEP"})


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ADR-0007, adr 7 and ADR7", ["adr-7", "adr-7", "adr-7"]),
        ("PEP 484 and pep-0484", ["pep-484", "pep-484"]),
        ("ADR\u20117 with its own hyphen", ["adr-7"]),
        ("forms/ADR-002", ["forms/adr-2"]),
        ("ADR-7/ADR-8", ["adr-7", "adr-8"]),
        ("__ADR-7__", ["adr-7"]),
        ("ADR-7は重要", ["adr-7"]),
        ("Plan 9 and plan-9 and PLAN 9", ["plan-9", "plan-9"]),
        ("ADR-70 and ADR-1007", ["adr-70", "adr-1007"]),
        ("CVE-2024-1234 RFC-2119 UTF-8 SHA-256 ISO-8601 GPT-4", []),
        ("ADR-XXXX ADR-NNNN ADR-0000", []),
        ("ÄADR-7 MY-ADR-7 FOO_ADR-7 $ADR_7", []),
        ("SPEC-1.2 SPEC-20-21 ADR-7x", []),
        ("#123", []),
        ("", []),
    ],
)
def test_only_whole_identifiers_with_accepted_prefixes_are_found(text: str, keys: list[str]) -> None:
    assert [mention.key for mention in find_identifiers(text, PREFIXES)] == keys


def test_a_mention_is_a_slice_of_the_text() -> None:
    text = "Über ADR-7 und forms/ADR-002."
    assert all(text[found.start : found.end] == found.text for found in find_identifiers(text, PREFIXES))


def test_numbers_and_standards_count_where_they_are_accepted() -> None:
    accepted = frozenset({"#", "CVE", "RFC"})
    assert [found.text for found in find_identifiers("#123 x#4 RFC 2119", accepted)] == ["#123", "RFC 2119"]


def test_nothing_is_found_without_prefixes() -> None:
    assert find_identifiers("ADR-7 #1", frozenset()) == []
