"""The processes that read documents: stopped when they take too much, replaced, gone with their parent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Timer
from time import monotonic, sleep

import pytest

from app.errors import Invalid
from app.services.document_reader import DocumentReader, Stopped
from app.services.document_reader.child import MAX_SMALL_CHARACTERS
from app.services.parsing import parse_markdown


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader()
    yield reader
    reader.close()


def is_alive(process: int) -> bool:
    """Return whether a process runs; one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def until(come: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not come():  # noqa: ASYNC110 - nothing tells of the end of somebody else's child
            await asyncio.sleep(0.02)


async def test_no_process_runs_before_the_first_document(reader: DocumentReader) -> None:
    assert not await asyncio.to_thread(lambda: reader.processes)
    document = await reader.run(7, parse_markdown, "# Title")
    assert document.title == "Title"
    assert len(reader.processes) == 1
    await reader.run(7, parse_markdown, "# Title")
    assert len(reader.processes) == 1


async def test_an_error_is_raised_as_it_was_in_the_process(reader: DocumentReader) -> None:
    with pytest.raises(Invalid, match="has 200001 lines") as refused:
        await reader.run(7, parse_markdown, "\n" * 200_001)
    assert refused.value.field == "body"
    with pytest.raises(ZeroDivisionError) as fault:
        await reader.run(7, divmod, 1, 0)
    assert "Traceback" in fault.value.__notes__[0]
    assert len(reader.processes) == 1


async def test_a_killed_process_is_replaced(reader: DocumentReader) -> None:
    first = await reader.run(1, os.getpid)
    os.kill(first, signal.SIGKILL)
    second = await reader.run(1, os.getpid)
    assert second != first
    assert reader.processes == (second,)


async def test_a_document_that_kills_the_process_twice_is_refused(reader: DocumentReader) -> None:
    with pytest.raises(Invalid, match=r"crashed twice on this one \(signal 6\)"):
        await reader.run(1, os.abort)
    assert await reader.run(1, abs, -1) == 1


async def test_too_much_processor_time_ends_the_call_with_the_limit(
    reader: DocumentReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel counts: neither a regular expression nor a C function that holds its lock is spared."""
    await reader.run(1, signal.setitimer, signal.ITIMER_PROF, 0)
    with pytest.raises(Invalid, match="more than 20 seconds; split it") as refused:
        await reader.run(1, os.kill, reader.processes[0], signal.SIGPROF)
    assert refused.value.field == "body"
    assert await reader.run(1, abs, -1) == 1


async def test_the_time_of_a_call_is_limited_by_the_kernel(reader: DocumentReader) -> None:
    left, _ = await reader.run(1, signal.getitimer, signal.ITIMER_PROF)
    assert 0 < left < 21


async def test_too_much_memory_is_refused_with_the_limit(reader: DocumentReader) -> None:
    with pytest.raises(Invalid, match="more than 2048 MiB of memory; split it"):
        await reader.run(1, bytearray, 3 * 1024**3)
    assert await reader.run(1, abs, -1) == 1


async def test_whoever_is_cancelled_ends_the_work(reader: DocumentReader) -> None:
    process = await reader.run(1, os.getpid)
    call = asyncio.create_task(reader.run(1, sleep, 60))
    waiting = asyncio.create_task(reader.run(1, abs, -1))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert await waiting == 1
    await until(lambda: not is_alive(process))


async def test_a_call_that_waits_can_be_cancelled_without_harm(reader: DocumentReader) -> None:
    call = asyncio.create_task(reader.run(1, sleep, 0.5))
    process = await asyncio.sleep(0.2, reader.processes)
    waiting = asyncio.create_task(reader.run(1, abs, -1))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await call
    assert reader.processes == process or process == ()


async def test_a_thread_that_waits_stops_when_it_is_told(reader: DocumentReader) -> None:
    stop = Event()
    Timer(0.3, stop.set).start()
    before = monotonic()
    with pytest.raises(Stopped):
        await asyncio.to_thread(reader.wait, 1, stop.is_set, sleep, 60)
    assert monotonic() - before < 20


async def test_a_short_text_does_not_wait_behind_a_long_one(reader: DocumentReader) -> None:
    long = asyncio.create_task(reader.run(MAX_SMALL_CHARACTERS + 1, sleep, 60))
    assert await reader.run(1, abs, -1) == 1
    assert not long.done()
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long


async def test_closing_ends_the_processes_and_what_they_do(reader: DocumentReader) -> None:
    process = await reader.run(1, os.getpid)
    call = asyncio.create_task(reader.run(1, sleep, 60))
    await asyncio.sleep(0.2)
    await asyncio.to_thread(reader.close)
    assert not is_alive(process)
    assert (await asyncio.gather(call, return_exceptions=True))[0] is not None
    assert await reader.run(1, abs, -1) == 1


PARENT = """
import sys, time
from app.services.document_reader import DocumentReader
reader = DocumentReader()
reader.wait(1, lambda: False, abs, -1)
print(reader.processes[0], flush=True)
if sys.argv[1] == "busy":
    reader.wait(1, lambda: False, sum, range(10**10))
time.sleep(60)
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
async def test_a_process_ends_with_the_one_that_started_it(state: str) -> None:
    parent = await asyncio.to_thread(
        subprocess.Popen, [sys.executable, "-c", PARENT, state], stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        process = int(await asyncio.to_thread(parent.stdout.readline))
        await asyncio.sleep(0.5)
        assert is_alive(process)
        parent.kill()
    await until(lambda: not is_alive(process))


async def test_no_module_is_taken_from_the_working_folder(
    reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever imports a folder of somebody else's stands in it."""
    for name in ("app", "markdown_it", "pickle", "yaml"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from the folder')")
    monkeypatch.chdir(tmp_path)
    assert (await reader.run(7, parse_markdown, "# Title")).title == "Title"
