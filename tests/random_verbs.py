"""Writes of every verb, at random."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from uuid import UUID

from app.domain.entity import ReferenceType
from app.errors import Conflict, Invalid
from app.services.aliases.service import AliasRequest
from app.services.container import Memory
from app.services.filing.document_rename import RenameRequest
from app.services.filing.document_withdrawal import WithdrawalRequest
from app.services.references import StatedReference
from app.services.states.change import StateChange, StatedCause
from app.services.states.drafts import DraftChange, Sealing
from tests.documents import day
from tests.services.recall.replaying import random_document


class Writer:
    """Writes at random, with every verb, and remembers what there is to write about."""

    def __init__(self, memory: Memory, random: Random, project: str, series: int) -> None:
        self._memory = memory
        self._random = random
        self._project = project
        self._series = series
        self._states = memory.states
        self._aliases = memory.aliases
        self._references = memory.references
        self._entities: dict[UUID, None] = {}
        self._stated: list[tuple[Callable[[UUID], Awaitable[object]], UUID]] = []
        self._drafts: list[UUID] = []

    async def write(self) -> bool:
        """Carry out one verb; False when the ledger refuses it, as it may."""
        verbs = (
            [self.file] * 5
            + [self.transition] * 3
            + [self.draft, self.end_draft, self.name, self.rename, self.join, self.withdraw, self.take_away]
        )
        try:
            await self._random.choice(verbs if self._entities else [self.file])()
        except (Conflict, Invalid):
            return False
        return True

    async def file(self) -> None:
        document = random_document(self._random, self._random.randrange(self._series), self._series)
        filed = await self._memory.filing.file(self._memory.caller, document, self._project)
        self._entities[filed.entity.id] = None

    async def take_away(self) -> None:
        start = self._random.choice([None, day(self._random.randint(2021, 2026))])
        request = WithdrawalRequest(entity=self._one(), valid_from=start)
        await self._memory.withdrawals.withdraw(self._memory.caller, request)

    async def transition(self) -> None:
        props = {"status": self._random.choice(["Accepted", "Draft", "Superseded", "Rejected", None])}
        start = self._random.choice([None, day(self._random.randint(2018, 2027))])
        cause = StatedCause("status_transition")
        await self._states.transition(self._memory.caller, self._one(), StateChange(props, start), cause)

    async def draft(self) -> None:
        props = {"title": f"Draft {self._random.random()}"}
        saved = await self._states.save_wip(self._memory.caller, self._one(), DraftChange(props))
        self._drafts.append(saved.state.id)

    async def end_draft(self) -> None:
        if self._drafts and self._random.random() < 0.5:
            await self._states.discard_wip(self._memory.caller, self._drafts.pop())
        elif self._drafts:
            await self._states.seal_wip(self._memory.caller, self._drafts.pop(), Sealing({}))

    async def name(self) -> None:
        form = self._random.choice(["PrismGR", "outbox", "the cache", f"Name {self._random.randrange(40)}"])
        answer = await self._aliases.create(self._memory.caller, AliasRequest(form, self._one()))
        if answer.alias is not None:
            self._stated.append((self._end_alias, answer.alias.id))

    async def rename(self) -> None:
        prefix = self._random.choice(["ADR", "SPEC", "RFC"])
        identifier = f"{prefix}-{self._random.randrange(2 * self._series)}"
        await self._memory.renames.rename(self._memory.caller, RenameRequest(identifier, self._one()))

    async def join(self) -> None:
        kind = self._random.choice(list(ReferenceType))
        stated = StatedReference(self._one(), self._one(), kind)
        answer = await self._references.create(self._memory.caller, stated)
        self._stated.append((self._end_reference, answer.reference.id))

    async def withdraw(self) -> None:
        if self._stated:
            withdraw, id = self._stated.pop(self._random.randrange(len(self._stated)))
            await withdraw(id)

    async def _end_alias(self, id: UUID) -> None:
        await self._aliases.withdraw(self._memory.caller, id)

    async def _end_reference(self, id: UUID) -> None:
        await self._references.withdraw(self._memory.caller, id)

    def _one(self) -> UUID:
        return self._random.choice(list(self._entities))
