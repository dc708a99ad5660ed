from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio

from app.embedding import Vectors
from app.embedding.onnx import OnnxEmbedder, open_onnx

REFERENCE = Path(__file__).with_name("reference")


@pytest.fixture(scope="session")
def texts() -> list[str]:
    read: list[str] = json.loads((REFERENCE / "texts.json").read_text("utf-8"))
    return read


@pytest.fixture(scope="session")
def published() -> Vectors:
    """What sentence-transformers makes of the texts with the published weights."""
    vectors: Vectors = np.load(REFERENCE / "vectors.npy")
    return vectors


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedder() -> AsyncIterator[OnnxEmbedder]:
    opened = open_onnx(threads=2)
    yield opened
    await opened.close()
