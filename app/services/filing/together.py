"""Many prepared documents in one transaction: the same rows as one by one, in fewer statements."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.entity import Caller
from app.embedding import Embedder
from app.errors import Unavailable, Unwritable
from app.services.filing.foreseeing import foresee
from app.services.filing.preparation import PreparedDocument
from app.services.filing.repeating import filed_under, keep_filed
from app.services.filing.writing import FiledDocument, write_document
from app.services.models import require_model
from app.services.projects import project_for
from app.services.write import Homonyms, Write, writing
from app.stores.postgres import ledger
from app.stores.postgres.idempotency import KeyedRequest
from app.stores.postgres.pool import Database
from app.stores.postgres.rows import collecting

TIMES_FOR_EACH = 2
"""Most documents are written at one transaction time; one that supersedes another takes a second."""

MOST_TIMES = 1_000


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes prepared documents of one caller into one project."""

    database: Database
    embedder: Embedder
    caller: Caller
    project_key: str
    defines_kinds: bool
    homonyms: Homonyms

    async def file_one(self, prepared: PreparedDocument, keyed: KeyedRequest | None) -> FiledDocument:
        """File a document, or answer what was answered to its key before."""
        async with writing(self.database, self.caller, self.homonyms) as write:
            if keyed and (filed := await filed_under(write.connection, self.caller.tenant, keyed)):
                return filed
            (filed,) = await self._written(write, [prepared])
            if keyed:
                await keep_filed(write, keyed, filed)
            return filed

    async def file_all(
        self, groups: Sequence[Sequence[PreparedDocument]]
    ) -> list[list[FiledDocument] | Exception]:
        """File groups of documents, and answer of each what it left or why it is not all there.

        When one cannot be filed the others are, in ever smaller shares; of the group it belongs to, what
        stands before it. Raises Unavailable when the ledger is gone or keeps nothing more.
        """
        if not groups:
            return []
        try:
            return [*await self._filed_together(groups)]
        except Unwritable:
            raise
        except Exception as error:
            if isinstance(error, Unavailable):
                await self.demand_a_ledger()
            if len(groups) > 1:
                middle = len(groups) // 2
                return [*await self.file_all(groups[:middle]), *await self.file_all(groups[middle:])]
            return [await self._filed_in_turn(groups[0], error)]

    async def _filed_in_turn(
        self, versions: Sequence[PreparedDocument], error: Exception
    ) -> list[FiledDocument] | Exception:
        """File versions of a document of which one cannot be filed: those before it stay."""
        if len(versions) == 1:
            return error
        for version in versions:
            ((filed),) = await self.file_all([[version]])
            if isinstance(filed, Exception):
                return filed
        return error

    async def _filed_together(
        self, groups: Sequence[Sequence[PreparedDocument]]
    ) -> list[list[FiledDocument]]:
        documents = [document for group in groups for document in group]
        times = min(MOST_TIMES, TIMES_FOR_EACH * len(documents))
        async with writing(self.database, self.caller, self.homonyms, times) as write:
            filed = iter(await self._written(write, documents))
        return [[next(filed) for _ in group] for group in groups]

    async def _written(self, write: Write, documents: Sequence[PreparedDocument]) -> list[FiledDocument]:
        async with collecting(write.connection):
            await require_model(write.connection, self.embedder)
            project = await project_for(write, self.project_key)
            write = replace(write, foresight=await foresee(write, project, documents))
            filed = []
            for place, prepared in enumerate(documents):
                if place:
                    write = await write.later()
                    await asyncio.sleep(0)  # everything may be foreseen, and nobody else would come to work
                filed.append(await write_document(write, project, prepared, defines_kinds=self.defines_kinds))
        position = await ledger.settle(write.connection)
        return [replace(each, position=position) if each.created else each for each in filed]

    async def demand_a_ledger(self) -> None:
        """Raise Unavailable when the ledger does not answer."""
        async with self.database.reading(self.caller.tenant) as connection:
            await ledger.read_clock(connection, self.caller.tenant)
