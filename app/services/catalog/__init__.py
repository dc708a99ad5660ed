"""Reading what is there: projects, types, long lists, and what a name means."""

from app.services.catalog.listing import Listing
from app.services.catalog.resolution import Ambiguous
from app.services.catalog.service import CatalogService, Edges
from app.services.catalog.waiting import waiting_told

__all__ = ["Ambiguous", "CatalogService", "Edges", "Listing", "waiting_told"]
