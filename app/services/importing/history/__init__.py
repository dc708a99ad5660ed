"""Importing the history of documents: each state with the commit that made it so."""

from app.services.importing.history.model import DocumentHistory, HistoricState, History

__all__ = ["DocumentHistory", "HistoricState", "History"]
