"""What brought a hit into a result, in words."""

from __future__ import annotations

from app.domain.recall import FlagGround, Hit, RecallResult

_GROUNDS = {
    FlagGround.OWN_STATE: "by its own state",
    FlagGround.MENTION: "by a former name in its text",
}


def reasons(hit: Hit, result: RecallResult) -> str:
    """Answer whether the query names a hit, and the rank that each leg gave it.

    A hit that stands where it does for the one below that it replaced says which that is.
    """
    shares = [f"{share.leg.lower()} {share.rank}" for share in hit.contributions]
    return ", ".join([*_beside_legs(hit, result), *shares])


def explained(hit: Hit, result: RecallResult) -> str:
    """Answer the same with every score, and what the hit's flag rests on."""
    shares = [
        f"{share.leg.lower()} rank {share.rank}, scored {share.score:.4f}, adds {share.contribution:.5f}"
        for share in hit.contributions
    ]
    return "; ".join([f"score {hit.score:.5f}", *_beside_legs(hit, result), *_flag(hit), *shares])


def _flag(hit: Hit) -> list[str]:
    flag, ground = hit.annotation.flag, hit.annotation.ground
    return [] if flag is None or ground is None else [f"{flag.lower()} {_GROUNDS[ground]}"]


def _beside_legs(hit: Hit, result: RecallResult) -> list[str]:
    entity = hit.artifact.entity
    if any(anchor.exact and anchor.entity.id == entity for anchor in result.anchors):
        return ["named"]
    replaced = (other for other in result.hits if other.annotation.superseded_by == entity)
    below = next((other for other in replaced if other.rank > hit.rank), None)
    if below is not None and (below.score > hit.score or not hit.contributions):
        return [f"replaces {below.rank}"]
    return [] if hit.contributions else ["brought along"]
