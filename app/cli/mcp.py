"""`trigraph mcp`: serve agents over standard input and output, or print what connects them."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from enum import StrEnum
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from app.cli.output import say
from app.cli.runner import print_error, run_async, settings
from app.settings import Settings

if TYPE_CHECKING:
    from app.domain.entity import Caller
    from app.services.container import Memory

VARIABLES = ("TRIGRAPH_HOME", "TRIGRAPH_TENANT")
SECRET = "TRIGRAPH_DATABASE_URL"
CHUNK = 65_536


class Profile(StrEnum):
    """Which tools are served."""

    DEFAULT = "default"
    FULL = "full"


class Client(StrEnum):
    """A program whose configuration is printed."""

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    JSON = "json"


def mcp(
    profile: Annotated[
        Profile, typer.Option(help="The tools: eight by default, or with full one for each verb.")
    ] = Profile.DEFAULT,
    config: Annotated[
        Client | None, typer.Option(help="Print what to paste into this client, and serve nothing.")
    ] = None,
) -> None:
    """Serve the memory to an agent as MCP tools, over standard input and output.

    Agents on other machines use /mcp of `trigraph serve`, with a token.
    """
    if config is not None:
        say(configuration(config, profile, os.environ.get))
        if os.environ.get(SECRET):
            print_error(f"the agent needs {SECRET} in its environment too; it is not printed")
        return
    run_async(_serve(profile, settings()))


def configuration(client: Client, profile: Profile, variable: Any) -> str:
    """Return what connects a client: a command for Claude Code, JSON for the others."""
    command, *arguments = _command(profile)
    variables = {name: value for name in VARIABLES if (value := variable(name))}
    if client is Client.CLAUDE_CODE:
        given = [word for name, value in variables.items() for word in ("--env", f"{name}={value}")]
        return shlex.join(["claude", "mcp", "add", "trigraph", *given, "--", command, *arguments])
    server: dict[str, Any] = {"command": command, "args": arguments}
    server |= {"env": variables} if variables else {}
    if client is Client.VSCODE:
        return json.dumps({"servers": {"trigraph": {"type": "stdio", **server}}}, indent=2)
    return json.dumps({"mcpServers": {"trigraph": server}}, indent=2)


def _command(profile: Profile) -> list[str]:
    """Return what starts this program from any folder."""
    script = Path(sys.executable).with_name("trigraph")
    program = [str(script)] if script.exists() else [sys.executable, "-m", "app"]
    return [*program, "mcp"] + (["--profile", "full"] if profile is Profile.FULL else [])


async def _serve(profile: Profile, chosen: Settings) -> None:
    from mcp.server.stdio import stdio_server

    from app.cli.escaping import configure_logging
    from app.cli.guarded_streams import unguarded_output
    from app.mcp.server import create_server

    configure_logging(chosen)
    async with AsyncExitStack() as opened:
        server = create_server(profile, MemoryOpener(chosen, opened).open, is_here=True)
        with unguarded_output():
            lines = cast(Any, read_lines(take_input()))
            source, sink = await opened.enter_async_context(stdio_server(lines))
        await server.run(source, sink, server.create_initialization_options())


def take_input() -> int:
    """Return a descriptor of the standard input, which is empty for everybody else from now on."""
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


async def read_lines(source: int) -> AsyncIterator[str]:
    """Yield the lines of a descriptor; the thread that reads them does not keep the process from ending."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()

    def put(line: bytes | None) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        while chunk := os.read(source, CHUNK):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                put(line)
        put(None)

    Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line.decode(errors="replace")


class MemoryOpener:
    """Opens the memory when a tool first needs it; what fails then is tried again at the next call."""

    def __init__(self, settings: Settings, opened: AsyncExitStack) -> None:
        self._settings = settings
        self._opened = opened
        self._lock = asyncio.Lock()
        self._memory: Memory | None = None

    async def open(self, _context: object) -> tuple[Memory, Caller]:
        """Return the memory and the person at this machine; raises Unavailable, Conflict or Invalid."""
        from app.services.container import open_memory

        async with self._lock:
            if self._memory is None:
                self._memory = await self._opened.enter_async_context(open_memory(self._settings))
        return self._memory, self._memory.caller
