from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.settings import Settings, default_home


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "DATABASE_URL", "TENANT", "LOG_LEVEL"):
        monkeypatch.setenv(f"TRIGRAPH_{name}", "")
    settings = Settings()
    assert settings.home == default_home()
    assert settings.database_url is None
    assert settings.tenant == "local"


def test_white_space_around_a_tenant_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIGRAPH_TENANT", " local ")
    assert Settings().tenant == "local"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TENANT", " "),
        ("TENANT", "x" * 129),
        ("POOL_SIZE", "91"),
        ("LOG_LEVEL", "loud"),
        ("LEG_TIMEOUT", "0"),
        ("NEO4J_URI", "localhost:7687"),
        ("NEO4J_URI", "http://localhost:7474"),
        ("NEO4J_URI", "bolt://"),
        ("NEO4J_URI", "bolt://localhost:port"),
        ("NEO4J_URI", "bolt://localhost/graph"),
        ("NEO4J_URI", "bolt://neo4j:secret@localhost"),
        ("NEO4J_URI", "Embedded"),
    ],
)
def test_what_cannot_be_meant_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"TRIGRAPH_{name}", value)
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    "uri",
    [
        "embedded",
        "bolt://localhost",
        "bolt+s://graph.example:7687",
        "neo4j+ssc://[::1]:7687",
        "neo4j://a?p=q",
    ],
)
def test_neo4j_is_embedded_or_an_address(monkeypatch: pytest.MonkeyPatch, uri: str) -> None:
    monkeypatch.setenv("TRIGRAPH_NEO4J_URI", f" {uri} ")
    assert Settings().neo4j_uri == uri


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIGRAPH_NEO4J_PASSWORD", "hush")
    settings = Settings()
    assert settings.neo4j_password is not None
    assert settings.neo4j_password.get_secret_value() == "hush"
    assert "hush" not in repr(settings)


def test_a_password_is_told_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIGRAPH_NEO4J_PASSWORD", "hush")
    monkeypatch.setenv("TRIGRAPH_NEO4J_PASSWORD_FILE", "/run/secrets/neo4j")
    with pytest.raises(ValidationError, match="unset one of the two"):
        Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AUTH", "password"),
        ("ALLOWED_HOSTS", "https://trigraph.example.com"),
        ("ALLOWED_HOSTS", "trigraph.example.com:8000"),
        ("ALLOWED_HOSTS", "*example.com"),
        ("ALLOWED_HOSTS", "a,b c"),
        ("ALLOWED_HOSTS", "."),
        ("CORS_ORIGINS", "*"),
        ("CORS_ORIGINS", "app.example.com"),
        ("CORS_ORIGINS", "https://app.example.com/"),
        ("CORS_ORIGINS", "null"),
        ("CORS_ORIGINS", "https://*.example.com"),
    ],
)
def test_names_and_origins_that_no_client_sends_are_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"TRIGRAPH_{name}", value)
    with pytest.raises(ValidationError):
        Settings()


def test_names_and_origins_are_lists_without_case(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Settings().allowed_hosts, Settings().cors_origins) == ((), ())
    monkeypatch.setenv("TRIGRAPH_ALLOWED_HOSTS", "Trigraph.example.com, *.internal,[::1],localhost,")
    monkeypatch.setenv("TRIGRAPH_CORS_ORIGINS", "https://App.example.com , http://localhost:3000")
    settings = Settings()
    assert settings.allowed_hosts == ("trigraph.example.com", "*.internal", "[::1]", "localhost")
    assert settings.cors_origins == ("https://app.example.com", "http://localhost:3000")
    monkeypatch.setenv("TRIGRAPH_ALLOWED_HOSTS", "*")
    assert Settings().allowed_hosts == ("*",)
