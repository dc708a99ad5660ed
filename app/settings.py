"""The settings, read once from the environment and frozen."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    StringConstraints,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def default_home() -> Path:
    """Return the platform's folder for a user's application data."""
    return Path(platformdirs.user_data_dir("trigraph", appauthor=False))


EMBEDDED = "embedded"
ENV_PREFIX = "TRIGRAPH_"
_NEO4J_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def _neo4j_uri(text: str) -> str:
    """Refuse a value that is neither `embedded` nor a server address, and an address with a password."""
    if text == EMBEDDED:
        return text
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in _NEO4J_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or parts.path.strip("/"):
        raise ValueError("it is neither embedded nor an address such as bolt://localhost:7687")
    if parts.username is not None:
        raise ValueError("it contains a user; set TRIGRAPH_NEO4J_USER and TRIGRAPH_NEO4J_PASSWORD instead")
    return text


def _separated(given: object) -> object:
    """Return the parts between the commas of a text, without case."""
    if not isinstance(given, str):
        return given
    return tuple(part.strip().lower() for part in given.split(",") if part.strip())


_HOST = re.compile(r"\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
_ORIGIN = re.compile(r"https?://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?")


def _hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise ValueError(f"{host!r} is not a name such as trigraph.example.com or *.example.com, or *")
    return hosts


def _origins(origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError(f"{origin!r} is not an origin such as https://app.example.com, with no path")
    return origins


class Settings(BaseSettings):
    """All settings; each is read from the environment variable TRIGRAPH_ plus its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_ignore_empty=True, frozen=True, extra="ignore"
    )

    home: Path = Field(default_factory=default_home, description="The folder of the embedded database.")
    database_url: str | None = Field(
        default=None,
        description="The URL of a PostgreSQL 16 or newer with pgvector, to use instead of the embedded"
        " database.",
    )
    neo4j_uri: Annotated[str, StringConstraints(strip_whitespace=True), AfterValidator(_neo4j_uri)] | None = (
        Field(
            default=None,
            description="The Neo4j for the graph: bolt://, neo4j:// or embedded. Unset means no graph.",
        )
    )
    neo4j_user: str = Field(default="neo4j", description="The user of the Neo4j server.")
    neo4j_password: SecretStr | None = Field(
        default=None, description="The password of that user; unset if the server needs none."
    )
    neo4j_password_file: Path | None = Field(
        default=None, description="A file with that password, instead of the password itself."
    )
    tenant: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)] = Field(
        default="local", description="The tenant of a local caller."
    )
    auth: Literal["none", "tokens"] = Field(
        default="none",
        description="Who may use the service: the person at this machine, or whoever has a token.",
    )
    allowed_hosts: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(_separated), AfterValidator(_hosts)
    ] = Field(
        default=(),
        description="The names by which clients reach the service, beside those of this machine, with commas"
        " between; * means any.",
    )
    cors_origins: Annotated[
        tuple[str, ...], NoDecode, BeforeValidator(_separated), AfterValidator(_origins)
    ] = Field(
        default=(),
        description="The origins whose web pages may use the service, such as https://app.example.com,"
        " with commas between.",
    )
    trusted_documents: Path | None = Field(
        default=None,
        description="A JSON file with the only GraphQL documents that are answered; unset means any.",
    )
    embedder: Literal["onnx", "sentence-transformers"] = Field(
        default="onnx", description="The encoder that turns text into vectors."
    )
    embedding_model: str | None = Field(
        default=None,
        description="A model name or folder for sentence-transformers; unset means all-MiniLM-L6-v2.",
    )
    embedding_threads: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="How many texts are embedded at the same time, each in its own thread.",
    )
    pool_size: int = Field(
        default=10,
        ge=2,
        le=90,
        description="The number of database connections; a fifth of them is for writes.",
    )
    leg_timeout: float = Field(default=3.0, gt=0, description="Seconds after which a leg of recall is late.")
    recall_timeout: float = Field(
        default=5.0, gt=0, description="Seconds after which the service stops a request for one recall."
    )
    read_timeout: float = Field(
        default=10.0, gt=0, description="Seconds after which the service stops any other request that reads."
    )
    max_connections: int = Field(
        default=1_000,
        ge=10,
        le=100_000,
        description="How many clients a process of the service is connected to at most.",
    )
    slow_operation: float = Field(
        default=1.0, gt=0, description="Seconds after which an operation is logged as a slow one."
    )
    recency: Literal["bounded", "literal"] = Field(
        default="bounded",
        description="How age moves a score: by 2 % at most, or multiplied by exp(-age in days / 180).",
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The minimum level of log records."
    )

    @field_validator("neo4j_password_file")
    @classmethod
    def _one_password(cls, path: Path | None, others: ValidationInfo) -> Path | None:
        if path is not None and others.data.get("neo4j_password") is not None:
            raise ValueError("TRIGRAPH_NEO4J_PASSWORD is set too; unset one of the two")
        return path


@cache
def read_settings() -> Settings:
    """Read the settings from the environment once and cache them."""
    return Settings()


def unknown_variables(names: Iterable[str]) -> list[str]:
    """Return a line for each variable that has the prefix of the settings but is not one."""
    settings = {f"{ENV_PREFIX}{name}".upper() for name in Settings.model_fields}
    unknown = sorted({name for name in names if name.upper().startswith(ENV_PREFIX)} - settings)
    return [_unknown_variable(name, settings) for name in unknown if name.upper() not in settings]


def _unknown_variable(name: str, settings: set[str]) -> str:
    near = difflib.get_close_matches(name.upper(), sorted(settings), n=1, cutoff=0.8)
    hint = f"; did you mean {near[0]}?" if near else f"; the settings are {', '.join(sorted(settings))}"
    return f"{name} is not a setting and has no effect{hint}"
