"""The mutations of the API, one module per action."""

from __future__ import annotations

from typing import Annotated

import strawberry

from app.graphql.context import Info
from app.graphql.mutations.change_state import (
    RecordFactInput,
    StatePayload,
    TransitionInput,
    record_fact,
    transition,
)
from app.graphql.mutations.create_alias import AliasPayload, CreateAliasInput, create_alias
from app.graphql.mutations.create_entity import CreateEntityInput, EntityPayload, create_entity
from app.graphql.mutations.create_reference import CreateReferenceInput, ReferencePayload, create_reference
from app.graphql.mutations.define_type import DefineTypeInput, TypePayload, define_type
from app.graphql.mutations.file_artifact import FileArtifactInput, FileArtifactPayload, file_artifact
from app.graphql.mutations.review_candidate import (
    AliasCandidatePayload,
    FactCandidatePayload,
    ReviewCandidateInput,
    review_alias_candidate,
    review_fact_candidate,
)
from app.graphql.mutations.wip import (
    DiscardWipInput,
    SaveWipInput,
    SealWipInput,
    discard_wip,
    save_wip,
    seal_wip,
)
from app.graphql.mutations.withdraw import (
    WithdrawAliasInput,
    WithdrawReferenceInput,
    withdraw_alias,
    withdraw_reference,
)


@strawberry.type(
    description="What can be changed. A caller's mistake is answered with `problems`, and nothing is written."
    " What fails unforeseen is null with an error, and hides no answer beside it; what is read for an answer"
    " after its write is null with an error as well, and undoes nothing."
)
class Mutation:
    """The mutations of the API."""

    @strawberry.mutation(
        description="File a document: all of it is written at once, and searchable when this answers."
    )
    async def file_artifact(
        self,
        info: Info,
        input: Annotated[FileArtifactInput, strawberry.argument(description="The document.")],
    ) -> FileArtifactPayload | None:
        """File a document."""
        return await file_artifact(info, input)

    @strawberry.mutation(
        description="Define a type of things or of documents in a project. The same again changes nothing."
    )
    async def define_type(
        self,
        info: Info,
        input: Annotated[DefineTypeInput, strawberry.argument(description="The type.")],
    ) -> TypePayload | None:
        """Define a type."""
        return await define_type(info, input)

    @strawberry.mutation(
        description="Create a thing that has no document, with its first state. One that is there is a"
        " conflict that names it; references that waited for its name find it."
    )
    async def create_entity(
        self,
        info: Info,
        input: Annotated[CreateEntityInput, strawberry.argument(description="The thing.")],
    ) -> EntityPayload | None:
        """Create a thing."""
        return await create_entity(info, input)

    @strawberry.mutation(
        description="Promote a likely alias, which then means its entity from its document's date on, or"
        " reject it. For people alone, and once: the second decision is a conflict."
    )
    async def review_alias_candidate(
        self,
        info: Info,
        input: Annotated[ReviewCandidateInput, strawberry.argument(description="The decision.")],
    ) -> AliasCandidatePayload | None:
        """Decide about a likely alias."""
        return await review_alias_candidate(info, input)

    @strawberry.mutation(
        description="Promote a likely fact, which then holds from its document's date on, or reject it. For"
        " people alone, and once: the second decision is a conflict."
    )
    async def review_fact_candidate(
        self,
        info: Info,
        input: Annotated[ReviewCandidateInput, strawberry.argument(description="The decision.")],
    ) -> FactCandidatePayload | None:
        """Decide about a likely fact."""
        return await review_fact_candidate(info, input)

    @strawberry.mutation(
        description="Let a name mean an entity from now on. One meaning for a name: a name that means"
        " something else is a conflict that names it, and the same again changes nothing."
    )
    async def create_alias(
        self,
        info: Info,
        input: Annotated[CreateAliasInput, strawberry.argument(description="The alias.")],
    ) -> AliasPayload | None:
        """Write an alias."""
        return await create_alias(info, input)

    @strawberry.mutation(
        description="Let a name mean its entity no longer, from now on; what it meant before stays"
        " answerable."
    )
    async def withdraw_alias(
        self,
        info: Info,
        input: Annotated[WithdrawAliasInput, strawberry.argument(description="The alias, and why.")],
    ) -> AliasPayload | None:
        """End an alias."""
        return await withdraw_alias(info, input)

    @strawberry.mutation(
        description="Let an entity refer to another. The same reference again changes nothing; a supersession"
        " moves the target's state."
    )
    async def create_reference(
        self,
        info: Info,
        input: Annotated[CreateReferenceInput, strawberry.argument(description="The reference.")],
    ) -> ReferencePayload | None:
        """Write a reference."""
        return await create_reference(info, input)

    @strawberry.mutation(
        description="Let a reference hold no longer, from now on; what it said before stays answerable."
    )
    async def withdraw_reference(
        self,
        info: Info,
        input: Annotated[WithdrawReferenceInput, strawberry.argument(description="The reference, and why.")],
    ) -> ReferencePayload | None:
        """End a reference."""
        return await withdraw_reference(info, input)

    @strawberry.mutation(
        description="Say what one property of an entity is, from a moment on. About the very start of a state"
        " it is a correction: what was believed before stays answerable."
    )
    async def record_fact(
        self,
        info: Info,
        input: Annotated[RecordFactInput, strawberry.argument(description="The fact.")],
    ) -> StatePayload | None:
        """Record a fact."""
        return await record_fact(info, input)

    @strawberry.mutation(
        description="Change several properties of an entity at once, from a moment on; of callers who expect"
        " the same state one wins, and the others are told of a conflict."
    )
    async def transition(
        self,
        info: Info,
        input: Annotated[TransitionInput, strawberry.argument(description="The change.")],
    ) -> StatePayload | None:
        """Carry out a transition."""
        return await transition(info, input)

    @strawberry.mutation(
        description="Save the draft of an entity, the one beside what is in force: begun when there is none,"
        " else laid over."
    )
    async def save_wip(
        self,
        info: Info,
        input: Annotated[SaveWipInput, strawberry.argument(description="What the draft is to say.")],
    ) -> StatePayload | None:
        """Save a draft."""
        return await save_wip(info, input)

    @strawberry.mutation(
        description="Let what a draft says be in force from now on, and close it. Only what was saved in it"
        " is sealed: what others changed beside it meanwhile stays."
    )
    async def seal_wip(
        self,
        info: Info,
        input: Annotated[SealWipInput, strawberry.argument(description="The draft.")],
    ) -> StatePayload | None:
        """Seal a draft."""
        return await seal_wip(info, input)

    @strawberry.mutation(description="Close a draft and leave what is in force as it is.")
    async def discard_wip(
        self,
        info: Info,
        input: Annotated[DiscardWipInput, strawberry.argument(description="The draft.")],
    ) -> StatePayload | None:
        """Discard a draft."""
        return await discard_wip(info, input)
