"""Bringing in how documents came to be what they are: each state with the commit that made it so."""

from app.services.importing.history.telling import HistoricState, History, Told

__all__ = ["HistoricState", "History", "Told"]
