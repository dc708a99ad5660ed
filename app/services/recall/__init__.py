"""Recall: search by four legs, fuse their rankings, and annotate every hit."""

from app.services.recall.pipeline import CANDIDATES_PER_LEG, RecallService

__all__ = ["CANDIDATES_PER_LEG", "RecallService"]
