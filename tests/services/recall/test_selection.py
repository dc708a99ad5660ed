from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.domain.numbers import ArtifactNumber
from app.domain.recall import FusedCandidate
from app.services.recall.selection import heads_beside, winners_within, with_inherited_scores

A, B, C, D, E, F, G, H, Z = map(ArtifactNumber, range(1, 10))


def test_a_replacement_moves_up_to_just_above_what_it_replaced() -> None:
    assert heads_beside([A, B, C], {B: C}) == [A, C, B]


def test_of_a_chain_the_head_moves_up_and_the_steps_stay_where_they_are() -> None:
    chain = {A: B, B: C, C: D, D: E, E: F}
    assert heads_beside([A, G, H, C], chain) == [F, A, G, H, C]
    assert heads_beside([G, A, B, C, D, E, F], chain) == [G, F, A, B, C, D, E]


def test_what_is_named_by_its_identifier_stands_above_its_head() -> None:
    assert heads_beside([A, G, B], {A: B, B: C}, identified=[A]) == [A, C, G, B]
    assert heads_beside([G, A], {A: C, G: C}, identified=[A]) == [C, G, A]


def test_a_head_nobody_proposed_has_the_best_score_of_what_it_replaced() -> None:
    candidates = [FusedCandidate(artifact, 0.0, ()) for artifact in (Z, A)]
    scored = with_inherited_scores(candidates, {A: 0.5, B: 0.25}, {A: Z, B: Z})
    assert [candidate.score for candidate in scored] == [0.5, 0.0]


def test_a_circle_of_replacements_ends() -> None:
    assert sorted(heads_beside([A, B], {A: B, B: A})) == [A, B]


def test_room_is_made_by_the_last_ordinary_candidate() -> None:
    placed = heads_beside([A, B, C, D], {B: Z})
    assert winners_within(placed, {B: Z}, [B, D], 4) == [A, Z, B, D, C]


def test_without_ordinary_candidates_nothing_makes_room() -> None:
    assert winners_within([A, B, C], {}, [A, B, C], 2) == [A, B, C]


def test_the_first_is_never_pushed_out() -> None:
    assert winners_within([A, B, C], {}, [C], 1) == [A, B, C]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@example(artifacts=[0, 1, 4, 5, 6, 2, 3], replacement={3: 7}, winners={3}, size=7)
@given(
    artifacts=st.lists(st.integers(0, 12), unique=True, min_size=1, max_size=10),
    replacement=st.dictionaries(st.integers(0, 12), st.integers(0, 12), max_size=8),
    winners=st.sets(st.integers(0, 12), max_size=3),
    size=st.integers(1, 10),
)
def test_nothing_is_lost_and_nothing_stands_above_the_head_of_its_chain(
    artifacts: list[ArtifactNumber],
    replacement: dict[ArtifactNumber, ArtifactNumber],
    winners: set[ArtifactNumber],
    size: int,
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
