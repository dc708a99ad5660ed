"""The review queues: candidates that extractors found, and the decisions of people about them."""

from app.services.review.decide import Decision, Reviewed
from app.services.review.service import ReviewService

__all__ = ["Decision", "ReviewService", "Reviewed"]
