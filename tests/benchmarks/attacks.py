"""Attack a server while others ask: `python -m tests.benchmarks.attacks [--documents N] [--requests N] ...`.

Serves a scratch ledger on this machine, lets four clients ask recalls with a short pause in between, and
plays odd requests and odd documents one at a time. Prints for each how long it took, what came back, the
longest that `/healthz` took meanwhile as another process sees it, and the 95th percentile of the others, also
as a multiple of what it is without an attack; at the end the worst of each.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from time import monotonic

import orjson

from app.benchmark.corpus import SEED
from app.benchmark.environment import scratch_home, serve_ledger
from app.benchmark.ingest import PROJECT, document_maker, fill
from app.benchmark.load import RecallClient, percentiles
from app.benchmark.questions import Wordings, make_questions, spread
from app.services.container import open_memory
from app.settings import read_settings
from tests.benchmarks.attack_probe import Probe, probing
from tests.benchmarks.attack_sending import Reply, send
from tests.odd_requests import POST_HEADERS, OddRequest, odd_requests
from tests.odd_texts import odd_texts

CLIENTS = 4
PAUSE = 0.05
ALONE = 15.0
FILE = """mutation($input: FileArtifactInput!) { fileArtifact(input: $input) {
  created candidates warnings problems { code message } } }"""


@dataclass(frozen=True, slots=True)
class Waited:
    """When somebody's recall began, and the milliseconds it took."""

    began: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack came to; `others` is the 95th percentile of what the others waited, in milliseconds."""

    name: str
    seconds: float
    reply: Reply
    stall: float
    others: float


def documents(count: int, size: int) -> Iterable[OddRequest]:
    """Yield requests that file so many odd documents of about so many bytes."""
    for name, text in islice(odd_texts(size=size), count):
        given = {"kind": "ADR", "title": name, "body": text, "project": PROJECT}
        body = orjson.dumps({"query": FILE, "variables": {"input": given}})
        yield OddRequest(f"file {name}", body, headers=POST_HEADERS)


async def ask_on(url: str, questions: Iterable[str], waited: list[Waited]) -> None:
    """Ask recalls with a pause after each, until cancelled."""
    async with RecallClient.connected(url) as client:
        for question in questions:
            began = monotonic()
            await client.ask(client.request(question, PROJECT))
            waited.append(Waited(began, (monotonic() - began) * 1000))
            await asyncio.sleep(PAUSE)


@asynccontextmanager
async def asking(url: str, questions: Iterable[str]) -> AsyncIterator[list[Waited]]:
    """Let four clients ask these questions in turn while the block runs, and note what they wait."""
    waited: list[Waited] = []
    clients = [asyncio.create_task(ask_on(url, questions, waited)) for _ in range(CLIENTS)]
    try:
        yield waited
    finally:
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)


async def play(
    url: str, request: OddRequest, options: argparse.Namespace, waited: list[Waited], probe: Probe
) -> Outcome:
    """Send a request, again and again for so many seconds at least, and note what it did to the others."""
    started = monotonic()
    took = 0.0
    while True:
        began = monotonic()
        reply = await send(url, request, options.patience)
        took = max(took, monotonic() - began)
        if monotonic() - started >= options.seconds or reply.is_late:
            break
    # Whoever began to wait meanwhile is counted when it has its answer.
    await asyncio.sleep(PAUSE)
    ended = monotonic()
    meanwhile = [each.milliseconds for each in waited if each.began + each.milliseconds / 1000 >= started]
    return Outcome(
        request.name,
        took,
        reply,
        await probe.longest(started, ended),
        percentiles(meanwhile or [(ended - started) * 1000])["p95"],
    )


def line(outcome: Outcome, alone: float) -> str:
    """Return what is printed of an attack."""
    return (
        f"{outcome.seconds:8.3f} s  {outcome.reply.described:34} stall {outcome.stall:7.0f} ms"
        f"  others p95 {outcome.others:7.0f} ms = {outcome.others / alone:5.2f}  {outcome.name}"
    )


def worst(outcomes: Sequence[Outcome], alone: float) -> str:
    """Return the worst of each figure, with the attack that caused it."""
    slowest = max(outcomes, key=lambda each: each.seconds)
    stalled = max(outcomes, key=lambda each: each.stall)
    waiting = max(outcomes, key=lambda each: each.others)
    return (
        f"worst: {slowest.seconds:.3f} s ({slowest.name}), stall {stalled.stall:.0f} ms ({stalled.name}),"
        f" others {waiting.others / alone:.2f} ({waiting.name})"
    )


async def attack(url: str, questions: Iterable[str], options: argparse.Namespace) -> None:
    """Play every attack and print what each did."""
    async with probing(url) as probe, asking(url, questions) as waited:
        await asyncio.sleep(2)  # connections open, and questions are asked for the first time
        waited.clear()
        started = monotonic()
        await asyncio.sleep(ALONE)
        alone = percentiles([each.milliseconds for each in waited])["p95"]
        stall = await probe.longest(started, monotonic())
        say(f"alone: stall {stall:.0f} ms, others p95 {alone:.0f} ms of {len(waited)} recalls")
        for kind, attacks in (
            ("requests", islice(odd_requests(), options.requests)),
            ("documents", documents(options.documents, options.size)),
        ):
            outcomes = []
            for request in attacks:
                if options.only not in request.name:
                    continue
                waited.clear()
                outcomes.append(await play(url, request, options, waited, probe))
                say(line(outcomes[-1], alone))
            if outcomes:
                say(f"{len(outcomes)} {kind}; {worst(outcomes, alone)}")


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


async def main(options: argparse.Namespace) -> None:
    """Fill a scratch ledger, serve it and attack it."""
    async with scratch_home(read_settings()) as settings:
        async with open_memory(settings) as memory, document_maker(options.filed, None) as maker:
            width = settings.embedding_threads + 1
            filled = await fill(
                memory, maker, options.filed, spread(options.filed), width, lambda _: None, embeds_alone=False
            )
        questions = map(Wordings().fresh, cycle(make_questions(filled.kept, SEED)))
        async with serve_ledger(settings.home) as url:
            await attack(url, questions, options)


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Attack a server while others ask.")
    parser.add_argument("--filed", type=int, default=1_000, help="documents that are there before")
    parser.add_argument("--documents", type=int, default=100, help="odd documents to file")
    parser.add_argument("--size", type=int, default=900_000, help="bytes of an odd document")
    parser.add_argument("--requests", type=int, default=None, help="odd requests to send; all by default")
    parser.add_argument(
        "--seconds", type=float, default=1.5, help="how long each attack is repeated at least"
    )
    parser.add_argument(
        "--patience", type=float, default=60.0, help="seconds after which the client of an attack leaves"
    )
    parser.add_argument("--only", default="", help="attacks whose name has this in it")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(read_options()))
