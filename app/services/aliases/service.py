"""The verbs of aliases: one write each, asked again under a key with the same answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import asyncpg

from app.domain.candidate import AliasCandidate
from app.domain.entity import Alias, AuthorityTier, Caller
from app.errors import Invalid
from app.services.aliases.authority import tier_of
from app.services.aliases.queueing import queue_alias
from app.services.aliases.stating import StatedAlias
from app.services.aliases.withdrawing import end_alias
from app.services.aliases.writing import add_alias
from app.services.catalog.scoping import project_of
from app.services.repeating import keep_answer, kept_answer, keyed_request
from app.services.withdrawing import fit_reason
from app.services.write import Write, require_writer, writing
from app.stores.postgres import candidates, entities, ledger, lookups
from app.stores.postgres.pool import Database


@dataclass(frozen=True, slots=True)
class AliasRequest:
    """A form to give to an entity, as a caller asks; None is what they left out."""

    surface_form: str
    target: UUID
    project: str | None = None
    source: UUID | None = None
    authority_tier: int | None = None
    source_artifact: UUID | None = None


@dataclass(frozen=True, slots=True)
class AliasAnswer:
    """The alias there is now, or the candidate that awaits review; the position of what was written."""

    alias: Alias | None
    candidate: AliasCandidate | None = None
    position: int | None = None


class AliasService:
    """Gives names to entities, and takes them back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, caller: Caller, request: AliasRequest, idempotency_key: str | None = None
    ) -> AliasAnswer:
        """Let a form mean an entity from now on, or queue it for review at tier 3.

        The same alias again changes nothing. Raises Invalid, NotFound, Conflict or Forbidden; nothing is
        then written.
        """
        require_writer(caller)
        tier = tier_of(caller, request.authority_tier)
        keyed = keyed_request(caller, "createAlias", idempotency_key, request=request)
        async with writing(self._database, caller) as write:
            if kept := await kept_answer(write.connection, caller.tenant, keyed):
                return await _restored(write.connection, caller.tenant, kept)
            await _require_project(write, request)
            answer = await _create(write, request, tier)
            await keep_answer(write, keyed, _kept(answer))
            return answer

    async def withdraw(
        self, caller: Caller, alias: UUID, reason: str | None = None, idempotency_key: str | None = None
    ) -> AliasAnswer:
        """Let an alias mean its target only until now; what it meant before stays answerable.

        Raises NotFound, Forbidden, or Conflict when it has ended already.
        """
        require_writer(caller)
        reason = fit_reason(reason)
        keyed = keyed_request(caller, "withdrawAlias", idempotency_key, alias=alias, reason=reason)
        async with writing(self._database, caller) as write:
            if kept := await kept_answer(write.connection, caller.tenant, keyed):
                return await _restored(write.connection, caller.tenant, kept)
            ended = await end_alias(write, alias, reason)
            answer = AliasAnswer(ended, position=await ledger.settle(write.connection))
            await keep_answer(write, keyed, _kept(answer))
            return answer


async def _create(write: Write, request: AliasRequest, tier: AuthorityTier) -> AliasAnswer:
    stated = StatedAlias(
        request.surface_form, request.target, request.source, request.source_artifact, tier=tier
    )
    if tier is AuthorityTier.EXTRACTOR:
        queued = await queue_alias(write, stated)
        answer = AliasAnswer(queued) if isinstance(queued, Alias) else AliasAnswer(None, queued)
    else:
        answer = AliasAnswer((await add_alias(write, stated)).alias)
    return replace(answer, position=await ledger.settle(write.connection))


async def _require_project(write: Write, request: AliasRequest) -> None:
    """Raise when a project is named that is not there, or is not that of the target."""
    number = await project_of(write.connection, write.caller, request.project)
    if number is None:
        return
    found = await entities.entities_by_id(write.connection, write.tenant, [request.target])
    if request.target in found and found[request.target].project != number:
        raise Invalid(
            "the target belongs to another project; an alias holds in the project of what it means",
            field="project",
        )


def _kept(answer: AliasAnswer) -> dict[str, Any]:
    return {
        "alias": None if answer.alias is None else str(answer.alias.id),
        "candidate": None if answer.candidate is None else str(answer.candidate.id),
        "position": answer.position,
    }


async def _restored(connection: asyncpg.Connection, tenant: int, kept: dict[str, Any]) -> AliasAnswer:
    if kept["alias"] is None:
        candidate = UUID(kept["candidate"])
        found = await candidates.alias_candidates_by_id(connection, tenant, [candidate])
        return AliasAnswer(None, found[candidate], kept["position"])
    id = UUID(kept["alias"])
    return AliasAnswer((await lookups.aliases_by_id(connection, tenant, [id]))[id], None, kept["position"])
