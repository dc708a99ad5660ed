"""Reading documents in processes of their own, which can be stopped: no text holds up who else asks."""

from app.services.document_reader.process import Interrupted
from app.services.document_reader.reader import DocumentReader, document_reader

__all__ = ["DocumentReader", "Interrupted", "document_reader"]
