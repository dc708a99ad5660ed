"""Reading documents in separate processes, so that one hard text cannot block other callers."""

from app.services.document_reader.process import DocumentReader, Stopped, document_reader

__all__ = ["DocumentReader", "Stopped", "document_reader"]
