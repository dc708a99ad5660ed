"""Artifacts and their passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from app.domain import artifact as filed
from app.domain.numbers import ArtifactNumber
from app.domain.temporal import known_moment
from app.graphql.context import Info, moment_of
from app.graphql.types import entity as entities
from app.graphql.types.enums import DatePrecision, DateSource, MemoryDomain, StateFlag
from app.graphql.types.node import EntityType, Node, finds


@strawberry.type(description="A part of a document, short enough for the encoder to read as a whole.")
class Passage:
    """A passage."""

    ordinal: int = strawberry.field(description="Its position in the document, from 0.")
    heading: str | None = strawberry.field(description="The path of headings above it.")
    text: str = strawberry.field(description="Its exact text.")
    artifact: strawberry.Private[filed.Artifact]

    @classmethod
    def of(cls, passage: filed.Passage, artifact: filed.Artifact) -> Passage:
        """Wrap a passage of an artifact."""
        return cls(ordinal=passage.ordinal, heading=passage.heading, text=passage.text, artifact=artifact)

    @strawberry.field(
        description="The offset in the document's body at which it starts, in Unicode code points. JavaScript"
        " counts UTF-16 units: there the text is `Array.from(body).slice(start, end)`. Null if it is the"
        " title of a document without text."
    )
    async def start(self, info: Info) -> int | None:
        """Look it up among the starts of all passages, which are sought once."""
        number, kept = self.artifact.number, info.context.passage_starts
        passages = await info.context.loaders.passages_by_artifact_number.load(number)
        if number not in kept:
            kept[number] = dict(_starts(self.artifact.body, passages))
        return kept[number].get(self.ordinal)

    @strawberry.field(
        description="The offset in the document's body at which it ends, in Unicode code points: that of the"
        " first character after it. Null if it is the title of a document without text."
    )
    async def end(self, info: Info) -> int | None:
        """Return its start plus its length."""
        start = await self.start(info)
        return None if start is None else start + len(self.text)


def _starts(body: str, passages: Sequence[filed.Passage]) -> Iterator[tuple[int, int]]:
    """Yield the ordinal and the start of each passage, each found after the one before it."""
    place = 0
    for each in passages:
        start = body.find(each.text, place)
        if start < 0:
            return
        yield each.ordinal, start
        place = start + len(each.text)


@strawberry.type(
    description="One immutable document. A changed document is another artifact of the same entity."
)
class Artifact(Node):
    """An artifact."""

    kind: str = strawberry.field(description="The name of its type, such as ADR.")
    identifier: str | None = strawberry.field(
        description="The identifier that it is cited by, such as ADR-7."
    )
    title: str = strawberry.field(description="Its title.")
    body: str = strawberry.field(description="Its text in Markdown, without the header.")
    domain: MemoryDomain | None = strawberry.field(description="The memory domain that it belongs to.")
    created_at: datetime | None = strawberry.field(
        description="The instant from which it is valid: its own date, or the time of filing; null if nobody"
        " knows, because it was there before what superseded it."
    )
    recorded_at: datetime = strawberry.field(description="The time of filing.")
    source_uri: str | None = strawberry.field(description="The URI or path where it was found.")
    source_commit: str | None = strawberry.field(description="The commit at which it was found.")
    author: str | None = strawberry.field(description="Its author, as its header states it.")
    meta: JSON = strawberry.field(
        description="The fields of its header, each as it was written: front matter, and lines and tables"
        " at its start."
    )
    date_source: DateSource = strawberry.field(
        description="Where its date comes from; FILED if nothing says when it was written."
    )
    date_precision: DatePrecision | None = strawberry.field(
        description="How exact its date is; null if it has no date of its own, or if it was filed before"
        " this was recorded."
    )
    stated_at: datetime | None = strawberry.field(
        description="The date that it states, if it is valid from another instant: a version that states"
        " the date of the former one is valid from its filing. Otherwise null."
    )
    content_hash: str = strawberry.field(description="The SHA-256 hash of its content, in hexadecimal.")
    known: strawberry.Private[filed.Artifact]
    number: strawberry.Private[ArtifactNumber]
    entity_id: strawberry.Private[UUID]

    @classmethod
    def of(cls, artifact: filed.Artifact) -> Artifact:
        """Wrap an artifact."""
        return cls(
            id=strawberry.ID(str(artifact.id)),
            kind=artifact.kind,
            identifier=artifact.identifier,
            title=artifact.title,
            body=artifact.body,
            domain=artifact.domain,
            created_at=known_moment(artifact.created_at),
            recorded_at=artifact.recorded_at,
            source_uri=artifact.source_uri,
            source_commit=artifact.source_commit,
            author=artifact.author,
            meta=JSON(dict(artifact.meta)),
            date_source=artifact.date_source,
            date_precision=artifact.date_precision,
            stated_at=artifact.stated_at,
            content_hash=artifact.content_hash,
            known=artifact,
            number=artifact.number,
            entity_id=artifact.entity,
        )

    @strawberry.field(description="The entity that the document is a version of.")
    async def entity(self, info: Info) -> EntityType | None:
        """Load its entity."""
        return await entities.find_entity(info, self.entity_id)

    @strawberry.field(
        description="Whether it is current, historical or a draft at the instant of the fields above,"
        " by the state of its document: an older version is historical. Null if its status says nothing, and"
        " before it is there."
    )
    async def state_flag(self, info: Info) -> StateFlag | None:
        """Load its flag."""
        return await info.context.flags.load((self.number, moment_of(info)))

    @strawberry.field(description="Its passages, in order. Together they are its whole text.")
    async def passages(self, info: Info) -> list[Passage]:
        """Load its passages."""
        found = await info.context.loaders.passages_by_artifact_number.load(self.number)
        return [Passage.of(passage, self.known) for passage in found]


@finds("Artifact")
async def find_artifact(info: Info, id: UUID | None) -> Artifact | None:
    """Load the artifact of an id; None for None, and if there is none."""
    found = None if id is None else await info.context.loaders.artifact_by_id.load(id)
    return None if found is None else Artifact.of(found)
