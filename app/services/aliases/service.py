"""Create, queue and withdraw aliases; the same request under the same key returns the first response."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.artifact import AliasClaim, Artifact, Quote
from app.domain.candidate import AliasCandidate, describe_review
from app.domain.entity import Alias, AuthorityTier, Caller, Entity
from app.domain.numbers import TenantNumber
from app.errors import Conflict, Forbidden, Invalid
from app.services.aliases.create import StatedAlias, add_alias, examine
from app.services.aliases.rules import FORM_FIELD
from app.services.catalog.lookup import nothing_has, project_of
from app.services.idempotency import SavedAnswer, idempotent_request, write_once
from app.services.unit_of_work import UnitOfWork, fit_reason, note_withdrawal, require_lasting, require_writer
from app.stores.postgres import aliases, artifacts, candidates, entities, ledger_clock, lookups
from app.stores.postgres.pool import Database

TIER_FIELD = "authorityTier"


def tier_of(caller: Caller, claimed: int | None) -> AuthorityTier:
    """Return the authority tier a caller writes at: their own, or a claimed lower one.

    Raises Invalid for a number that is no tier, and Forbidden for a higher authority than the caller's.
    """
    if claimed is None:
        return caller.tier
    if claimed not in tuple(AuthorityTier):
        raise Invalid(
            "authorityTier is 1 for a person, 2 for an agent or 3 for a name that a person must review",
            field=TIER_FIELD,
        )
    if claimed < caller.tier:
        raise Forbidden(
            f"you write at tier {int(caller.tier)}; leave authorityTier out, or give a lower authority",
            field=TIER_FIELD,
        )
    return AuthorityTier(claimed)


async def end_alias(write: UnitOfWork, id: UUID, reason: str | None) -> Alias:
    """End an alias now and return it as ended; its past stays readable.

    An alias that has not begun is retracted and returned as it was. Raises NotFound for an id that no alias
    has, and Conflict for one that has ended.
    """
    held = await aliases.recorded_alias(await write.flush(), write.tenant, id)
    if held is None:
        raise nothing_has("alias", id, "alias")
    require_lasting("alias", id, held.alias.valid, write.recorded_at, is_current=held.is_current)
    ended = await aliases.end_alias(
        await write.flush(),
        write.tenant,
        held.project,
        held.alias,
        write.recorded_at,
        write.recorded_at,
        write.actor,
    )
    await note_withdrawal(write, id, None if ended is None else ended.id, reason)
    return ended or held.alias


MAX_QUOTE_LENGTH = 300


async def queue_alias(write: UnitOfWork, stated: StatedAlias) -> Alias | AliasCandidate:
    """Queue a likely alias for review with the line that uses it, and return the candidate.

    The line is from the stated document, else from the newest of the target. The same form for the same
    target is queued once; if it is an alias already, that alias is returned. Raises as add_alias does,
    Invalid if there is no document to judge it by, and Conflict if a reviewer decided about it before.
    """
    free = await examine(write, stated)
    if free.held is not None:
        return free.held
    artifact = await _document(write, free.ends.target, stated.source_artifact)
    where = (await write.flush(), write.tenant, free.ends.target.project)
    claim = AliasClaim(free.form, free.form, _quote(artifact, free.form))
    await candidates.queue_alias(*where, stated.target, artifact.id, claim, write.recorded_at)
    candidate = await aliases.candidate_of(*where, free.form, stated.target)
    return await _require_undecided(write, candidate)


async def _require_undecided(write: UnitOfWork, id: UUID) -> AliasCandidate:
    """Return the candidate with an id; raise Conflict if it was reviewed already."""
    candidate = (await candidates.alias_candidates_by_id(await write.flush(), write.tenant, [id]))[id]
    decided = candidate.review
    if decided is not None:
        raise Conflict(
            f"{describe_review(decided)}, and the decision is final; leave authorityTier out"
            " to create the alias",
            field=FORM_FIELD,
            rule="a_candidate_is_reviewed_once",
            current=id,
        )
    return candidate


async def _document(write: UnitOfWork, target: Entity, stated: UUID | None) -> Artifact:
    where = (await write.flush(), write.tenant)
    if stated is not None:
        return (await artifacts.artifacts_by_id(*where, [stated]))[stated]
    newest = await artifacts.latest_version(*where, target.id)
    if newest is None:
        raise Invalid(
            "a reviewer needs a text to judge the alias by; give a sourceArtifact that uses the name",
            field="sourceArtifact",
        )
    return newest


def _quote(artifact: Artifact, form: str) -> Quote:
    """Return the line of a document that uses a form, and its place; the title if no line does."""
    words = r"\s+".join(map(re.escape, form.split()))
    found = re.search(
        rf"[^\n]{{0,{MAX_QUOTE_LENGTH // 3}}}{words}[^\n]{{0,{MAX_QUOTE_LENGTH // 3}}}", artifact.body
    )
    if found is None:
        return Quote(artifact.title[:MAX_QUOTE_LENGTH], 0)
    return Quote(found.group(), found.start())


@dataclass(frozen=True, slots=True)
class AliasRequest:
    """An alias that a caller requests; None stands for what they left out."""

    surface_form: str
    target: UUID
    project: str | None = None
    source: UUID | None = None
    authority_tier: int | None = None
    source_artifact: UUID | None = None


@dataclass(frozen=True, slots=True)
class AliasAnswer:
    """The alias there is now, or the candidate that awaits review, and the outbox position of the write."""

    alias: Alias | None
    candidate: AliasCandidate | None = None
    position: int | None = None


class AliasService:
    """Creates and withdraws aliases of entities."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, caller: Caller, request: AliasRequest, idempotency_key: str | None = None
    ) -> AliasAnswer:
        """Create an alias that is valid from now on, or queue it for review at tier 3.

        The same alias again changes nothing. Raises Invalid, NotFound, Conflict or Forbidden; nothing is
        then written.
        """
        require_writer(caller)
        tier = tier_of(caller, request.authority_tier)
        keyed = idempotent_request(caller, "createAlias", idempotency_key, request=request)

        async def create(write: UnitOfWork) -> AliasAnswer:
            await _require_project(write, request)
            return await _create(write, request, tier)

        return await write_once(self._database, caller, keyed, _SAVED, create)

    async def withdraw(
        self, caller: Caller, alias: UUID, reason: str | None = None, idempotency_key: str | None = None
    ) -> AliasAnswer:
        """End an alias now; its past stays readable.

        Raises NotFound, Forbidden, or Conflict when it has ended already.
        """
        require_writer(caller)
        reason = fit_reason(reason)
        keyed = idempotent_request(caller, "withdrawAlias", idempotency_key, alias=alias, reason=reason)

        async def end(write: UnitOfWork) -> AliasAnswer:
            ended = await end_alias(write, alias, reason)
            return AliasAnswer(ended, position=await ledger_clock.finish_write(await write.flush()))

        return await write_once(self._database, caller, keyed, _SAVED, end)


async def _create(write: UnitOfWork, request: AliasRequest, tier: AuthorityTier) -> AliasAnswer:
    stated = StatedAlias(
        request.surface_form, request.target, request.source, request.source_artifact, tier=tier
    )
    if tier is AuthorityTier.EXTRACTOR:
        queued = await queue_alias(write, stated)
        answer = AliasAnswer(queued) if isinstance(queued, Alias) else AliasAnswer(None, queued)
    else:
        answer = AliasAnswer((await add_alias(write, stated)).alias)
    return replace(answer, position=await ledger_clock.finish_write(await write.flush()))


async def _require_project(write: UnitOfWork, request: AliasRequest) -> None:
    """Raise if the named project does not exist, or is not the project of the target."""
    number = await project_of(await write.flush(), write.caller, request.project)
    if number is None:
        return
    found = await entities.entities_by_id(await write.flush(), write.tenant, [request.target])
    if request.target in found and found[request.target].project != number:
        raise Invalid(
            "the target belongs to another project; an alias belongs to the project of its target",
            field="project",
        )


def _to_response(answer: AliasAnswer) -> dict[str, Any]:
    return {
        "alias": None if answer.alias is None else str(answer.alias.id),
        "candidate": None if answer.candidate is None else str(answer.candidate.id),
        "position": answer.position,
    }


async def _restore(
    connection: asyncpg.Connection, tenant: TenantNumber, response: Mapping[str, Any]
) -> AliasAnswer:
    if response["alias"] is None:
        candidate = UUID(response["candidate"])
        found = await candidates.alias_candidates_by_id(connection, tenant, [candidate])
        return AliasAnswer(None, found[candidate], response["position"])
    id = UUID(response["alias"])
    return AliasAnswer(
        (await lookups.aliases_by_id(connection, tenant, [id]))[id], None, response["position"]
    )


_SAVED = SavedAnswer(_to_response, _restore)
