from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.services.container import Memory
from tests.documents import RELATES_TO, SUPERSEDES, adr, claims, day
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


@pytest.fixture
async def records(api: Api) -> Api:
    """Three records: the first superseded by the second in 2022, the third related to both."""
    await api.file_all(
        [
            adr(1, "Poll the queue", "Workers poll the queue every second.", created_at=day(2020)),
            adr(
                2,
                "Listen to the queue",
                "Workers listen to the queue instead of polling.",
                created_at=day(2022),
                references=claims(SUPERSEDES, "ADR-1"),
            ),
            adr(
                3,
                "Name the queue",
                "The queue is called Prism.",
                created_at=day(2023),
                props={"aliases": ["PrismGR", "Prism Gate"]},
                references=claims(RELATES_TO, "ADR-1", "ADR-2"),
            ),
        ],
    )
    return api
