from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from app.errors import Conflict, TrigraphError
from app.graphql.errors import PROBLEMS, ConflictProblem, ProblemCode, problem_from


class StaleState(Conflict):
    pass


def test_a_narrower_error_is_reported_as_its_family() -> None:
    problem = problem_from(StaleState("look again", field="expectedState"))
    assert isinstance(problem, ConflictProblem)
    assert (problem.code, problem.message, problem.field) == (
        ProblemCode.CONFLICT,
        "look again",
        "expectedState",
    )


def test_every_family_has_a_problem_and_a_code() -> None:
    assert {family.code for family in PROBLEMS} == {code.name for code in ProblemCode}
    assert set(PROBLEMS) == set(TrigraphError.__subclasses__())


def test_an_error_of_no_family_is_a_bug_and_not_a_problem() -> None:
    with pytest.raises(TrigraphError, match="nobody expected this"):
        problem_from(TrigraphError("nobody expected this"))


def described(client: TestClient, name: str) -> dict[str, Any]:
    query = """query A($n: String!) { __type(name: $n) {
        description fields { name description } enumValues { name description } interfaces { name } } }"""
    response = client.post("/graphql", json={"query": query, "variables": {"n": name}})
    found: dict[str, Any] = response.json()["data"]["__type"]
    return found


@pytest.mark.parametrize(
    "name", ["Problem", "ProblemCode", *(problem.__name__ for problem in PROBLEMS.values())]
)
def test_everything_about_problems_is_described(client: TestClient, name: str) -> None:
    found = described(client, name)
    parts = [*(found["fields"] or ()), *(found["enumValues"] or ())]
    assert found["description"]
    assert parts
    assert [part["name"] for part in parts if not part["description"]] == []


def test_a_problem_implements_the_interface(client: TestClient) -> None:
    for problem in PROBLEMS.values():
        assert described(client, problem.__name__)["interfaces"] == [{"name": "Problem"}]
