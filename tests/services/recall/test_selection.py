from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.recall import FusedCandidate
from app.services.recall.selection import heads_beside, winners_within, with_inherited_scores


def test_a_replacement_moves_up_to_just_above_what_it_replaced() -> None:
    assert heads_beside([1, 2, 3], {2: 3}) == [1, 3, 2]


def test_of_a_chain_the_head_moves_up_and_the_steps_stay_where_they_are() -> None:
    chain = {1: 2, 2: 3, 3: 4, 4: 5, 5: 6}
    assert heads_beside([1, 7, 8, 3], chain) == [6, 1, 7, 8, 3]
    assert heads_beside([7, 1, 2, 3, 4, 5, 6], chain) == [7, 6, 1, 2, 3, 4, 5]


def test_what_is_named_by_its_identifier_stands_above_its_head() -> None:
    assert heads_beside([1, 7, 2], {1: 2, 2: 3}, identified=[1]) == [1, 3, 7, 2]
    assert heads_beside([7, 1], {1: 3, 7: 3}, identified=[1]) == [3, 7, 1]


def test_a_head_nobody_proposed_has_the_best_score_of_what_it_replaced() -> None:
    candidates = [FusedCandidate(artifact, 0.0, ()) for artifact in (9, 1)]
    scored = with_inherited_scores(candidates, {1: 0.5, 2: 0.25}, {1: 9, 2: 9})
    assert [candidate.score for candidate in scored] == [0.5, 0.0]


def test_a_circle_of_replacements_ends() -> None:
    assert sorted(heads_beside([1, 2], {1: 2, 2: 1})) == [1, 2]


def test_room_is_made_by_the_last_ordinary_candidate() -> None:
    placed = heads_beside([1, 2, 3, 4], {2: 9})
    assert winners_within(placed, {2: 9}, [2, 4], 4) == [1, 9, 2, 4, 3]


def test_without_ordinary_candidates_nothing_makes_room() -> None:
    assert winners_within([1, 2, 3], {}, [1, 2, 3], 2) == [1, 2, 3]


def test_the_first_is_never_pushed_out() -> None:
    assert winners_within([1, 2, 3], {}, [3], 1) == [1, 2, 3]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    artifacts=st.lists(st.integers(0, 12), unique=True, min_size=1, max_size=10),
    replacement=st.dictionaries(st.integers(0, 12), st.integers(0, 12), max_size=8),
    winners=st.sets(st.integers(0, 12), max_size=3),
    size=st.integers(1, 10),
)
def test_nothing_is_lost_and_nothing_stands_above_the_head_of_its_chain(
    artifacts: list[int], replacement: dict[int, int], winners: set[int], size: int
) -> None:
    forward = {old: new for old, new in replacement.items() if new > old}  # no circles, as the ledger's
    placed = heads_beside(artifacts, forward)
    assert set(artifacts) <= set(placed)
    ordered = winners_within(placed, forward, winners, size)
    assert sorted(ordered) == sorted(placed)
    for order in (placed, ordered):
        for place, artifact in enumerate(order):
            head = artifact
            while head in forward:
                head = forward[head]
            assert head in order[: place + 1]
