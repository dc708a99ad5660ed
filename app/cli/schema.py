"""`trigraph schema`: print the GraphQL schema."""

from __future__ import annotations

from app.cli.output import say


def schema() -> None:
    """Print the GraphQL schema."""
    from app.graphql.schema import printed_schema

    say(printed_schema().rstrip("\n"))
