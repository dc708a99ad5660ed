from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.recall import FusedCandidate
from app.services.recall.selection import replacements_first, truncate


def _candidates(*artifacts: int) -> list[FusedCandidate]:
    return [FusedCandidate(artifact, 1 / place, ()) for place, artifact in enumerate(artifacts, start=1)]


def _artifacts(candidates: list[FusedCandidate]) -> list[int]:
    return [candidate.artifact for candidate in candidates]


def test_a_replacement_moves_up_to_just_above_what_it_replaced() -> None:
    assert _artifacts(replacements_first(_candidates(1, 2, 3), {2: 3})) == [1, 3, 2]


def test_a_chain_stands_in_the_order_of_replacement() -> None:
    assert _artifacts(replacements_first(_candidates(1, 2, 3), {1: 2, 2: 3})) == [3, 2, 1]


def test_a_replacement_nobody_proposed_joins_with_the_score_of_what_it_replaced() -> None:
    placed = replacements_first(_candidates(1, 2), {2: 9})
    assert _artifacts(placed) == [1, 9, 2]
    assert placed[1] == FusedCandidate(9, 1 / 2, ())


def test_a_circle_of_replacements_ends() -> None:
    assert sorted(_artifacts(replacements_first(_candidates(1, 2), {1: 2, 2: 1}))) == [1, 2]


def test_room_is_made_by_the_last_ordinary_candidate() -> None:
    placed = replacements_first(_candidates(1, 2, 3, 4), {2: 9})
    assert _artifacts(truncate(placed, {2: 9}, [2, 4], first=4)) == [1, 9, 2, 4]


def test_without_ordinary_candidates_the_last_makes_room() -> None:
    placed = replacements_first(_candidates(1), {1: 9})
    assert _artifacts(truncate(placed, {1: 9}, [1], first=1)) == [9]


def test_the_first_is_never_pushed_out() -> None:
    placed = replacements_first(_candidates(1, 2), {2: 9})
    assert _artifacts(truncate(placed, {2: 9}, [2], first=2)) == [1, 9]


@given(
    artifacts=st.lists(st.integers(0, 12), unique=True, max_size=10),
    replacement=st.dictionaries(st.integers(0, 12), st.integers(0, 12), max_size=8),
    winners=st.sets(st.integers(0, 12), max_size=3),
    first=st.integers(0, 10),
)
def test_what_is_kept_never_stands_above_its_replacement(
    artifacts: list[int], replacement: dict[int, int], winners: set[int], first: int
) -> None:
    forward = {old: new for old, new in replacement.items() if new > old}  # no circles, as the ledger's
    placed = replacements_first(_candidates(*artifacts), forward)
    assert set(artifacts) <= set(_artifacts(placed))
    kept = _artifacts(truncate(placed, forward, winners, first))
    assert len(kept) == min(first, len(placed))
    for place, artifact in enumerate(kept):
        if artifact in forward:
            assert forward[artifact] in kept[:place]
