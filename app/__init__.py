"""Trigraph: memory that knows what a thing is, how it relates and what was true when."""

__version__ = "0.1.0"
