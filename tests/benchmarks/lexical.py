"""Time the lexical leg at size: `python -m tests.benchmarks.lexical DOCUMENTS [CORPORA]`.

Fills a scratch ledger with the postings of so many documents, asks natural questions, keywords and questions
made of the fifty commonest terms, and prints JSON: milliseconds of the leg and of BM25 in SQL over rows, in
turn, the best of three each, and how much of the ten best they have in common. Of a moment that sees about
half of the documents likewise, and of one type among five.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from time import perf_counter

import orjson

from app.benchmark.corpus import SEED
from app.benchmark.environment import scratch_home
from app.benchmark.load import percentiles
from app.benchmark.questions import make_questions
from app.domain.recall import Candidate
from app.domain.temporal import AsOf
from app.services.analysis import query_terms
from app.services.recall import CANDIDATES_PER_LEG
from app.services.recall.legs.base import Question
from app.services.recall.legs.lexical import LexicalLeg
from app.settings import read_settings
from app.stores.postgres.location import locate_ledger
from app.stores.postgres.pool import Database
from app.stores.postgres.scope import Scope
from tests.benchmarks.lexical_ledger import DAYS, FIRST_DAY, PROJECT, Loaded, load
from tests.bm25_by_rows import best_by_counting, best_by_kept_counts

REPEATS = 3
COMMONEST = 50
COMMON_QUESTIONS = 60
MIN_TERMS, MAX_TERMS = 2, 5
KEYWORDS = 3
TOP = 10

Ask = Callable[[Sequence[str]], Awaitable[list[Candidate]]]


def questions(loaded: Loaded) -> dict[str, list[list[str]]]:
    """Return the terms of questions, by their kind."""
    random = Random(SEED)
    asked = make_questions(dict(enumerate(loaded.bodies)), SEED)
    common = sorted(loaded.documents_by_term, key=lambda term: -loaded.documents_by_term[term])[:COMMONEST]
    words = [list(dict.fromkeys(query_terms(" ".join(body.paragraphs)))) for body in loaded.bodies]
    return {
        "natural": [query_terms(question.text) for question in asked if not question.names_it],
        "keywords": [random.sample(terms, KEYWORDS) for terms in words],
        "common": [
            random.sample(common, random.randint(MIN_TERMS, MAX_TERMS)) for _ in range(COMMON_QUESTIONS)
        ],
    }


async def compare(
    ask: Mapping[str, Ask], asked: Sequence[Sequence[str]], random: Random
) -> dict[str, object]:
    """Return the milliseconds of each way, and how much of the ten best all of them share."""
    best: dict[str, dict[int, float]] = {name: {} for name in ask}
    found: dict[str, dict[int, list[Candidate]]] = {name: {} for name in ask}
    for _ in range(REPEATS):
        # One way after the other, as what each leaves in memory is no help to the next.
        for name in random.sample(list(ask), len(ask)):
            for place, terms in enumerate(asked):
                started = perf_counter()
                found[name][place] = await ask[name](terms)
                took = (perf_counter() - started) * 1000
                best[name][place] = min(took, best[name].get(place, took))
    first, second = found.values()
    shared = [_overlap(first[place], second[place]) for place in first]
    return {
        **{name: _with_the_worst(list(took.values())) for name, took in best.items()},
        f"overlap@{TOP}": round(sum(shared) / len(shared), 4),
        "identical": sum(first[place] == second[place] for place in first) / len(first),
    }


def _overlap(found: Sequence[Candidate], exact: Sequence[Candidate]) -> float:
    wanted = {candidate.artifact for candidate in exact[:TOP]}
    if not wanted:
        return 1.0
    return len(wanted & {candidate.artifact for candidate in found[:TOP]}) / len(wanted)


def _with_the_worst(milliseconds: Sequence[float]) -> dict[str, float]:
    return {**percentiles(milliseconds), "max": round(max(milliseconds), 3)}


def ways(database: Database, scope: Scope) -> dict[str, Ask]:
    """Return the leg, and BM25 over rows in one statement."""

    async def leg(terms: Sequence[str]) -> list[Candidate]:
        unread: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        question = Question(scope, CANDIDATES_PER_LEG, tuple(terms), unread, ())  # type: ignore[arg-type]
        return list((await LexicalLeg().candidates(database, question)).candidates)

    async def rows(terms: Sequence[str]) -> list[Candidate]:
        statement = best_by_kept_counts if scope.sees_everything else best_by_counting
        async with database.reading(scope.tenant) as connection:
            return await statement(connection, scope, terms, CANDIDATES_PER_LEG)

    return {"leg": leg, "rows": rows}


async def measure(database: Database, loaded: Loaded) -> dict[str, object]:
    """Return the figures of the present, of the past, and of one type."""
    now = AsOf(datetime.now(UTC), datetime.now(UTC))
    present = Scope(loaded.tenant, (PROJECT,), now, sees_everything=True)
    half = replace(now, valid=FIRST_DAY + timedelta(days=DAYS / 2))
    asked = questions(loaded)
    random = Random(SEED)
    scopes = {
        "present": present,
        "past": replace(present, moment=half, sees_everything=False),
        "one type": replace(present, types=(1,)),
    }
    return {
        f"{name}, {kind}": await compare(ways(database, scope), asked[kind], random)
        for name, scope in scopes.items()
        for kind in asked
    }


async def main(documents: int, corpora: Path | None) -> None:
    """Fill, ask and print."""
    async with scratch_home(read_settings()) as settings:
        location = await locate_ledger(settings)
        loaded = await load(location.url, documents, corpora)
        database = await Database.open(location.url, size=2)
        try:
            figures = await measure(database, loaded)
        finally:
            await database.close()
            await location.close()
    figures["seconds to pack what was filed"] = round(loaded.packing_seconds, 1)
    sys.stdout.write(orjson.dumps(figures, option=orjson.OPT_INDENT_2).decode() + "\n")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
