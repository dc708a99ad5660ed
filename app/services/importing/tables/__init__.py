"""Rows of a table that an older system keeps, filed as documents, and the aliases it knows."""

from app.services.importing.tables.request import TableRequest
from app.services.importing.tables.service import TableImportService

__all__ = ["TableImportService", "TableRequest"]
