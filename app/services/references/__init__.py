"""Typed references: create, withdraw, resolve pending ones, and the supersession they cause."""

from app.services.references.create import StatedReference, add_reference
from app.services.references.service import ReferenceAnswer, ReferenceService

__all__ = ["ReferenceAnswer", "ReferenceService", "StatedReference", "add_reference"]
