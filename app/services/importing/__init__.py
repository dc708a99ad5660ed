"""Bringing many documents in at once: folders of Markdown and files of rows."""

from app.services.importing.request import ImportRequest
from app.services.importing.service import ImportService
from app.services.importing.summary import ImportSummary

__all__ = ["ImportRequest", "ImportService", "ImportSummary"]
