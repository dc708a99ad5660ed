"""The review queues: what extractors noticed, and what people decide about it, once."""

from app.services.review.decide import Decision, Reviewed
from app.services.review.service import ReviewService

__all__ = ["Decision", "ReviewService", "Reviewed"]
