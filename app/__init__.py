"""Trigraph: memory that knows what a thing is, how it relates and what was true when."""

import os

__version__ = "0.1.0"

# ONNX Runtime reports to its maker unless this is set before it is loaded; nothing here reports to anybody.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
