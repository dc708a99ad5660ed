"""The mutations of the API, one module per action."""

from __future__ import annotations

from typing import Annotated

import strawberry

from app.graphql.context import Info
from app.graphql.mutations.change_state import (
    MoveArtifactInput,
    RecordFactInput,
    StatePayload,
    TransitionInput,
    move_artifact,
    record_fact,
    transition,
)
from app.graphql.mutations.create_alias import AliasPayload, CreateAliasInput, create_alias
from app.graphql.mutations.create_reference import CreateReferenceInput, ReferencePayload, create_reference
from app.graphql.mutations.define import (
    CreateEntityInput,
    DefineStatusInput,
    DefineTypeInput,
    EntityPayload,
    StatusPayload,
    TypePayload,
    create_entity,
    define_status,
    define_type,
)
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
    WithdrawArtifactInput,
    WithdrawArtifactPayload,
    WithdrawReferenceInput,
    withdraw_alias,
    withdraw_artifact,
    withdraw_reference,
)


@strawberry.type(
    description="All mutations. When the caller made a mistake, the payload lists it in `problems` and"
    " nothing is written. On an unexpected failure the mutation's field is null and the response"
    " has an error; the results of the other fields remain. When a field of the payload cannot be"
    " read after the write, that field is null with an error, and the write remains."
)
class Mutation:
    """The mutations of the API."""

    @strawberry.mutation(
        description="File a document. It is written in one transaction, and recall finds it as soon as this"
        " mutation returns."
    )
    async def file_artifact(
        self,
        info: Info,
        input: Annotated[FileArtifactInput, strawberry.argument(description="The document to file.")],
    ) -> FileArtifactPayload | None:
        """File a document."""
        return await file_artifact(info, input)

    @strawberry.mutation(
        description="Withdraw a document: from an instant on, recall and lists do not show it, and its"
        " references end. As of an instant before, it is there. Filing it again brings it back."
    )
    async def withdraw_artifact(
        self,
        info: Info,
        input: Annotated[
            WithdrawArtifactInput,
            strawberry.argument(description="The document to withdraw, and the reason."),
        ],
    ) -> WithdrawArtifactPayload | None:
        """Withdraw a document."""
        return await withdraw_artifact(info, input)

    @strawberry.mutation(
        description="Define a type of entities or of documents in a project. Repeating the same definition"
        " changes nothing."
    )
    async def define_type(
        self,
        info: Info,
        input: Annotated[DefineTypeInput, strawberry.argument(description="The type to define.")],
    ) -> TypePayload | None:
        """Define a type."""
        return await define_type(info, input)

    @strawberry.mutation(
        description="Define which flag a status word of a project means, for the entities that are there too."
        " It counts for all valid time; with an earlier knownAt the former meaning still counts. Repeating"
        " the same definition changes nothing."
    )
    async def define_status(
        self,
        info: Info,
        input: Annotated[
            DefineStatusInput, strawberry.argument(description="The word, and the flag that it means.")
        ],
    ) -> StatusPayload | None:
        """Define a status word."""
        return await define_status(info, input)

    @strawberry.mutation(
        description="Create an entity that has no document, with its first state. Unresolved references to"
        " its name are resolved. If the entity exists, the problem is a conflict that names it."
    )
    async def create_entity(
        self,
        info: Info,
        input: Annotated[CreateEntityInput, strawberry.argument(description="The entity to create.")],
    ) -> EntityPayload | None:
        """Create a thing."""
        return await create_entity(info, input)

    @strawberry.mutation(
        description="Promote or reject an alias candidate. A promoted alias is valid from the date of its"
        " document. Only a person may decide, and only once: a second decision is a conflict."
    )
    async def review_alias_candidate(
        self,
        info: Info,
        input: Annotated[
            ReviewCandidateInput, strawberry.argument(description="The decision about the candidate.")
        ],
    ) -> AliasCandidatePayload | None:
        """Decide about a likely alias."""
        return await review_alias_candidate(info, input)

    @strawberry.mutation(
        description="Promote or reject a fact candidate. A promoted fact is valid from the date of its"
        " document. Only a person may decide, and only once: a second decision is a conflict."
    )
    async def review_fact_candidate(
        self,
        info: Info,
        input: Annotated[
            ReviewCandidateInput, strawberry.argument(description="The decision about the candidate.")
        ],
    ) -> FactCandidatePayload | None:
        """Decide about a likely fact."""
        return await review_fact_candidate(info, input)

    @strawberry.mutation(
        description="Create an alias: from now on the name means the entity. A name has one meaning: if it"
        " means another entity, the problem is a conflict that names that entity. Repeating the"
        " same alias changes nothing."
    )
    async def create_alias(
        self,
        info: Info,
        input: Annotated[CreateAliasInput, strawberry.argument(description="The alias to create.")],
    ) -> AliasPayload | None:
        """Write an alias."""
        return await create_alias(info, input)

    @strawberry.mutation(
        description="Withdraw an alias: from now on the name no longer means the entity. Queries as of an"
        " earlier instant still resolve it."
    )
    async def withdraw_alias(
        self,
        info: Info,
        input: Annotated[
            WithdrawAliasInput, strawberry.argument(description="The alias to withdraw, and the reason.")
        ],
    ) -> AliasPayload | None:
        """End an alias."""
        return await withdraw_alias(info, input)

    @strawberry.mutation(
        description="Give a document another identifier, from now on. Its entity, its history and the"
        " references to it stay. The former identifier still finds it, until another document takes it."
    )
    async def move_artifact(
        self,
        info: Info,
        input: Annotated[
            MoveArtifactInput, strawberry.argument(description="The document and its new identifier.")
        ],
    ) -> StatePayload | None:
        """Rename a document."""
        return await move_artifact(info, input)

    @strawberry.mutation(
        description="Create a reference from one entity to another. Repeating the same reference changes"
        " nothing. SUPERSEDES also changes the state of the target."
    )
    async def create_reference(
        self,
        info: Info,
        input: Annotated[CreateReferenceInput, strawberry.argument(description="The reference to create.")],
    ) -> ReferencePayload | None:
        """Write a reference."""
        return await create_reference(info, input)

    @strawberry.mutation(
        description="Withdraw a reference: from now on it is no longer valid. Queries as of an earlier"
        " instant still return it."
    )
    async def withdraw_reference(
        self,
        info: Info,
        input: Annotated[
            WithdrawReferenceInput,
            strawberry.argument(description="The reference to withdraw, and the reason."),
        ],
    ) -> ReferencePayload | None:
        """End a reference."""
        return await withdraw_reference(info, input)

    @strawberry.mutation(
        description="Record the value of one property of an entity from an instant on. At the exact start of"
        " a state this is a correction; with knownAt the former belief can still be read."
    )
    async def record_fact(
        self,
        info: Info,
        input: Annotated[RecordFactInput, strawberry.argument(description="The fact to record.")],
    ) -> StatePayload | None:
        """Record a fact."""
        return await record_fact(info, input)

    @strawberry.mutation(
        description="Change several properties of an entity at once, from an instant on. When several callers"
        " expect the same state, the first one wins and the others get a conflict."
    )
    async def transition(
        self,
        info: Info,
        input: Annotated[TransitionInput, strawberry.argument(description="The change to make.")],
    ) -> StatePayload | None:
        """Carry out a transition."""
        return await transition(info, input)

    @strawberry.mutation(
        description="Save the draft of an entity. The first save creates the draft from the committed state;"
        " later saves change it."
    )
    async def save_wip(
        self,
        info: Info,
        input: Annotated[SaveWipInput, strawberry.argument(description="The properties of the draft.")],
    ) -> StatePayload | None:
        """Save a draft."""
        return await save_wip(info, input)

    @strawberry.mutation(
        description="Seal a draft: its content is in force from now on, and the draft is closed. Only the"
        " properties that were saved in the draft are sealed; changes that others made to the"
        " other properties remain."
    )
    async def seal_wip(
        self,
        info: Info,
        input: Annotated[SealWipInput, strawberry.argument(description="The draft to close.")],
    ) -> StatePayload | None:
        """Seal a draft."""
        return await seal_wip(info, input)

    @strawberry.mutation(description="Discard a draft. The committed state does not change.")
    async def discard_wip(
        self,
        info: Info,
        input: Annotated[DiscardWipInput, strawberry.argument(description="The draft to close.")],
    ) -> StatePayload | None:
        """Discard a draft."""
        return await discard_wip(info, input)
