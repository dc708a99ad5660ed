from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.services.memory import Memory
from tests.graphql.api import Api
from tests.graphql.sample import sample_app, written


@pytest.fixture
def client() -> Iterator[TestClient]:
    written.clear()
    with TestClient(sample_app()) as client:
        yield client


@pytest.fixture
def api(memory: Memory) -> Api:
    """The real API on an empty ledger of the test's own."""
    return Api(memory)
