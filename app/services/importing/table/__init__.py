"""Rows of a table that an older system keeps, filed as documents, and the aliases it knows."""

from app.services.importing.table.service import TableImportService, TableRequest

__all__ = ["TableImportService", "TableRequest"]
