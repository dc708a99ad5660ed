"""On whose authority a caller may write an alias."""

from __future__ import annotations

from app.domain.entity import AuthorityTier, Caller
from app.errors import Forbidden, Invalid

FIELD = "authorityTier"


def tier_of(caller: Caller, claimed: int | None) -> AuthorityTier:
    """Answer the tier a caller writes at: their own, or a claimed lower one.

    Raises Invalid for a number that is no tier, and Forbidden for a higher authority than the caller's.
    """
    if claimed is None:
        return caller.tier
    if claimed not in tuple(AuthorityTier):
        raise Invalid("a tier is 1 for a person, 2 for an agent or 3 for what awaits review", field=FIELD)
    if claimed < caller.tier:
        raise Forbidden(
            f"you write at tier {int(caller.tier)}; leave authorityTier out, or claim a lower authority",
            field=FIELD,
        )
    return AuthorityTier(claimed)
