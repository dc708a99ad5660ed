"""Importing the rows of a table of another database as documents, with their aliases."""

from app.services.importing.table.service import TableImportService, TableRequest

__all__ = ["TableImportService", "TableRequest"]
