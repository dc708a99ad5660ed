"""Filing documents: prepared off the event loop, written in one transaction."""

from app.services.filing.service import FilingService
from app.services.filing.shipment import Shipment
from app.services.filing.stated import read_stated
from app.services.filing.writing import FiledDocument
from app.services.parsing.stating import StatedDocument, document_from
from app.services.projects import DEFAULT_PROJECT

__all__ = [
    "DEFAULT_PROJECT",
    "FiledDocument",
    "FilingService",
    "Shipment",
    "StatedDocument",
    "document_from",
    "read_stated",
]
