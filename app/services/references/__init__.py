"""Typed references that callers state and take back."""

from app.services.references.service import ReferenceAnswer, ReferenceService
from app.services.references.writing import StatedReference, add_reference

__all__ = ["ReferenceAnswer", "ReferenceService", "StatedReference", "add_reference"]
