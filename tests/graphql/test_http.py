from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from starlette.testclient import TestClient

from app.graphql.http_request import MAX_BODY
from tests.graphql.sample import SECRET, written

GRAPHQL = "application/graphql-response+json"
JSON = {"content-type": "application/json"}


def ask(client: TestClient, query: str, **parameters: Any) -> dict[str, Any]:
    response = client.post("/graphql", json={"query": query, **parameters}, headers={"accept": GRAPHQL})
    answer: dict[str, Any] = response.json()
    return answer


def code(answer: dict[str, Any]) -> str:
    [error] = answer["errors"]
    extension: str = error["extensions"]["code"]
    return extension


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        (GRAPHQL, GRAPHQL),
        (f"{GRAPHQL}, application/json;q=0.9", GRAPHQL),
        (f"{GRAPHQL};q=0.2, application/json;q=0.9", "application/json"),
        (f"application/json, {GRAPHQL}", GRAPHQL),
        ("application/json, multipart/mixed", "application/json"),
        (f"{GRAPHQL};q=0, */*", "application/json"),
    ],
)
def test_the_client_chooses_the_media_type(client: TestClient, accept: str | None, media: str) -> None:
    client.headers.pop("accept")
    headers = {"accept": accept} if accept else {}
    response = client.post("/graphql", json={"query": "{ greeting }"}, headers=headers)
    assert response.json()["data"] == {"greeting": "Hello, World"}
    assert response.headers["content-type"] == f"{media}; charset=utf-8"
    assert response.headers["vary"] == "Accept"
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "accept", ["image/png", f"{GRAPHQL};q=0", "application/json;q=0", "*/*;q=0", "text/event-stream;q=0"]
)
def test_a_client_that_takes_neither_type_is_told(client: TestClient, accept: str) -> None:
    response = client.post("/graphql", json={"query": "{ greeting }"}, headers={"accept": accept})
    assert response.status_code == 406
    assert code(response.json()) == "BAD_REQUEST"


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "text/html, application/json",
    ],
)
def test_a_browser_gets_the_page(client: TestClient, accept: str) -> None:
    response = client.get("/graphql", headers={"accept": accept})
    assert response.headers["content-type"].startswith("text/html")
    assert "GraphiQL" in response.text
    assert response.headers["vary"] == "Accept"


def test_a_program_that_can_read_html_still_gets_its_answer(client: TestClient) -> None:
    accept = "application/json, text/html;q=0.5"
    response = client.get("/graphql", params={"query": "{ greeting }"}, headers={"accept": accept})
    assert response.json()["data"] == {"greeting": "Hello, World"}


def test_get_takes_variables_and_the_name_of_an_operation(client: TestClient) -> None:
    parameters = {
        "query": "query A($n: String!) { greeting(name: $n) } query B { number }",
        "variables": '{"n": "Ada"}',
        "operationName": "A",
    }
    assert client.get("/graphql", params=parameters).json()["data"] == {"greeting": "Hello, Ada"}
    assert client.head("/graphql", params=parameters).status_code == 200


BROWSER = {"user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/143.0"}
GREETING = {"query": "{ greeting }"}


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "nonsense"},
        BROWSER,
        {**BROWSER, "accept": "application/graphql-response+json"},
        {**BROWSER, "content-type": "text/plain"},
    ],
)
def test_a_get_that_another_site_may_have_sent_is_refused(
    client: TestClient, headers: dict[str, str]
) -> None:
    for accept in ({}, {"accept": "application/json"}):
        response = client.get("/graphql", params=GREETING, headers={**accept, **headers})
        assert (response.status_code, code(response.json())) == (403, "FORBIDDEN")
        assert "GraphQL-Require-Preflight" in response.text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin", **BROWSER},
        {"sec-fetch-site": "none", **BROWSER},
        {"sec-fetch-site": "cross-site", "graphql-require-preflight": "1"},
        {"sec-fetch-site": "cross-site", "apollo-require-preflight": "true"},
        {"sec-fetch-site": "cross-site", "x-requested-with": "fetch"},
        {"sec-fetch-site": "cross-site", "authorization": "Bearer x"},
        {"sec-fetch-site": "cross-site", "content-type": "application/json"},
        {**BROWSER, "content-type": "application/json; charset=utf-8"},
        {"user-agent": "curl/8.5"},
    ],
)
def test_a_get_that_only_its_own_client_can_have_sent_is_answered(
    client: TestClient, headers: dict[str, str]
) -> None:
    response = client.get("/graphql", params=GREETING, headers={"accept": "application/json", **headers})
    assert response.json()["data"] == {"greeting": "Hello, World"}


def test_a_mutation_by_get_is_refused_and_does_nothing(client: TestClient) -> None:
    response = client.get("/graphql", params={"query": 'mutation { write(name: "x") { problems { code } } }'})
    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert written == []


def test_a_mutation_hidden_behind_a_query_is_refused_by_get(client: TestClient) -> None:
    query = 'query A { greeting } mutation B { write(name: "x") { problems { code } } }'
    assert client.get("/graphql", params={"query": query, "operationName": "B"}).status_code == 405
    assert code(client.get("/graphql", params={"query": query}).json()) == "BAD_USER_INPUT"
    assert written == []


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/json; charset=latin-1",
        "",
    ],
)
def test_what_a_foreign_page_may_post_is_refused(client: TestClient, content_type: str) -> None:
    body = json.dumps({"query": 'mutation { write(name: "x") { problems { code } } }'})
    response = client.post("/graphql", content=body, headers={"content-type": content_type})
    assert response.status_code == 415
    assert written == []


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_other_methods_are_told_what_is_allowed(client: TestClient, method: str) -> None:
    response = client.request(method, "/graphql")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD, POST"


BODIES = {
    "null": b"null",
    "number": b"1",
    "true": b"true",
    "text": b'"x"',
    "empty": b"",
    "empty list": b"[]",
    "batch": b"[1]",
    "batch of operations": b'[{"query": "{ greeting }"}]',
    "empty object": b"{}",
    "no text": b'{"query": 1}',
    "null query": b'{"query": null}',
    "blank query": b'{"query": " "}',
    "list of variables": b'{"query": "{ greeting }", "variables": []}',
    "text of variables": b'{"query": "{ greeting }", "variables": "{}"}',
    "number of extensions": b'{"query": "{ greeting }", "extensions": 1}',
    "object as name": b'{"query": "{ greeting }", "operationName": {}}',
    "bad bytes": b"\xff\xfe",
    "bad utf-8": b'{"query": "{ greeting(name: \\"\xff\\") }"}',
    "half a surrogate": b'{"query": "{ greeting(name: \\"\\ud83d\\") }"}',
    "nested lists": b"[" * 100_000,
    "nested and closed": b"[" * 100_000 + b"]" * 100_000,
    "nested objects": b'{"a":' * 50_000,
    "spaces": b" " * 100_000,
    "cut": b'{"query": "{ greet',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("accept", [GRAPHQL, "application/json"])
def test_no_body_is_a_server_error(client: TestClient, body: bytes, accept: str) -> None:
    response = client.post("/graphql", content=body, headers={**JSON, "accept": accept})
    assert response.status_code == 400
    assert code(response.json()) == "BAD_REQUEST"
    assert "data" not in response.json()


DOCUMENTS = {
    "no document": ("{", "GRAPHQL_PARSE_FAILED"),
    "half a surrogate": (r'{ greeting(name: "\uD83D") }', "GRAPHQL_PARSE_FAILED"),
    "nested fields": ("{ greeting " * 900, "GRAPHQL_PARSE_FAILED"),
    "nested and closed": ("{ whole " * 600 + "}" * 600, "GRAPHQL_PARSE_FAILED"),
    "nested values": ("{ json(value: " + "[" * 900 + "]" * 900 + ") }", "GRAPHQL_PARSE_FAILED"),
    "too many words": ("{ " + "greeting " * 2_100 + "}", "GRAPHQL_PARSE_FAILED"),
    "too many comments": ("#\n" * 2_100 + "{ greeting }", "GRAPHQL_PARSE_FAILED"),
    "no such field": ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
    "no such fragment": ("{ ...Nothing }", "GRAPHQL_VALIDATION_FAILED"),
    "two operations": ("query A { greeting } query B { greeting }", "BAD_USER_INPUT"),
}


@pytest.mark.parametrize(("query", "expected"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_document_that_cannot_run_has_a_code_and_no_data(
    client: TestClient, query: str, expected: str
) -> None:
    for accept, status in ((GRAPHQL, 400), ("application/json", 200)):
        response = client.post("/graphql", json={"query": query}, headers={"accept": accept})
        assert response.status_code == status
        assert "data" not in response.json()
        assert {error["extensions"]["code"] for error in response.json()["errors"]} == {expected}


@pytest.mark.parametrize("variables", [{}, {"n": None}, {"n": 1}, {"n": ["x"]}, {"n": {"a": {}}}])
def test_a_variable_that_does_not_fit_is_the_callers_mistake(
    client: TestClient, variables: dict[str, Any]
) -> None:
    query = "query A($n: String!) { greeting(name: $n) }"
    answer = ask(client, query, variables=variables)
    assert code(answer) == "BAD_USER_INPUT"
    assert "data" not in answer


def test_a_null_for_an_argument_with_a_default_is_the_callers_mistake(client: TestClient) -> None:
    answer = ask(client, "query A($v: Int = 1) { number(value: $v) }", variables={"v": None})
    assert code(answer) == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    ("query", "name", "message"),
    [
        ("query A { greeting }", "B", "The document has no operation named 'B'."),
        ("fragment A on Query { greeting }", None, "The document has no operation."),
        ("type A { b: Int }", None, "The document has no operation."),
    ],
)
def test_an_operation_that_is_not_there_is_the_callers_mistake(
    client: TestClient, query: str, name: str | None, message: str
) -> None:
    response = client.post("/graphql", json={"query": query, "operationName": name})
    assert response.status_code == 400
    assert code(response.json()) == "BAD_USER_INPUT"
    assert response.json()["errors"][0]["message"] == message


@pytest.mark.parametrize("number", ["9223372036854775808", "18446744073709551616", "-99999999999999999999"])
def test_a_number_that_would_be_rounded_is_refused(client: TestClient, number: str) -> None:
    body = f'{{"query": "{{ greeting }}", "variables": {{"held": [{{"n": {number}}}]}}}}'
    response = client.post("/graphql", content=body, headers=JSON)
    assert response.status_code == 400
    assert "more than 64 bits" in response.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    "value",
    [
        "9223372036854775807",
        "-9223372036854775807",
        "12345678901234567890.5",
        "1e300",
        '"18446744073709551616"',
        r'"a \" 18446744073709551616 \\"',
        r'{"18446744073709551616": "\\\"18446744073709551616"}',
    ],
)
def test_other_numbers_and_digits_in_texts_are_taken(client: TestClient, value: str) -> None:
    body = f'{{"query": "{{ greeting }}", "variables": {{"held": {value}}}}}'
    response = client.post("/graphql", content=body, headers=JSON)
    assert response.json()["data"] == {"greeting": "Hello, World"}


def test_a_long_body_is_refused_before_it_is_read(client: TestClient) -> None:
    body = json.dumps({"query": "{ greeting }" + " " * MAX_BODY})
    assert client.post("/graphql", content=body, headers=JSON).status_code == 413


def test_a_long_body_of_unknown_length_is_refused_as_it_is_read(client: TestClient) -> None:
    sent = 0

    def chunks() -> Any:
        nonlocal sent
        while True:
            sent += 65_536
            yield b" " * 65_536
            if sent > 2 * MAX_BODY:
                return

    assert client.post("/graphql", content=chunks(), headers=JSON).status_code == 413


def test_a_body_of_the_full_length_is_served(client: TestClient) -> None:
    body = json.dumps({"query": "{ greeting }"}).encode()
    body += b" " * (MAX_BODY - len(body))
    assert client.post("/graphql", content=body, headers=JSON).json()["data"]


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("INVALID", "BAD_USER_INPUT"),
        ("NOT_FOUND", "NOT_FOUND"),
        ("CONFLICT", "CONFLICT"),
        ("FORBIDDEN", "FORBIDDEN"),
        ("UNAVAILABLE", "UNAVAILABLE"),
    ],
)
def test_a_failure_raised_on_purpose_keeps_its_message(
    client: TestClient, family: str, expected: str
) -> None:
    answer = ask(client, "query A($c: String!) { fail(code: $c) }", variables={"c": family})
    assert answer["data"] == {"fail": None}
    [error] = answer["errors"]
    assert error["message"] == "say it differently"
    assert error["path"] == ["fail"]
    assert error["extensions"] == {"code": expected, "field": "name", "rule": "one_name_per_thing"}


@pytest.mark.parametrize(("family", "status"), [("FORBIDDEN", 403), ("UNAVAILABLE", 503), ("INVALID", 400)])
def test_a_failure_before_the_operation_has_a_status(client: TestClient, family: str, status: int) -> None:
    headers = {"accept": GRAPHQL, "x-fail": family}
    response = client.post("/graphql", json={"query": "{ greeting }"}, headers=headers)
    assert response.status_code == status
    assert response.json()["errors"][0]["message"] == "say it differently"


@pytest.mark.parametrize("field", ["crash", "crashInGraphql"])
def test_an_unexpected_failure_is_masked_and_logged_once(
    client: TestClient, caplog: pytest.LogCaptureFixture, field: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = ask(client, f"{{ greeting {field} }}")
    assert answer["data"] == {"greeting": "Hello, World", field: None}
    assert code(answer) == "INTERNAL"
    assert SECRET not in json.dumps(answer)
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert answer["errors"][0]["extensions"]["id"] in record.getMessage()
    assert record.exc_info is not None
    assert SECRET in str(record.exc_info[1])


def test_an_answer_that_json_cannot_carry_is_masked(client: TestClient) -> None:
    response = client.post("/graphql", json={"query": "{ tooLarge }"})
    assert response.status_code == 500
    assert code(response.json()) == "INTERNAL"


def test_a_refused_query_is_not_written_to_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        ask(client, '{ nothing(name: "swordfish") }')
        ask(client, "query A($v: Int!) { number(value: $v) }", variables={"v": "swordfish"})
    assert "swordfish" not in caplog.text


@pytest.mark.parametrize("family", ["INVALID", "NOT_FOUND", "CONFLICT", "FORBIDDEN", "UNAVAILABLE"])
def test_a_mutation_reports_a_failure_as_a_problem(client: TestClient, family: str) -> None:
    query = "mutation A($n: String!) { write(name: $n) { problems { __typename code message field } } }"
    answer = ask(client, query, variables={"n": family})
    assert "errors" not in answer
    [problem] = answer["data"]["write"]["problems"]
    assert problem == {
        "__typename": family.title().replace("_", "") + "Problem",
        "code": family,
        "message": "say it differently",
        "field": "name",
    }
    assert written == []


def test_a_mutation_by_post_is_carried_out_once(client: TestClient) -> None:
    answer = ask(client, 'mutation { write(name: "x") { problems { code } } }')
    assert answer["data"] == {"write": {"problems": []}}
    assert written == ["x"]
