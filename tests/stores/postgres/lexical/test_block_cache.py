from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np

from app.stores.postgres.lexical.block_cache import (
    FullBlocks,
    HeldTerm,
    Postings,
    PostingsCache,
    concatenate_postings,
)


def postings(many: int, frequency: int = 1) -> Postings:
    """Return postings of the first so many artifacts."""
    every = np.full(many, frequency, np.uint32)
    return Postings.of(np.arange(1, many + 1), every, every * 100)


def test_numbers_take_as_few_bytes_as_they_need_and_stay_what_they_are() -> None:
    for frequency in (1, 255, 256, 70_000, 2**25):
        held = postings(3, frequency)
        assert held.frequencies.tolist() == [frequency] * 3
        assert held.term_counts.tolist() == [frequency * 100] * 3
    assert postings(3).size == 3 * (8 + 1 + 1)
    mixed = concatenate_postings(postings(2), postings(2, 70_000))
    assert mixed.frequencies.tolist() == [1, 1, 70_000, 70_000]


def test_a_tenant_a_project_and_a_term_have_their_own() -> None:
    at_hand = PostingsCache()
    at_hand.keep(HeldTerm(1, 2, "queue"), FullBlocks(240, postings(240)))
    assert list(at_hand.of(1, [2, 3], ["queue", "job"])) == [HeldTerm(1, 2, "queue")]
    assert at_hand.of(9, [2], ["queue"]) == at_hand.of(1, [9], ["queue"]) == at_hand.of(1, [2], ["job"]) == {}


def test_what_is_longer_stays_whoever_comes_last() -> None:
    at_hand, queue = PostingsCache(), HeldTerm(1, 1, "queue")
    long, short = FullBlocks(480, postings(480)), FullBlocks(240, postings(240))
    at_hand.keep(queue, long)
    at_hand.keep(queue, short)
    assert at_hand.of(1, [1], ["queue"]) == {queue: long}


def test_what_nobody_asked_for_longest_makes_room() -> None:
    at_hand = PostingsCache(most=3 * (postings(240).size + 1_000))
    for term in "abc":
        at_hand.keep(HeldTerm(1, 1, term), FullBlocks(240, postings(240)))
    at_hand.of(1, [1], ["a"])
    at_hand.keep(HeldTerm(1, 1, "d"), FullBlocks(240, postings(240)))
    assert [held.term for held in at_hand.of(1, [1], list("abcd"))] == ["a", "c", "d"]
    at_hand.keep(HeldTerm(1, 1, "vast"), FullBlocks(10**6, postings(10**6)))
    assert at_hand.of(1, [1], [*"abcd", "vast"]) == {}


def test_threads_keep_it_within_its_bytes() -> None:
    most = 20 * (postings(240).size + 1_000)
    at_hand = PostingsCache(most)

    def work(seed: int) -> None:
        random = Random(seed)
        for _ in range(2_000):
            term = HeldTerm(1, 1, f"word{random.randrange(40)}")
            at_hand.of(1, [1], [term.term])
            many = random.choice([240, 480, 720])
            at_hand.keep(term, FullBlocks(many, postings(many)))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    left = at_hand.of(1, [1], [f"word{number}" for number in range(40)])
    assert 0 < sum(full.postings.size + 1_000 for full in left.values()) <= most
    for term in left:
        at_hand.keep(
            term, FullBlocks(10**6, postings(10**6))
        )  # its sizes were counted right if nothing is left
    assert at_hand.of(1, [1], [f"word{number}" for number in range(40)]) == {}
