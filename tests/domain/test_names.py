"""How names and identifiers are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.identifier import bare_key, identifier_key, namespace
from app.domain.text import MAX_KEY_BYTES, fold, may_be_a_word, name_key, short_key
from app.services.aliases.mentions import forms_used


@pytest.mark.parametrize(
    "spelling", ["ADR-7", "adr-0007", "ADR-07", "ADR 7", "ADR7", "adr_7", "Adr#007", " ＡＤＲ－７ "]
)
def test_every_spelling_of_an_identifier_has_one_key(spelling: str) -> None:
    """ALI-09."""
    assert identifier_key(spelling) == "adr-7"


@pytest.mark.parametrize(
    "other", ["ADR-70", "ADR-1007", "ADR-7a", "ADR-7.1", "XADR-7", "ADR-77", "ADR", "7", "forms/ADR-7"]
)
def test_another_identifier_has_another_key(other: str) -> None:
    assert identifier_key(other) != "adr-7"


@pytest.mark.parametrize(
    ("identifier", "key", "before", "bare"),
    [
        ("forms/ADR-0002", "forms/adr-2", "forms/", "adr-2"),
        ("a/b/SPEC 3", "a/b/spec-3", "a/b/", "spec-3"),
        ("how-we-deploy", "how-we-deploy", "", "how-we-deploy"),
        ("ADR-0", "adr-0", "", "adr-0"),
        ("ADR-000", "adr-0", "", "adr-0"),
    ],
)
def test_a_namespace_stays_before_the_key(identifier: str, key: str, before: str, bare: str) -> None:
    assert identifier_key(identifier) == key
    assert (namespace(key), bare_key(key)) == (before, bare)


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(text: str) -> None:
    key = identifier_key(text)
    assert identifier_key(key) == key
    assert namespace(key) + bare_key(key) == key


@given(st.text(max_size=40))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=40))
def test_case_and_white_space_make_no_difference(text: str) -> None:
    assert fold(f"  {text}\t") == fold(text)
    assert fold(text.casefold()) == fold(text)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("STRASSE", "Straße", True),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", True),
        ("ﬁle", "FILE", True),
        ("Prism\u00a0 GR", "prism gr", True),
        ("é", "e\u0301", True),
        ("İzmir", "izmir", False),
        ("Prism", "Prísm", False),
    ],
)
def test_which_names_are_the_same(one: str, other: str, alike: bool) -> None:
    """ALI-07."""
    assert (fold(one) == fold(other)) is alike


@pytest.mark.parametrize("letter", ["a", "é", "一", "\U00020000"])
def test_a_key_that_no_index_holds_is_cut_short_and_stays_one_of_its_kind(letter: str) -> None:
    """BYT-07."""
    whole = letter * (MAX_KEY_BYTES // len(letter.encode()))
    assert short_key(whole) == whole
    longer = [short_key(whole + end) for end in ("a", "b", "a" * 100_000)]
    assert len({whole, *longer}) == 4
    assert all(len(key.encode()) <= MAX_KEY_BYTES for key in longer)
    assert identifier_key(whole + "a") == name_key(whole + "A") == longer[0]


@pytest.mark.parametrize("form", ["Harbor", "harbor", "IT", "Go", "港", "Straße", "a"])
def test_letters_of_one_case_may_be_an_ordinary_word(form: str) -> None:
    """ALI-04."""
    assert may_be_a_word(form)


@pytest.mark.parametrize("form", ["PrismGR", "iPhone", "C++", "two words", "ADR-7", "gRPC", "k8s"])
def test_a_mixed_or_signed_form_is_no_ordinary_word(form: str) -> None:
    """ALI-10."""
    assert not may_be_a_word(form)


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\ufeff", "\u2060", "\u200e", "\u202e", "\u2066"])
def test_what_nobody_sees_makes_no_other_name(unseen: str) -> None:
    hidden = f"{unseen}Har{unseen}bor Gate{unseen}"
    assert fold(hidden) == name_key(hidden) == "harbor gate"
    assert identifier_key(f"ADR{unseen}-7") == "adr-7"
    assert may_be_a_word(f"Har{unseen}bor")
    assert [used.is_meant for used in forms_used(f"The {hidden} opens.", [("Harbor", "harbor")])] == [True]


def test_joiners_tell_pictures_and_words_apart() -> None:
    assert fold("\U0001f469\u200d\U0001f4bb") != fold("\U0001f469\U0001f4bb")
