"""The text analyser: turns documents and queries into the same terms."""

from app.services.analysis.analyzer import (
    MAX_QUERY_LENGTH_READ,
    MAX_QUERY_TERMS,
    AnalysedText,
    is_one_name,
    query_terms,
    terms_of,
)

__all__ = [
    "MAX_QUERY_LENGTH_READ",
    "MAX_QUERY_TERMS",
    "AnalysedText",
    "is_one_name",
    "query_terms",
    "terms_of",
]
