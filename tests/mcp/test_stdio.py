"""`trigraph mcp` as a process: only protocol on its output, and what it prints for clients."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from app.cli.mcp import Client as McpClient
from app.cli.mcp import Profile, configuration
from tests.cli.processes import Shell
from tests.mcp.agents import CALLS, VERBS, call_everything, call_everything_in_typescript

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture(scope="module")
def shell() -> Iterator[Shell]:
    with tempfile.TemporaryDirectory(prefix="trigraph-mcp-") as home:
        yield Shell(Path(home), {})


class Wire:
    """Speaks the protocol with a process, line by line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._id = 0

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a request and return its answer; every line on the way is a message of the protocol."""
        self._id += 1
        self.send({"id": self._id, "method": method, "params": params})
        while True:
            message = self.hear()
            if message.get("id") == self._id:
                return message

    def begin(self) -> dict[str, Any]:
        """Shake hands and return what the server says of itself."""
        result: dict[str, Any] = self.ask("initialize", **INITIALIZE)["result"]
        self.send({"method": "notifications/initialized"})
        return result

    def hear(self) -> dict[str, Any]:
        """Return the next message."""
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


def start(shell: Shell, *words: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [word for word in shell.command(*words) if word not in ("-W", "error")],
        env=shell.environment(variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_mcp_01_and_06_only_protocol_is_on_the_output_when_the_ledger_is_away(shell: Shell) -> None:
    """MCP-01, MCP-06: warnings are on, the database does not answer, and the next call is still answered."""
    variables = {
        "PYTHONWARNINGS": "always",
        "TRIGRAPH_LOG_LEVEL": "DEBUG",
        "TRIGRAPH_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
    }
    process = start(shell, "mcp", **variables)
    wire = Wire(process)
    assert wire.begin()["serverInfo"]["name"] == "trigraph"
    for _ in range(2):
        result = wire.ask("tools/call", name="recall", arguments={"query": "x"})["result"]
        assert result["isError"] is True
        assert result["content"][0]["text"].startswith("UNAVAILABLE: ")
    assert len(wire.ask("tools/list")["result"]["tools"]) == 8
    out, err = process.communicate()
    assert (out, process.returncode) == ("", 0)
    assert "DEBUG" in err


def test_long_work_ends_when_the_client_cancels_it_and_the_process_when_it_is_told_to(shell: Shell) -> None:
    process = start(shell, "mcp", "--profile", "full")
    wire = Wire(process)
    wire.begin()
    documents = [{"kind": "SPEC", "text": f"# SPEC-{n}: Rope {n}\n\nRope {n} holds."} for n in range(1, 101)]
    call = {"name": "file_many", "arguments": {"documents": documents, "pid": "ropes"}}
    params = {**call, "_meta": {"progressToken": "rope"}}
    wire.send({"id": "long", "method": "tools/call", "params": params})
    assert wire.hear()["params"]["progressToken"] == "rope"
    wire.send({"method": "notifications/cancelled", "params": {"requestId": "long"}})
    listed = wire.ask("tools/call", name="prism_list_entities", arguments={"pid": "ropes", "limit": 100})
    assert 1 <= listed["result"]["structuredContent"]["count"] < 100
    process.terminate()  # its input is still open
    assert process.wait(60) == 130
    process.communicate()


async def test_a_client_calls_every_tool_of_a_process(shell: Shell) -> None:
    command, *words = shell.command("mcp", "--profile", "full")
    parameters = StdioServerParameters(command=command, args=words, env=shell.environment({}))
    async with Client(parameters) as client:
        said = await call_everything(client, {**CALLS, **VERBS})
        folder = shell.home / "records"
        folder.mkdir()
        (folder / "0009-rope.md").write_text("# ADR-9: Rope\n\nStatus: Accepted\n\nThe rope holds.\n")
        done = await client.call_tool("import_folder", {"path": str(folder), "kind": "ADR"})
    assert said["recall"][1].startswith("[CURRENT] ADR-2")
    assert done.structured_content == {"filed": 1, "unchanged": 0, "refused": 0}


def test_the_typescript_client_calls_every_tool(shell: Shell) -> None:
    command, *words = shell.command("mcp", "--profile", "full")
    call_everything_in_typescript(command=command, args=words, env=shell.environment({}))


def test_what_to_paste_starts_this_program() -> None:
    home = {"TRIGRAPH_HOME": "/the home"}
    words = shlex.split(configuration(McpClient.CLAUDE_CODE, Profile.DEFAULT, home.get))
    assert words[:6] == ["claude", "mcp", "add", "trigraph", "--env", "TRIGRAPH_HOME=/the home"]
    command = words[words.index("--") + 1 :]
    assert command[-1] == "mcp"
    assert Path(command[0]).is_absolute()
    for client, key in (
        (McpClient.CURSOR, "mcpServers"),
        (McpClient.JSON, "mcpServers"),
        (McpClient.VSCODE, "servers"),
    ):
        server = json.loads(configuration(client, Profile.FULL, {}.get))[key]["trigraph"]
        assert [server["command"], *server["args"]] == [*command, "--profile", "full"]
        assert "env" not in server
