"""Read the catalog: projects, types, lists of nodes, and the meaning of names."""

from app.services.catalog.alias_resolution import Ambiguous, Elsewhen
from app.services.catalog.lookup import EntityNames, describe_pending
from app.services.catalog.service import CatalogService, Edges, Listing, WantedStanding
from app.stores.postgres.ledger_clock import RequestedMoment
from app.stores.postgres.lists import Narrowing

__all__ = [
    "Ambiguous",
    "CatalogService",
    "Edges",
    "Elsewhen",
    "EntityNames",
    "Listing",
    "Narrowing",
    "RequestedMoment",
    "WantedStanding",
    "describe_pending",
]
