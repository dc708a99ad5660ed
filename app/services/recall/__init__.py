"""Recall: four legs, one order, and the standing of every hit."""

from app.services.recall.pipeline import CANDIDATES_PER_LEG, RecallService

__all__ = ["CANDIDATES_PER_LEG", "RecallService"]
