from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from app.web import FOLDER, graphiql_page, graphiql_routes

MANIFEST = json.loads((FOLDER / "manifest.json").read_text())
OWN = {"index.html", "page.css", "boot.js", "manifest.json", "NOTICE"}


@pytest.fixture
def client() -> Iterator[TestClient]:
    page = Route("/graphql", lambda _: graphiql_page())
    with TestClient(Starlette(routes=[page, *graphiql_routes()])) as client:
        yield client


@pytest.mark.parametrize("entry", MANIFEST, ids=lambda entry: entry["file"])
def test_a_vendored_file_is_as_published(entry: dict[str, str]) -> None:
    content = (FOLDER / entry["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry["sha256"]
    assert f"{entry['package']} {entry['version']}" in (FOLDER / "NOTICE").read_text()


def test_no_file_is_without_an_origin_or_too_large() -> None:
    files = {file.name: file.stat().st_size for file in FOLDER.iterdir()}
    assert set(files) == OWN | {entry["file"] for entry in MANIFEST}
    assert max(files.values()) < 1_500_000


@pytest.mark.parametrize("name", ["index.html", "boot.js", "page.css"])
def test_nothing_of_ours_names_another_host(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert re.findall(r"https?:|[\"'(]//", text) == []


def test_the_page_loads_only_what_is_served_beside_it(client: TestClient) -> None:
    page = client.get("/graphql")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    for address in set(loaded) - {"data:,"}:
        assert client.get(f"/{address}").status_code == 200
    assert len(loaded) == 7


def test_the_page_runs_no_script_but_our_files(client: TestClient) -> None:
    page = client.get("/graphql")
    policy = dict(part.split(" ", 1) for part in page.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert re.findall(r"<script(?![^>]*src=)|<style|\son\w+=|javascript:", page.text) == []


@pytest.mark.parametrize(
    "path", ["/graphiql/..%2f..%2ferrors.py", "/graphiql/../graphiql.py", "/graphiql/", "/graphiql/none"]
)
def test_nothing_but_the_folder_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_the_bare_address_leads_to_the_page(client: TestClient) -> None:
    led = client.get("/")
    assert (led.status_code, led.url.path) == (200, "/graphql")
    answer = client.get("/", follow_redirects=False)
    assert (answer.headers["location"], answer.text) == (
        "/graphql",
        "GraphQL is available at /graphql, with GraphiQL in a browser\n",
    )
