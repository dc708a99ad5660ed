"""Packing what a ledger holds as rows only, as its triggers would have while it was filed."""

from __future__ import annotations

import asyncpg

_PACK = """
SELECT count(pack_postings(tenant_id, term, project_id))
FROM term_statistics CROSS JOIN generate_series(1, documents / 240);
SELECT count(pack_documents(tenant_id, project_id))
FROM scope_statistics CROSS JOIN generate_series(1, documents / 240);
"""


async def pack_all(owner: asyncpg.Connection) -> None:
    """Write each full block of a ledger that has none."""
    await owner.execute(_PACK)
