"""Parsing documents: Markdown text in, claims and passages out."""

from __future__ import annotations

from app.services.parsing.document import parse_markdown
from app.services.parsing.embedding_text import passage_text_for_encoder
from app.services.parsing.identifiers import IdentifierMention, find_identifiers
from app.services.parsing.json_rows import parse_row
from app.services.parsing.passages import cut_passages
from app.services.parsing.text import clean_path, clean_text

__all__ = [
    "IdentifierMention",
    "clean_path",
    "clean_text",
    "cut_passages",
    "find_identifiers",
    "parse_markdown",
    "parse_row",
    "passage_text_for_encoder",
]
