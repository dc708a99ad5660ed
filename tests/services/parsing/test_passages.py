from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.artifact import Passage
from app.domain.text import safe_cut
from app.services.parsing import cut_passages, passage_text_for_encoder
from tests.services.parsing.word_pieces import piece_offsets

LONGEST = 254
TITLE = "A document of some length"
ENOUGH = (
    "enough words that a passage of its own is worth it, which takes about a hundred characters, as here."
)


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)


def pieces(passage: Passage) -> int:
    return len(piece_offsets(passage_text_for_encoder(TITLE, passage)))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("This is one sentence of many. " * 300, id="sentences"),
        pytest.param("word " * 2_000, id="words"),
        pytest.param("\n\n".join(f"Paragraph {n}." for n in range(300)), id="paragraphs"),
        pytest.param("漢字" * 1_000, id="cjk"),
        pytest.param("한국어 " * 800, id="hangul"),
        pytest.param("a9" * 10_000, id="one_word"),
        pytest.param("." * 3_000, id="marks"),
        pytest.param("👨‍👩‍👧‍👦" * 800, id="families"),
        pytest.param("- item\n  - nested\n\n" * 300, id="lists"),
        pytest.param("```\n" + "code line\n" * 600 + "```\n", id="code"),
        pytest.param("|a|b|\n|-|-|\n" + "|one|two|\n" * 300, id="table"),
        pytest.param("[a]: b\n<!-- note -->\n\ntext\n", id="unseen"),
        pytest.param("> " * 100 + "deep\n", id="quotes"),
    ],
)
def test_every_character_is_in_a_passage_the_encoder_reads_whole(body: str) -> None:
    passages = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert without_space("".join(passage.text for passage in passages)) == without_space(body)
    assert max(map(pieces, passages)) <= LONGEST
    assert all(passage.tokens == len(piece_offsets(passage.text)) for passage in passages)
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))


@given(st.text(alphabet=st.sampled_from("ab #>`-*[]()!.\n\n|é漢👍\u0301\u200d"), max_size=400))
def test_whatever_the_body_nothing_but_headings_leaves_the_text(body: str) -> None:
    passages = cut_passages(TITLE, body, piece_offsets, 128)
    seen = "".join(f"{passage.heading or ''}{passage.text}" for passage in passages)
    assert set(re.findall(r"[^\W_]", body)) <= set(seen) | set(" ")
    assert all(passage.text.strip() for passage in passages)
    assert max(map(pieces, passages)) <= 128


def test_passages_carry_the_path_of_their_headings() -> None:
    start, one, two, three, four = (f"{word} {ENOUGH}" for word in ("start", "one", "two", "three", "four"))
    body = f"{start}\n\n# A\n\n{one}\n\n## B\n\n{two}\n\n### C\n\n{three}\n\n# D\n\n{four}\n"
    passages = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert [(passage.heading, passage.text) for passage in passages] == [
        (None, start),
        ("A", one),
        ("A > B", two),
        ("A > B > C", three),
        ("D", four),
    ]


def test_the_underline_of_a_heading_is_no_text() -> None:
    body = f"Scheme\n======\n\none {ENOUGH}\n\nOrder\n-----\n\ntwo {ENOUGH}\n"
    passages = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert [(passage.heading, passage.text) for passage in passages] == [
        ("Scheme", f"one {ENOUGH}"),
        ("Scheme > Order", f"two {ENOUGH}"),
    ]


def test_an_underlined_heading_of_a_few_words_is_joined_whole() -> None:
    passages = cut_passages(
        TITLE, f"Short\n=====\n\nAbc.\n\nOrder\n=====\n\ntwo {ENOUGH}\n", piece_offsets, LONGEST
    )
    assert [passage.text for passage in passages] == [f"Short\n=====\n\nAbc.\n\nOrder\n=====\n\ntwo {ENOUGH}"]


def test_small_paragraphs_of_one_section_are_joined() -> None:
    (passage,) = cut_passages(TITLE, "# A\n\none\n\ntwo\n\n- three\n", piece_offsets, LONGEST)
    assert passage.text == "one\n\ntwo\n\n- three"


def test_long_paragraphs_end_at_sentences() -> None:
    passages = cut_passages(TITLE, "This is one sentence of many. " * 100, piece_offsets, LONGEST)
    assert all(passage.text.endswith("many.") for passage in passages)


def test_headings_without_words_are_read_with_the_part_before_them() -> None:
    body = f"# A\n{ENOUGH}\n## Empty\n# B\n{ENOUGH}\n"
    passages = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert [(passage.heading, passage.text) for passage in passages] == [
        ("A", f"{ENOUGH}\n## Empty"),
        ("B", ENOUGH),
    ]


def test_sections_of_a_few_words_are_read_with_what_follows() -> None:
    """A status and a date alone say too little to be found or shown."""
    body = f"# T\n## Status\nAccepted\n## Date\n2026-01-05\n## Context\n{ENOUGH}\n## See also\nADR-2\n"
    (passage,) = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert passage.heading == "T > Context"
    assert passage.text == body.removesuffix("\n")
    changes = "".join(f"## 1.{number}\nfix {number}\n" for number in range(40))
    passages = cut_passages(TITLE, f"# Changes\n{changes}", piece_offsets, LONGEST)
    assert len(passages) < 10
    assert {passage.heading for passage in passages} == {"Changes"}
    assert "".join(passage.text for passage in passages).count("fix") == 40


def test_a_heading_too_long_for_a_path_is_text_too() -> None:
    long = "word " * 500
    passages = cut_passages(TITLE, f"# {long}\nx\n", piece_offsets, LONGEST)
    assert "".join(passage.text for passage in passages).count("word") == 500
    assert max(map(pieces, passages)) <= LONGEST


@pytest.mark.parametrize("body", ["", " \n\n\t\n"])
def test_an_empty_body_yields_its_title(body: str) -> None:
    passages = cut_passages(TITLE, body, piece_offsets, LONGEST)
    assert passages == (Passage(0, None, TITLE, len(piece_offsets(TITLE))),)
    assert passage_text_for_encoder(TITLE, passages[0]) == TITLE


def test_headings_alone_are_a_passage_when_there_is_nothing_else() -> None:
    (passage,) = cut_passages(TITLE, "# A\n## B\n", piece_offsets, LONGEST)
    assert passage.text == "# A\n## B"


def test_the_encoder_reads_title_and_nearest_headings_before_the_text() -> None:
    passage = Passage(0, "1. A document of some length > Why > How", "text", 1)
    assert passage_text_for_encoder(TITLE, passage) == f"{TITLE}\nWhy > How\ntext"


def test_a_long_title_leaves_room_for_the_text() -> None:
    text = passage_text_for_encoder("title " * 1_000, Passage(0, "heading " * 1_000, "text", 1))
    assert len(piece_offsets(text)) <= LONGEST // 4
    assert text.endswith("\ntext")


def test_a_limit_too_small_for_passages_is_refused() -> None:
    with pytest.raises(ValueError, match="128"):
        cut_passages(TITLE, "text", piece_offsets, 64)


@pytest.mark.parametrize(
    ("text", "place", "cut"),
    [
        ("abc", 2, 2),
        ("ae\u0301b", 2, 1),
        ("a👨‍👩b", 3, 1),
        ("a👍🏽b", 2, 1),
        ("🇩🇪🇫🇷", 3, 2),
        ("🇩🇪🇫🇷", 2, 2),
        ("\u1112\u1161\u11ab", 2, 0),
        ("abc", 3, 3),
    ],
)
def test_no_cut_tears_what_is_read_as_one(text: str, place: int, cut: int) -> None:
    assert safe_cut(text, place) == cut
