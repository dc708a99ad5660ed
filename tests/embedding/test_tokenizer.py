from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embedding.onnx import VOCABULARY
from app.embedding.tokenizer import STRETCH, piece_offsets, replace_surrogates, stretches, uncased_word_pieces

TOKENIZER = uncased_word_pieces(VOCABULARY.read_text("utf-8"))


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in piece_offsets(TOKENIZER, text)]


def test_the_vocabulary_is_whole() -> None:
    assert TOKENIZER.get_vocab_size() == 30522
    assert (TOKENIZER.token_to_id("[CLS]"), TOKENIZER.token_to_id("[SEP]")) == (101, 102)


def test_offsets_are_characters_of_the_text_as_given() -> None:
    assert words("Héllo, ADR-7 中文 🎉 embeddings") == [
        "Héllo", ",", "AD", "R", "-", "7", "中", "文", "🎉", "em", "bed", "ding", "s",
    ]  # fmt: skip


def test_a_lone_surrogate_neither_fails_nor_moves_the_offsets() -> None:
    assert words("one \ud800 two") == ["one", "two"]
    assert len(replace_surrogates("a\udc00b")) == 3


def test_a_word_too_long_for_the_vocabulary_is_one_piece_that_is_not_known() -> None:
    assert words("a" * 101 + " b") == ["a" * 101, "b"]


@pytest.mark.parametrize("unbroken", ["a", "中", "!", "ก", "a\u0301"])
def test_megabytes_without_white_space_are_cut_into_stretches(unbroken: str) -> None:
    text = unbroken * (1_000_000 // len(unbroken))
    offsets = piece_offsets(TOKENIZER, text)
    assert offsets[0][0] == 0
    assert max(end - start for start, end in offsets) <= STRETCH


def test_stretches_end_after_white_space() -> None:
    text = "some words " * 4000
    cut = list(stretches(text))
    assert len(cut) > 4
    assert all(stretch.endswith(" ") for _, stretch in cut[:-1])


@given(
    st.lists(
        st.sampled_from(["word ", "embeddings\n", "Żółć\t", "中文", "e\u0301", "🎉", "a" * 50]), max_size=3000
    )
)
def test_stretches_put_together_are_the_text(parts: list[str]) -> None:
    text = "".join(parts)
    cut = list(stretches(text))
    assert "".join(stretch for _, stretch in cut) == text
    assert all(text.startswith(stretch, start) and len(stretch) <= STRETCH for start, stretch in cut)


def test_pieces_of_a_long_text_are_those_of_its_tokens_read_at_once() -> None:
    text = "The quick (brown) fox: Schifffahrtsgesellschaft naïve\u0301 中文 ADR-0042.\n" * 500
    assert piece_offsets(TOKENIZER, text) == TOKENIZER.encode(text).offsets
