from __future__ import annotations

import numpy as np

from app.embedding.embedder import MAX_KEY_LENGTH, QueryCache

VECTOR = np.zeros(384, np.float32)


def test_it_never_holds_more_than_its_capacity() -> None:
    cache = QueryCache(capacity=100)
    for number in range(10_000):
        cache.put(f"query {number}", VECTOR)
        assert len(cache) <= 100
    assert len(cache) == 100


def test_the_one_asked_longest_ago_is_forgotten_first() -> None:
    cache = QueryCache(capacity=2)
    cache.put("one", VECTOR)
    cache.put("two", VECTOR)
    assert cache.get("one") is VECTOR
    cache.put("three", VECTOR)
    assert cache.get("two") is None
    assert cache.get("one") is VECTOR


def test_a_text_far_longer_than_a_question_is_not_kept() -> None:
    cache = QueryCache()
    cache.put("x" * (MAX_KEY_LENGTH + 1), VECTOR)
    assert len(cache) == 0
