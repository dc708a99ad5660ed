"""The review queues: what extractors noticed, and what people decided about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

import asyncpg

from app.domain.artifact import AliasClaim, FactClaim, Quote
from app.domain.candidate import AliasCandidate, CandidateStatus, FactCandidate, Review
from app.domain.numbers import ProjectNumber, TenantNumber
from app.domain.page import Page, PageRequest
from app.domain.text import fold
from app.stores.named_blocks import PageStatement, Statement, sql_blocks
from app.stores.postgres.lists import page_bounds, page_statement

SQL = sql_blocks(__file__)
_ALIASES = PageStatement.read(SQL["alias_candidates_page"])
_FACTS = PageStatement.read(SQL["fact_candidates_page"])

_INSERT_ALIAS = Statement.read(SQL["insert_alias_candidate"])
_INSERT_FACT = Statement.read(SQL["insert_fact_candidate"])
_REVIEW_ALIAS = Statement.read(SQL["review_alias_candidate"])
_REVIEW_FACT = Statement.read(SQL["review_fact_candidate"])


@dataclass(frozen=True, slots=True)
class CandidateFilter:
    """Candidates of these projects, and of a status; None means any."""

    projects: tuple[ProjectNumber, ...]
    status: CandidateStatus | None


async def queue_alias(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    entity: UUID,
    artifact: UUID,
    claim: AliasClaim,
    recorded_at: datetime,
) -> bool:
    """Queue a likely alias of an entity; return whether it is new."""
    row = _INSERT_ALIAS.arguments(
        tenant=tenant,
        id=uuid4(),
        project=project,
        surface_form=claim.form,
        folded_form=fold(claim.form),
        entity=entity,
        quote=claim.quote.text,
        quote_start=claim.quote.start,
        artifact=artifact,
        recorded_at=recorded_at,
    )
    return await connection.fetchval(_INSERT_ALIAS.text, *row) is not None


async def queue_fact(
    connection: asyncpg.Connection,
    tenant: TenantNumber,
    project: ProjectNumber,
    entity: UUID,
    artifact: UUID,
    claim: FactClaim,
    recorded_at: datetime,
) -> bool:
    """Queue a likely fact about an entity; return whether it is new."""
    row = _INSERT_FACT.arguments(
        tenant=tenant,
        id=uuid4(),
        project=project,
        entity=entity,
        property=claim.property,
        value=claim.value,
        quote=claim.quote.text,
        quote_start=claim.quote.start,
        artifact=artifact,
        recorded_at=recorded_at,
    )
    return await connection.fetchval(_INSERT_FACT.text, *row) is not None


async def alias_candidates_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: CandidateFilter, page: PageRequest
) -> Page[AliasCandidate]:
    """Return a page of likely aliases, the oldest first."""
    asked = (*_of_candidates(wanted), *page_bounds(page))
    rows = await connection.fetch(page_statement(_ALIASES, page), tenant, *asked)
    return Page.cut([_alias_candidate(row) for row in rows], page)


async def count_alias_candidates(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: CandidateFilter
) -> int:
    """Return how many likely aliases there are."""
    count: int = await connection.fetchval(SQL["count_alias_candidates"], tenant, *_of_candidates(wanted))
    return count


async def alias_candidates_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, AliasCandidate]:
    """Return the likely aliases of these ids, by id."""
    rows = await connection.fetch(SQL["alias_candidates_by_id"], tenant, list(ids))
    return {row["id"]: _alias_candidate(row) for row in rows}


async def review_alias(
    connection: asyncpg.Connection, tenant: TenantNumber, candidate: UUID, review: Review
) -> None:
    """Record what was decided about a likely alias; raise Conflict if it was reviewed before."""
    await _write_review(connection, _REVIEW_ALIAS, tenant, candidate, review)


async def fact_candidates_page(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: CandidateFilter, page: PageRequest
) -> Page[FactCandidate]:
    """Return a page of likely facts, the oldest first."""
    asked = (*_of_candidates(wanted), *page_bounds(page))
    rows = await connection.fetch(page_statement(_FACTS, page), tenant, *asked)
    return Page.cut([_fact_candidate(row) for row in rows], page)


async def count_fact_candidates(
    connection: asyncpg.Connection, tenant: TenantNumber, wanted: CandidateFilter
) -> int:
    """Return how many likely facts there are."""
    count: int = await connection.fetchval(SQL["count_fact_candidates"], tenant, *_of_candidates(wanted))
    return count


async def fact_candidates_by_id(
    connection: asyncpg.Connection, tenant: TenantNumber, ids: Sequence[UUID]
) -> dict[UUID, FactCandidate]:
    """Return the likely facts of these ids, by id."""
    rows = await connection.fetch(SQL["fact_candidates_by_id"], tenant, list(ids))
    return {row["id"]: _fact_candidate(row) for row in rows}


async def review_fact(
    connection: asyncpg.Connection, tenant: TenantNumber, candidate: UUID, review: Review
) -> None:
    """Record what was decided about a likely fact; raise Conflict if it was reviewed before."""
    await _write_review(connection, _REVIEW_FACT, tenant, candidate, review)


def _of_candidates(wanted: CandidateFilter) -> tuple[object, ...]:
    statuses = list(CandidateStatus) if wanted.status is None else [wanted.status]
    return list(wanted.projects), statuses


async def _write_review(
    connection: asyncpg.Connection,
    statement: Statement,
    tenant: TenantNumber,
    candidate: UUID,
    review: Review,
) -> None:
    values = statement.arguments(
        tenant=tenant,
        id=candidate,
        status=review.status,
        reviewed_by=review.actor,
        reviewed_at=review.at,
        reason=review.reason,
    )
    await connection.execute(statement.text, *values)


def _alias_candidate(row: asyncpg.Record) -> AliasCandidate:
    return AliasCandidate(
        id=row["id"],
        project=row["project_id"],
        surface_form=row["surface_form"],
        entity=row["entity"],
        quote=Quote(row["quote"], row["quote_start"]),
        artifact=row["artifact"],
        recorded_at=row["recorded_at"],
        review=_review(row),
    )


def _fact_candidate(row: asyncpg.Record) -> FactCandidate:
    return FactCandidate(
        id=row["id"],
        project=row["project_id"],
        entity=row["entity"],
        property=row["property"],
        value=row["value"],
        quote=Quote(row["quote"], row["quote_start"]),
        artifact=row["artifact"],
        recorded_at=row["recorded_at"],
        review=_review(row),
    )


def _review(row: asyncpg.Record) -> Review | None:
    status = CandidateStatus(row["status"])
    if status is CandidateStatus.PENDING:
        return None
    return Review(status, row["reviewed_by"], row["reviewed_at"], row["review_reason"])
