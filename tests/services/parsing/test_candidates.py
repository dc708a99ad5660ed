from __future__ import annotations

import pytest

from app.services.parsing import parse_markdown


@pytest.mark.parametrize(
    ("text", "form", "subject"),
    [
        ("Prism, formerly known as PrismGR, is ours.", "PrismGR", "Prism"),
        ("The PrismGR (now Prism) stays.", "PrismGR", "Prism"),
        ("It was renamed from prismgr to prism.", "prismgr", "prism"),
        ('It was renamed from "Old Queue" to "New Queue".', "Old Queue", "New Queue"),
    ],
)
def test_likely_aliases_carry_their_sentence_and_its_place(text: str, form: str, subject: str) -> None:
    document = parse_markdown(f"# T\n\nBefore. It is so.\n\n- Some words.\n  {text} After.\n")
    (claim,) = document.alias_claims
    assert (claim.form, claim.subject) == (form, subject)
    assert claim.quote.text == text
    assert document.body[claim.quote.start :].startswith(text)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("The status is now Accepted, we think.", "status", "Accepted"),
        ("Its status changed from Draft to Final.", "status", "Final"),
        ("The version was changed to 1.2.", "version", "1.2"),
    ],
)
def test_likely_facts_carry_their_sentence_and_its_place(text: str, name: str, value: str) -> None:
    document = parse_markdown(f"One.\n\n{text}\n")
    (claim,) = document.fact_claims
    assert (claim.property, claim.value) == (name, value)
    assert document.body[claim.quote.start :].startswith(claim.quote.text)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Lighthouse status is now degraded.", "Lighthouse"),
        ("Since May the Old Lighthouse's status is now degraded.", "Old Lighthouse"),
        ("The status of Lighthouse is now degraded.", "Lighthouse"),
        ("The status of the Old Lighthouse is now degraded.", "Old Lighthouse"),
        ('The "old light" status changed to degraded.', "old light"),
        ("The status of ADR-7 is now degraded.", "ADR-7"),
        ("checkout status is now degraded.", "checkout"),
        ("status is now degraded.", None),
    ],
)
def test_a_likely_fact_tells_what_it_is_said_of(text: str, subject: str | None) -> None:
    (claim,) = parse_markdown(f"# T\n\n{text}\n").fact_claims
    assert (claim.subject, claim.value) == (subject, "degraded")


@pytest.mark.parametrize(
    "text",
    ["`Prism (now Lens)`", "> Prism (now Lens)", "```\nPrism (now Lens)\n```", "This (now gone) is it."],
)
def test_code_quotes_and_plain_words_suggest_nothing(text: str) -> None:
    assert parse_markdown(text).alias_claims == ()


def test_a_document_suggests_only_so_much() -> None:
    assert len(parse_markdown("Prism (now Lens). " * 1_000).alias_claims) == 200
