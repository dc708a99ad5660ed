"""An import that is interrupted anywhere and run again leaves the ledger of one that was not."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from signal import SIGINT, SIGKILL
from typing import TypeAlias

import asyncpg
import pytest

from app.cli.import_output import STOPPED, STOPPING
from app.cli.runner import FAILED, INTERRUPTED
from app.stores.postgres.embedded.server import EmbeddedPostgres
from tests.cli.digest import ledger_digest
from tests.cli.processes import TIMEOUT, Ran, Shell

Ledger: TypeAlias = dict[str, list[str]]

DOCUMENTS = 24
COUNT = "SELECT count(*) FROM artifact JOIN tenant USING (tenant_id) WHERE key = $1"


@pytest.fixture(scope="module")
def related() -> Iterator[Path]:
    """Records that supersede and name one another, earlier and later ones, and one that is no text."""
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-related-") as name:
        adr = Path(name) / "adr"
        adr.mkdir()
        for number in range(1, DOCUMENTS):
            (adr / f"{number:04}-record.md").write_text(_record(number))
        (adr / "0099-broken.md").write_bytes(b"\xff\xfe")
        (Path(name) / "diary.md").write_text("# Diary\n\nDate: 2026-03-01\n\nThe Beacon 4 shone on ADR-9.\n")
        yield Path(name)


def _record(number: int) -> str:
    relation = {
        0: f"## Supersedes\n\n- ADR-{number - 1}\n",
        1: f"## Depends on\n\n- ADR-{number + 4}\n",
        2: f"## Related\n\n- [[Record {number + 7}]]\n- [that one]({(number + 5):04}-record.md)\n",
    }[number % 3]
    by = f"\nSuperseded by ADR-{number + 6}\n" if number % 8 == 1 else ""
    return (
        f"---\naliases: [Beacon {number}]\ndate: 2026-01-{number:02}\n---\n\n# Record {number}\n{by}\n"
        f"The Beacon {number + 2} and Beacon {number - 2} stay, see ADR-{number * 5 % 31 + 1}. Lamp {number},"
        f" formerly known as Candle {number}, is lit. The status is now Retired.\n\n{relation}"
    )


@pytest.fixture(scope="module")
async def whole(served_home: Shell, related: Path) -> Ledger:
    """The ledger after an import without an interrupt."""
    ran = await asyncio.to_thread(served_home.run, "ingest", related, TRIGRAPH_TENANT="whole")
    assert (ran.code, ran.out.partition("\n")[0]) == (FAILED, f"filed {DOCUMENTS}, unchanged 0, refused 1")
    async with served(served_home.home) as url:
        return await ledger_digest(url, "whole")


@asynccontextmanager
async def served(home: Path) -> AsyncIterator[str]:
    """Yield where the server of a home is, kept running until the block ends."""
    embedded = await asyncio.to_thread(EmbeddedPostgres.start, home)
    try:
        yield embedded.url
    finally:
        await asyncio.to_thread(embedded.stop)


async def wait_until(least: int, url: str, tenant: str, process: subprocess.Popen[str]) -> None:
    """Wait until this many documents of a tenant are filed and one by this process, or until it ends."""
    connection = await asyncpg.connect(url)
    try:
        least = max(least, await _filed(connection, tenant) + 1)
        while process.poll() is None and await _filed(connection, tenant) < least:
            await connection.execute("SELECT pg_sleep(0.005)")
    finally:
        await connection.close()


async def _filed(connection: asyncpg.Connection, tenant: str) -> int:
    try:
        count: int = await connection.fetchval(COUNT, tenant)
        return count
    except asyncpg.UndefinedTableError:
        return 0


@dataclass(frozen=True, slots=True)
class Strike:
    """A signal, sent while the import waits to write into a table, a while after it started or wrote once.

    The import cannot end before the signal, however slow the machine: one transaction passes the table at a
    time, and the table is held when the signal comes.
    """

    number: signal.Signals
    table: str
    pause: float | None = None

    async def hit(self, shell: Shell, folder: Path, url: str) -> Ran:
        tenant = shell.variables["TRIGRAPH_TENANT"]
        gate = await asyncpg.connect(url)
        try:
            before = await _filed(gate, tenant)
            await gate.execute(self._hold)
            with shell.running("ingest", folder) as process:
                if self.pause is None:
                    await self._let_one_pass(gate, tenant, before, process)
                else:
                    await asyncio.sleep(self.pause)
                process.send_signal(self.number)
                line = await asyncio.to_thread(_first_line, process)
                await gate.execute("COMMIT")
                out, err = await asyncio.to_thread(process.communicate)
                return Ran(process.returncode, out, line + err)
        finally:
            await gate.close()

    @property
    def _hold(self) -> str:
        return f"BEGIN; LOCK TABLE {self.table} IN SHARE MODE"

    async def _let_one_pass(
        self, gate: asyncpg.Connection, tenant: str, before: int, process: subprocess.Popen[str]
    ) -> None:
        while process.poll() is None and await _filed(gate, tenant) == before:
            await gate.execute("SELECT pg_sleep(0.005)")
            await gate.execute(f"COMMIT; {self._hold}")


def _first_line(process: subprocess.Popen[str]) -> str:
    """Return the message about the signal once it is printed, or an empty text once the process is gone."""
    assert process.stderr is not None
    return process.stderr.readline()


def strikes(seed: int) -> list[Strike]:
    """Return one strike while the import opens and two while it files, each in a table of its own."""
    chance = random.Random(seed)
    first, second, third = chance.sample(("artifact", "entity_state", "outbox"), 3)
    opening = Strike(SIGKILL, first, chance.uniform(0.5, 1.5))
    return [opening, *map(Strike, chance.sample((SIGINT, SIGKILL), 2), (second, third))]


def test_a_second_interrupt_stops_at_once_and_says_that_what_was_filed_stays() -> None:
    interrupting = (
        "import asyncio, signal, typer\n"
        "from rich.console import Console\n"
        "from app.cli.import_output import stop_on_interrupt\n"
        "from app.cli.runner import run_async\n"
        "async def main():\n"
        "    stop = asyncio.Event()\n"
        "    with stop_on_interrupt(stop, Console(stderr=True)):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "        await stop.wait()\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "        await asyncio.sleep(60)\n"
        "try:\n"
        "    run_async(main())\n"
        "except typer.Exit as ended:\n"
        "    raise SystemExit(ended.exit_code)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", interrupting], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert (done.returncode, done.stderr) == (INTERRUPTED, f"{STOPPING}\n{STOPPED}\n")


@pytest.mark.parametrize("seed", [1, 2])
async def test_an_import_struck_again_and_again_leaves_the_ledger_of_a_whole_one(
    served_home: Shell, related: Path, whole: Ledger, seed: int
) -> None:
    tenant = f"struck-{seed}"
    shell = Shell(served_home.home, {"TRIGRAPH_TENANT": tenant, "TRIGRAPH_EMBEDDING_THREADS": "1"})
    async with served(shell.home) as url:
        for strike in strikes(seed):
            ran = await strike.hit(shell, related, url)
            if strike.number is SIGINT:
                assert ran.code == INTERRUPTED
                assert re.match(
                    r"filed \d+, unchanged \d+, refused \d\nstopped with \d+ documents left; ", ran.out
                )
                assert ran.err == f"{STOPPING}\n"
            else:
                assert (ran.code, ran.out) == (-SIGKILL, "")
        last = await asyncio.to_thread(shell.run, "ingest", related)
        counts = re.match(r"filed (\d+), unchanged (\d+), refused 1\n", last.out)
        assert counts is not None
        assert sum(map(int, counts.groups())) == DOCUMENTS
        assert 0 < int(counts[1]) < DOCUMENTS
        assert await ledger_digest(url, tenant) == whole


async def test_a_server_killed_under_an_import_costs_what_was_at_hand(related: Path, whole: Ledger) -> None:
    with tempfile.TemporaryDirectory(prefix="trigraph-cli-killed-") as name:
        home = Path(name)
        shell = Shell(home, {"TRIGRAPH_TENANT": "killed"})
        async with served(home) as url:
            with shell.running("ingest", related) as process:
                await wait_until(6, url, "killed", process)
                os.kill(int((home / "postgres/postmaster.pid").read_text().split()[0]), SIGKILL)
                out, err = await asyncio.to_thread(process.communicate)
            assert process.returncode == FAILED
            assert "run the import again to continue" in err or "broke; retry" in out
            assert "Traceback" not in out + err
            last = await asyncio.to_thread(shell.run, "ingest", related)
            assert re.match(r"filed \d+, unchanged \d+, refused 1\n", last.out)
            assert await ledger_digest(url, "killed") == whole
