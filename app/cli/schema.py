"""`trigraph schema`."""

from __future__ import annotations

import typer


def schema() -> None:
    """Print the GraphQL schema."""
    from app.graphql.schema import printed_schema

    typer.echo(printed_schema().rstrip("\n"))
