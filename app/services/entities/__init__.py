"""Entities that are not documents: define their types, and create them; and define status words."""

from app.services.entities.create import CreatedEntity
from app.services.entities.service import CanonicalService
from app.services.entities.statuses import DefinedStatusWord, StatedStatusWord, StatusWord
from app.services.entities.types import DefinedType, StatedEntity, StatedType

__all__ = [
    "CanonicalService",
    "CreatedEntity",
    "DefinedStatusWord",
    "DefinedType",
    "StatedEntity",
    "StatedStatusWord",
    "StatedType",
    "StatusWord",
]
