"""A form that awaits review, since whoever found it does not vouch for it."""

from __future__ import annotations

import re
from uuid import UUID

from app.domain.artifact import AliasClaim, Artifact, Quote
from app.domain.candidate import AliasCandidate, decision_told
from app.domain.entity import Alias, Entity
from app.errors import Conflict, Invalid
from app.services.aliases.examining import examine
from app.services.aliases.forms import FIELD
from app.services.aliases.stating import StatedAlias
from app.services.write import Write
from app.stores.postgres import aliases, artifacts, candidates

LONGEST_QUOTE = 300


async def queue_alias(write: Write, stated: StatedAlias) -> Alias | AliasCandidate:
    """Queue a likely alias for review with the line that uses it; answers its candidate.

    The line is from the stated document, else from the newest of the target. The same form for the same
    target is queued once; when it is an alias already, that is answered. Raises as add_alias does, Invalid
    when there is no document to judge it by, and Conflict when somebody decided about it before.
    """
    free = await examine(write, stated)
    if free.held is not None:
        return free.held
    artifact = await _document(write, free.ends.target, stated.source_artifact)
    where = (write.connection, write.tenant, free.ends.target.project)
    claim = AliasClaim(free.form, free.form, _quote(artifact, free.form))
    await candidates.queue_alias(*where, stated.target, artifact.id, claim, write.recorded_at)
    candidate = await aliases.candidate_of(*where, free.form, stated.target)
    return await _waiting(write, candidate)


async def _waiting(write: Write, id: UUID) -> AliasCandidate:
    """Return the candidate of an id; raises Conflict when somebody has decided about it."""
    candidate = (await candidates.alias_candidates_by_id(write.connection, write.tenant, [id]))[id]
    decided = candidate.review
    if decided is not None:
        raise Conflict(
            f"{decision_told(decided)}, which stays; leave authorityTier out to create the alias",
            field=FIELD,
            rule="a_candidate_is_reviewed_once",
        )
    return candidate


async def _document(write: Write, target: Entity, stated: UUID | None) -> Artifact:
    where = (write.connection, write.tenant)
    if stated is not None:
        return (await artifacts.artifacts_by_id(*where, [stated]))[stated]
    newest = await artifacts.latest_version(*where, target.id)
    if newest is None:
        raise Invalid(
            "whoever reviews an alias judges by a text; name a document that uses it", field="sourceArtifact"
        )
    return newest


def _quote(artifact: Artifact, form: str) -> Quote:
    """Answer the line of a document that uses a form, and its place; the title when none does."""
    words = r"\s+".join(map(re.escape, form.split()))
    found = re.search(
        rf"[^\n]{{0,{LONGEST_QUOTE // 3}}}{words}[^\n]{{0,{LONGEST_QUOTE // 3}}}", artifact.body
    )
    if found is None:
        return Quote(artifact.title[:LONGEST_QUOTE], 0)
    return Quote(found.group(), found.start())
