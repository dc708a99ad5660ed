"""Asking every judged query and scoring each leg, the plain fusion and the answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.recall import RecallRequest, RecallResult
from app.services.evaluation.answering import judge
from app.services.evaluation.expected import Verdict
from app.services.evaluation.judgements import Judged
from app.services.evaluation.metrics import mean, measure
from app.services.fusion import fuse_plainly
from app.services.memory import Memory
from app.services.recall import CANDIDATES_PER_LEG
from app.stores.postgres import artifacts

Scores = dict[str, float]
SCORED_LEGS = ("dense", "lexical", "graph")


@dataclass(slots=True)
class Answers:
    """How many questions of a category there are, and how many were answered right."""

    asked: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """Means over the queries that have a relevant document, and how many forbidden ones came back.

    `unknown` lists the judged documents that are not among the documents: they count as never found.
    `answers` says, by category, how many questions about a subject were answered right, and `wrong` what
    was told instead.
    """

    documents: int
    queries: int
    scores: dict[str, Scores]
    categories: dict[str, Scores]
    forbidden: int
    unknown: list[str]
    answers: dict[str, Answers] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


async def score(
    memory: Memory, judged: Sequence[Judged], documents: int, advance: Callable[[], None]
) -> Report:
    """Answer how well recall does on judged queries; `advance` is called after each."""
    scores: dict[str, list[Scores]] = defaultdict(list)
    categories: dict[str, list[Scores]] = defaultdict(list)
    answers: dict[str, Answers] = defaultdict(Answers)
    wrong: list[str] = []
    forbidden = 0
    for query in judged:
        rankings = await _rankings(memory, query)
        forbidden += len(query.forbidden.intersection(rankings["fused"]))
        if query.relevance:
            for name, ranking in rankings.items():
                kept = [document for document in ranking if document not in query.excluded]
                scores[name].append(measure(kept, query.relevance))
            categories[query.category].append(scores["fused"][-1])
        if query.expected is not None:
            verdict = await judge(memory, query.expected, query.as_of, rankings["fused"])
            answers[query.category].asked += 1
            answers[query.category].right += verdict.is_right
            wrong += [] if verdict.is_right else [_wrong(query, verdict)]
        advance()
    return Report(
        documents=documents,
        queries=len(judged),
        scores={name: mean(found) for name, found in scores.items()},
        categories={name: mean(found) for name, found in sorted(categories.items())},
        forbidden=forbidden,
        unknown=await _unknown(memory, judged),
        answers=dict(sorted(answers.items())),
        wrong=wrong,
    )


def _wrong(query: Judged, verdict: Verdict) -> str:
    when = "" if query.as_of is None else f" as of {query.as_of:%Y-%m-%d}"
    return f"{query.category}: {query.text}{when}: {verdict.told}"


async def _unknown(memory: Memory, judged: Sequence[Judged]) -> list[str]:
    wanted = sorted({document for query in judged for document in query.relevance})
    async with memory.database.reading(memory.caller.tenant) as connection:
        known = await artifacts.identifiers_known(connection, memory.caller.tenant, wanted)
    return [document for document in wanted if document not in known]


async def _rankings(memory: Memory, query: Judged) -> dict[str, list[str]]:
    """Answer the identifiers that each leg, plain fusion and recall return, best first."""
    request = RecallRequest(query.text, as_of=query.as_of, first=CANDIDATES_PER_LEG)
    result = await memory.recall.recall(memory.caller, request)
    numbers = _numbers(result)
    asked = {number for ranked in numbers.values() for number in ranked}
    async with memory.database.reading(memory.caller.tenant) as connection:
        named = await artifacts.identifiers_of(connection, memory.caller.tenant, list(asked))
    return {name: _identifiers(ranked, named) for name, ranked in numbers.items()}


def _numbers(result: RecallResult) -> dict[str, list[int]]:
    legs = {
        ranking.leg.lower(): [candidate.artifact for candidate in ranking.candidates]
        for ranking in result.legs
    }
    plain = fuse_plainly(result.legs)
    return {
        **{name: legs.get(name, []) for name in SCORED_LEGS},
        "fused": [hit.artifact.number for hit in result.hits],
        "rrf": list(plain.order[:CANDIDATES_PER_LEG]),
    }


def _identifiers(ranked: Sequence[int], named: Mapping[int, str | None]) -> list[str]:
    """Answer identifiers without repeats: versions of one document count once, at the best place."""
    found = (named.get(number) for number in ranked)
    return list(dict.fromkeys(identifier for identifier in found if identifier is not None))
