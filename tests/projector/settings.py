"""Settings of a ledger and a Neo4j that tests use."""

from __future__ import annotations

from pydantic import SecretStr

from app.settings import Settings
from app.stores.neo4j.location import GraphLocation


def settings_of(database_url: str, neo4j: GraphLocation, uri: str | None = None) -> Settings:
    """Return settings that name them; with `uri`, the Neo4j is reached by that instead."""
    password = None if neo4j.password is None else SecretStr(neo4j.password)
    return Settings(
        database_url=database_url,
        neo4j_uri=uri or neo4j.uri,
        neo4j_user=neo4j.user,
        neo4j_password=password,
        pool_size=4,
    )
