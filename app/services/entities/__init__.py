"""Entities that are not documents: define their types, and create them."""

from app.services.entities.create import CreatedEntity
from app.services.entities.service import CanonicalService
from app.services.entities.types import DefinedType, StatedEntity, StatedType

__all__ = ["CanonicalService", "CreatedEntity", "DefinedType", "StatedEntity", "StatedType"]
