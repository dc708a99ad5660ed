from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import Unavailable
from app.settings import Settings
from app.stores.postgres import location
from app.stores.postgres.connection import owner_connection
from app.stores.postgres.location import locate_ledger
from tests.conftest import Server


async def test_without_a_url_the_home_holds_the_ledger(server: Server, home: Path) -> None:
    located = await locate_ledger(Settings(home=home, database_url=None))
    assert located.url == server.url
    await located.close()
    async with owner_connection(server.url) as connection:
        assert await connection.fetchval("SELECT 1") == 1, "the session's own share keeps the server"


async def test_a_url_names_a_server_of_its_own(server: Server, home: Path) -> None:
    located = await locate_ledger(Settings(home=home / "unused", database_url=server.url))
    assert (located.url, located.embedded) == (server.url, None)
    await located.close()
    assert not (home / "unused").exists()


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("postgresql://me:secret@127.0.0.1:1/ledger", "postgresql://me@127.0.0.1:1/ledger"),
        ("postgresql://me@127.0.0.1:1/ledger?password=secret", "postgresql://me@127.0.0.1:1/ledger"),
        ("postgresql://me:secret@nowhere.invalid/ledger", "postgresql://me@nowhere.invalid/ledger"),
        ("postgresql://me:a@secret:1@127.0.0.1:1/ledger", "must look like"),
        ("host=localhost password=secret", "must look like"),
    ],
)
async def test_an_unreachable_server_is_named_without_its_password(url: str, named: str) -> None:
    with pytest.raises(Unavailable) as refused:
        await locate_ledger(Settings(database_url=url))
    assert named in refused.value.message
    assert "secret" not in refused.value.message


async def test_an_old_server_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "OLDEST_VERSION", 99)
    with pytest.raises(Unavailable, match="is too old; trigraph needs 99 or newer"):
        await locate_ledger(Settings(database_url=server.url))


async def test_a_server_without_pgvector_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(location, "EXTENSION", "absent")
    with pytest.raises(Unavailable, match="lacks the extension absent; install pgvector"):
        await locate_ledger(Settings(database_url=server.url))
