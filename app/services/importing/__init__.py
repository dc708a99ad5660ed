"""Importing many documents at once: folders of Markdown, row files, repositories and tables."""

from app.services.importing.request import ImportRequest, ImportSummary
from app.services.importing.service import ImportService

__all__ = ["ImportRequest", "ImportService", "ImportSummary"]
