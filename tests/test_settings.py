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
    ],
)
def test_what_cannot_be_meant_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"TRIGRAPH_{name}", value)
    with pytest.raises(ValidationError):
        Settings()
