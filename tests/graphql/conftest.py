from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.graphql.sample import sample_app, written


@pytest.fixture
def client() -> Iterator[TestClient]:
    written.clear()
    with TestClient(sample_app()) as client:
        yield client
