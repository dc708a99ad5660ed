"""Bringing many documents in at once: folders of Markdown and files of rows."""

from app.services.importing.request import ImportRequest
from app.services.importing.run import ImportSummary
from app.services.importing.service import ImportService

__all__ = ["ImportRequest", "ImportService", "ImportSummary"]
