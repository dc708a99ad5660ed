"""What things are: the types that a project defines, and things that come without a document."""

from app.services.entities.create import CreatedEntity
from app.services.entities.service import CanonicalService
from app.services.entities.types import DefinedType, StatedEntity, StatedType

__all__ = ["CanonicalService", "CreatedEntity", "DefinedType", "StatedEntity", "StatedType"]
