"""What an operator may set, read once from the environment and frozen."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, StringConstraints
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_home() -> Path:
    """Answer the platform's folder for a user's application data."""
    return Path(platformdirs.user_data_dir("trigraph", appauthor=False))


class Settings(BaseSettings):
    """Every setting; each is the environment variable TRIGRAPH_ followed by its name in capitals."""

    model_config = SettingsConfigDict(
        env_prefix="TRIGRAPH_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    home: Path = Field(
        default_factory=default_home, description="Where the embedded database keeps its data."
    )
    database_url: str | None = Field(
        default=None,
        description="A PostgreSQL 16+ with pgvector to use instead of the embedded one.",
    )
    tenant: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=128)] = Field(
        default="local", description="The tenant that a local caller works in."
    )
    embedder: Literal["onnx", "sentence-transformers"] = Field(
        default="onnx", description="Which implementation turns text into vectors."
    )
    embedding_model: str | None = Field(
        default=None,
        description="A model name or folder for sentence-transformers; unset means all-MiniLM-L6-v2.",
    )
    embedding_threads: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="How many texts are embedded at once, one thread each.",
    )
    pool_size: int = Field(default=10, ge=2, le=90, description="How many database connections are kept.")
    leg_timeout: float = Field(
        default=5.0, gt=0, description="Seconds after which a leg of recall counts as late."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="The least severe log record that is written."
    )


@cache
def read_settings() -> Settings:
    """Read the environment once and keep what it said."""
    return Settings()
