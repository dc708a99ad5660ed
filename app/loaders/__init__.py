"""Data loaders for GraphQL edges: one statement for all parents of one event loop turn."""

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
