from __future__ import annotations

from pathlib import Path

from app.services.container import open_memory
from app.settings import Settings


async def test_in_the_embedded_server_no_session_of_the_service_belongs_to_the_owner(
    server: object, home: Path
) -> None:
    async with (
        open_memory(Settings(home=home)) as memory,
        memory.database.reading(memory.caller.tenant) as connection,
    ):
        users = await connection.fetchrow("SELECT session_user, current_user")
        await connection.execute("RESET ROLE")
        privileged = await connection.fetchval(
            "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
        )
    assert tuple(users) == ("trigraph_service", "trigraph_service")
    assert privileged is False
