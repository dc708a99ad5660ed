"""Bringing in how documents came to be what they are: each state with the commit that made it so."""

from app.services.importing.history.model import DocumentHistory, HistoricState, History

__all__ = ["DocumentHistory", "HistoricState", "History"]
