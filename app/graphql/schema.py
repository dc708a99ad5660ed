"""The GraphQL schema, built from the code and printed as `schema.graphql`."""

from __future__ import annotations

from app.graphql.argument_bounds import bound_arguments
from app.graphql.execution import GuardedSchema
from app.graphql.mutations import Mutation
from app.graphql.queries import Query

SCHEMA = GuardedSchema(query=Query, mutation=Mutation)
bound_arguments(SCHEMA._schema)


def printed_schema() -> str:
    """Return the schema in GraphQL's own language, with a new line at its end."""
    return SCHEMA.as_str().rstrip() + "\n"
