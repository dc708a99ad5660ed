"""Bringing many documents in at once: folders of Markdown and files of rows."""

from app.services.importing.service import ImportRequest, ImportService
from app.services.importing.summary import ImportSummary

__all__ = ["ImportRequest", "ImportService", "ImportSummary"]
