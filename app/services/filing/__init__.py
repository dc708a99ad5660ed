"""Filing: documents are prepared off the event loop and written in one transaction."""

from app.services.catalog.lookup import DEFAULT_PROJECT
from app.services.filing.pipeline import DocumentBatch
from app.services.filing.prepare import StatedDocument, document_from, read_stated
from app.services.filing.service import FilingService
from app.services.filing.write_document import FiledDocument

__all__ = [
    "DEFAULT_PROJECT",
    "DocumentBatch",
    "FiledDocument",
    "FilingService",
    "StatedDocument",
    "document_from",
    "read_stated",
]
