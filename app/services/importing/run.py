"""One import while it runs."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence

from app.domain.artifact import Document
from app.domain.entity import Caller
from app.domain.identifier import identifier_key
from app.services.filing import DEFAULT_PROJECT, FiledDocument, FilingService
from app.services.filing.preparation import content_hash, entity_key
from app.services.importing.collisions import Collision
from app.services.importing.history.dating import versions_to_file
from app.services.importing.item import Readable, Refusal
from app.services.importing.request import Batch
from app.services.importing.summary import ImportSummary
from app.services.write import Homonyms
from app.stores.postgres.pool import Database

_DEFINED = "defined the kind "


class Run:
    """One import while it runs: what was seen so far, and what became of it."""

    def __init__(
        self,
        database: Database,
        filing: FilingService,
        caller: Caller,
        project: str | None,
        summary: ImportSummary,
        watch: Callable[[ImportSummary], None],
        batch: Batch,
    ) -> None:
        self._database = database
        self._filing = filing
        self._history = batch.history
        self._homonyms = _homonyms(batch.collisions)
        self.project_key = DEFAULT_PROJECT if project is None else project
        self._seen: dict[str, tuple[str, str]] = {}
        self._refused: list[int] = []
        self.caller = caller
        self.summary = summary
        self.watch = watch

    def refuse(self, place: int, refusal: Refusal) -> None:
        """List a refusal in the order of what was read, whichever was known first."""
        at = bisect(self._refused, place)
        self._refused.insert(at, place)
        self.summary.refused.insert(at, refusal)

    def clash(self, item: Readable) -> str | None:
        """Answer why a document cannot be filed beside one that this import holds already.

        Two texts under one name would be taken for two versions, again at every import.
        """
        hashed = content_hash(item.document)
        key = entity_key(item.document, hashed)
        first, content = self._seen.setdefault(key, (item.source, hashed))
        if content == hashed:
            return None
        return f"{_called(item.document)} stands in {first} with another text; give one of them another name"

    async def file(self, item: Readable) -> None:
        """File a document, with the earlier versions its history tells, and count it."""
        versions = await versions_to_file(
            self._database, self.caller.tenant, self.project_key, item.document, self._history
        )
        filed = [await self._file_one(version) for version in versions]
        if any(each.created for each in filed):
            self.summary.filed += 1
        else:
            self.summary.unchanged += 1
        warnings = dict.fromkeys(warning for each in filed for warning in each.warnings)
        self.summary.warn(item.source, (warning for warning in warnings if not warning.startswith(_DEFINED)))

    async def _file_one(self, version: Document) -> FiledDocument:
        return await self._filing.file(
            self.caller, version, self.project_key, defines_kinds=True, homonyms=self._homonyms
        )


def _homonyms(collisions: Sequence[Collision]) -> Homonyms:
    return {
        identifier_key(collision.identifier): tuple(
            sorted(
                identifier_key(file.identifier) if file.identifier else file.source
                for file in collision.files
            )
        )
        for collision in collisions
    }


def _called(document: Document) -> str:
    return document.identifier or document.source_uri or document.title
