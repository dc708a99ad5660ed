from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np

from app.domain.numbers import ArtifactNumber, ProjectNumber, TenantNumber
from app.stores.postgres.lexical.block_cache import (
    FullBlocks,
    HeldTerm,
    Postings,
    PostingsCache,
    concatenate_postings,
)

TENANT, OTHER_TENANT = TenantNumber(1), TenantNumber(9)
PROJECT, OTHER_PROJECT = ProjectNumber(2), ProjectNumber(3)


def postings(many: int, frequency: int = 1) -> Postings:
    """Return postings of the first so many artifacts."""
    every = np.full(many, frequency, np.uint32)
    return Postings.of(np.arange(1, many + 1), every, every * 100)


def blocks(many: int) -> FullBlocks:
    """Return the full blocks that hold these postings."""
    return FullBlocks(ArtifactNumber(many), postings(many))


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
    at_hand.keep(HeldTerm(TENANT, PROJECT, "queue"), blocks(240))
    assert list(at_hand.of(TENANT, [PROJECT, OTHER_PROJECT], ["queue", "job"])) == [
        HeldTerm(TENANT, PROJECT, "queue")
    ]
    assert (
        at_hand.of(OTHER_TENANT, [PROJECT], ["queue"])
        == at_hand.of(TENANT, [OTHER_PROJECT], ["queue"])
        == at_hand.of(TENANT, [PROJECT], ["job"])
        == {}
    )


def test_what_is_longer_stays_whoever_comes_last() -> None:
    at_hand, queue = PostingsCache(), HeldTerm(TENANT, PROJECT, "queue")
    long, short = blocks(480), blocks(240)
    at_hand.keep(queue, long)
    at_hand.keep(queue, short)
    assert at_hand.of(TENANT, [PROJECT], ["queue"]) == {queue: long}


def test_what_nobody_asked_for_longest_makes_room() -> None:
    at_hand = PostingsCache(most=3 * (postings(240).size + 1_000))
    for term in "abc":
        at_hand.keep(HeldTerm(TENANT, PROJECT, term), blocks(240))
    at_hand.of(TENANT, [PROJECT], ["a"])
    at_hand.keep(HeldTerm(TENANT, PROJECT, "d"), blocks(240))
    assert [held.term for held in at_hand.of(TENANT, [PROJECT], list("abcd"))] == ["a", "c", "d"]
    at_hand.keep(HeldTerm(TENANT, PROJECT, "vast"), blocks(10**6))
    assert at_hand.of(TENANT, [PROJECT], [*"abcd", "vast"]) == {}


def test_threads_keep_it_within_its_bytes() -> None:
    most = 20 * (postings(240).size + 1_000)
    at_hand = PostingsCache(most)

    def work(seed: int) -> None:
        random = Random(seed)
        for _ in range(2_000):
            term = HeldTerm(TENANT, PROJECT, f"word{random.randrange(40)}")
            at_hand.of(TENANT, [PROJECT], [term.term])
            many = random.choice([240, 480, 720])
            at_hand.keep(term, blocks(many))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    left = at_hand.of(TENANT, [PROJECT], [f"word{number}" for number in range(40)])
    assert 0 < sum(full.postings.size + 1_000 for full in left.values()) <= most
    for term in left:
        at_hand.keep(term, blocks(10**6))  # its sizes were counted right if nothing is left
    assert at_hand.of(TENANT, [PROJECT], [f"word{number}" for number in range(40)]) == {}
