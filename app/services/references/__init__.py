"""Typed references that callers state and take back."""

from app.services.references.create import StatedReference, add_reference
from app.services.references.service import ReferenceAnswer, ReferenceService

__all__ = ["ReferenceAnswer", "ReferenceService", "StatedReference", "add_reference"]
