"""Edges of the graph, loaded together: one statement for all the parents of a turn."""

from app.loaders.batching import Asked
from app.loaders.loaders import Loaders
from app.loaders.questions import HistoryQuestion, NeighbourQuestion, ReferenceQuestion, StateQuestion
from app.stores.postgres.histories import Arrival

__all__ = [
    "Arrival",
    "Asked",
    "HistoryQuestion",
    "Loaders",
    "NeighbourQuestion",
    "ReferenceQuestion",
    "StateQuestion",
]
