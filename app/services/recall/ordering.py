"""The last word on order: a hit that was replaced never stands above what replaced it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from app.domain.recall import FusedCandidate


def replacements_first(
    ordered: Sequence[FusedCandidate], replacement: Mapping[int, int]
) -> list[FusedCandidate]:
    """Put before each candidate what replaced it, and before that what replaced that.

    A replacement that no leg proposed joins with the score of what it replaced.
    """
    proposed = {candidate.artifact: candidate for candidate in ordered}
    placed: dict[int, FusedCandidate] = {}
    for candidate in ordered:
        for artifact in reversed(_upward(candidate.artifact, replacement)):
            if artifact not in placed:
                placed[artifact] = proposed.get(artifact, FusedCandidate(artifact, candidate.score, ()))
    return list(placed.values())


def cut(
    placed: Sequence[FusedCandidate], replacement: Mapping[int, int], stays: Collection[int], first: int
) -> list[FusedCandidate]:
    """Answer the first so many, after replacements joined.

    The last candidate that is neither the first, nor one that stays (a leg's winner, or named by the query),
    nor the replacement of one kept makes room; when there is none, the last of all does.
    """
    kept = list(placed)
    while len(kept) > first:
        held = {kept[0].artifact, *stays, *(replacement.get(candidate.artifact) for candidate in kept)}
        ordinary = [place for place, candidate in enumerate(kept) if candidate.artifact not in held]
        del kept[ordinary[-1] if ordinary else -1]
    return kept


def _upward(artifact: int, replacement: Mapping[int, int]) -> list[int]:
    """Answer the artifact, what replaced it, what replaced that, and so on to the head."""
    chain = [artifact]
    while (above := replacement.get(chain[-1])) is not None and above not in chain:
        chain.append(above)
    return chain
