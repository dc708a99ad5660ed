"""Reading what is there: projects, types, long lists, and what a name means."""

from app.services.catalog.alias_resolution import Ambiguous
from app.services.catalog.lookup import waiting_told
from app.services.catalog.service import CatalogService, Edges, Listing

__all__ = ["Ambiguous", "CatalogService", "Edges", "Listing", "waiting_told"]
