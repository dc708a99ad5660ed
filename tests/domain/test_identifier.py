from __future__ import annotations

import pytest

from app.domain.identifier import bare_key, folder_namespace, identifier_key, is_numbered, may_mean, namespace


@pytest.mark.parametrize(
    "spelling", ["ADR-7", "adr-0007", "ADR-07", "ADR 7", "adr7", "ADR_7", "ADR#7", "ＡＤＲ－7"]
)
def test_ali_09_every_spelling_of_an_identifier_has_one_key(spelling: str) -> None:
    assert identifier_key(spelling) == "adr-7"


@pytest.mark.parametrize("other", ["ADR-70", "ADR-1007", "ADR-7a", "ADR-7.1", "XADR-7"])
def test_ali_09_other_identifiers_have_other_keys(other: str) -> None:
    assert identifier_key(other) != "adr-7"


def test_a_namespace_is_kept() -> None:
    key = identifier_key("Forms/ADR-002")
    assert (key, namespace(key), bare_key(key)) == ("forms/adr-2", "forms/", "adr-2")


def test_what_is_no_word_and_number_keeps_its_folded_spelling() -> None:
    assert identifier_key("  Method.Completion ") == "method.completion"
    assert identifier_key("0007") == "0007"


def test_only_a_word_and_a_number_is_numbered() -> None:
    assert is_numbered("adr-7")
    assert not is_numbered("plans/south")
    assert not is_numbered("0007")


@pytest.mark.parametrize(
    ("written", "own_key", "candidate", "answer"),
    [
        ("forms/adr-3", "x/adr-1", "forms/adr-3", True),
        ("forms/adr-3", "x/adr-1", "other/adr-3", False),
        ("adr-3", "forms/adr-1", "forms/adr-3", True),
        ("adr-3", "forms/adr-1", "adr-3", True),
        ("adr-3", "forms/adr-1", "other/adr-3", False),
        ("adr-3", "adr-1", "forms/adr-3", False),
        ("south", "plans/north", "ideas/south", True),
        ("adr-3", "adr-1", "adr-4", False),
    ],
)
def test_a_number_means_nothing_in_the_namespace_of_somebody_else(
    written: str, own_key: str, candidate: str, answer: bool
) -> None:
    assert may_mean(written, own_key, candidate) is answer


def test_a_number_means_the_one_in_the_same_folder() -> None:
    assert folder_namespace("Forms/ADR-1.md") == "forms/"
    assert folder_namespace("ADR-1.md") == folder_namespace(None) == ""
    assert may_mean("adr-3", "adr-1", "forms/adr-3", "forms/")
