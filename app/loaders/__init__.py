"""Edges of the graph, loaded together: one statement for all the parents of a turn."""

from app.loaders.batching import (
    BatchedKey,
    HistoryQuestion,
    NeighbourQuestion,
    ReferenceQuestion,
    StateQuestion,
)
from app.loaders.loaders import Loaders
from app.stores.postgres.state_history import Arrival

__all__ = [
    "Arrival",
    "BatchedKey",
    "HistoryQuestion",
    "Loaders",
    "NeighbourQuestion",
    "ReferenceQuestion",
    "StateQuestion",
]
