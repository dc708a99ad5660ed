"""What things are: the types that a project defines, and things that come without a document."""

from app.services.canonical.creating import CreatedEntity
from app.services.canonical.defining import DefinedType
from app.services.canonical.service import CanonicalService
from app.services.canonical.stating import StatedEntity, StatedType

__all__ = ["CanonicalService", "CreatedEntity", "DefinedType", "StatedEntity", "StatedType"]
