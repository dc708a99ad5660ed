"""The one analyser: what turns documents and queries into the terms they share."""

from app.services.analysis.analyser import (
    LONGEST_QUERY_READ,
    MOST_QUERY_TERMS,
    AnalysedText,
    is_one_name,
    query_terms,
    terms_of,
)

__all__ = ["LONGEST_QUERY_READ", "MOST_QUERY_TERMS", "AnalysedText", "is_one_name", "query_terms", "terms_of"]
