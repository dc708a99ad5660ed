"""Random input of fileArtifact: as it should be, and in every other way."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.graphql.odd_words import IDENTIFIERS, PLACES, STATUSES, STRANGE
from tests.graphql.random_lines import lines, long_words, picked, raw_text
from tests.graphql.random_markdown import markdown

Filing = dict[str, Any]

KINDS = ("ADR", "SPEC", "Plan", "TODO", "Delta", "Journal", "Retro", "ADR", "ADR", "adr", " ADR ", "ＡＤＲ")
NO_KINDS = ("Component", "Project", "Nonsense", "PEP", "Note")
DOMAINS = ("GOVERNANCE", "DECISION", "TASK_STATE")
INSTANTS = (
    "2024-02-01T00:00:00Z", "1969-07-20T20:17:40Z", "0001-01-02T00:00:00Z", "2999-01-01T00:00:00Z",
    "2024-02-01T23:59:59.123456789Z", "2024-02-01T00:00:00+14:00", "9999-12-31T23:59:59Z",
)  # fmt: skip
NO_INSTANTS = (
    "0001-01-01T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+14:00",
    "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "2024-02-30T00:00:00Z",
    "2024-01-01T00:00:00", "2024-01-01",
    "yesterday", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00+25:00", "２０２４-01-01T00:00:00Z",
)  # fmt: skip
FEW_WORDS = ("---\n---\n", "---\ntitle: x\n---\n", "<!-- -->", "\n", "\x00", "\u200b", "!")


def _some(given: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Filing]:
    """Return some of these, most often none."""
    none: Filing = {}
    return st.one_of(st.just(none), st.just(none), st.fixed_dictionaries({}, optional=given))


_sayings = _some(
    {
        "identifier": st.one_of(picked(IDENTIFIERS), lines.map(lambda text: text[:256])),
        "title": st.one_of(lines, long_words).map(lambda text: text[:1024]),
        "status": st.one_of(picked(STATUSES), lines),
        "domain": picked(DOMAINS),
        "createdAt": picked(INSTANTS),
        "sourceUri": picked(PLACES),
        "sourceCommit": st.sampled_from(["abc123", "", "\x00"]),
    }
)
_texts = st.one_of(lines, raw_text, long_words, picked(STRANGE, ("", " ", "\t\n", "a" * 5_000)))
_values = st.one_of(
    _texts, st.none(), st.integers(-(2**63), 2**63 - 1), st.booleans(), st.lists(raw_text, max_size=1)
)
_any_kind = st.one_of(picked(KINDS, NO_KINDS), _values)
_any_body = st.one_of(markdown(), picked(FEW_WORDS), _values)
_any_sayings = _some(
    {
        "project": _texts,
        "identifier": _texts,
        "title": _texts,
        "status": _texts,
        "sourceUri": _texts,
        "sourceCommit": _texts,
        "idempotencyKey": _texts,
        "domain": st.one_of(picked(DOMAINS), _values),
        "createdAt": st.one_of(picked(INSTANTS), picked(NO_INSTANTS), _values),
    }
)


@st.composite
def filings(draw: st.DrawFn) -> Filing:
    """Return a document, and arguments within their limits."""
    return {"kind": draw(picked(KINDS)), "body": draw(markdown()), **draw(_sayings)}


@st.composite
def arguments(draw: st.DrawFn) -> Filing:
    """Return arguments that may be anything that JSON holds."""
    return {"kind": draw(_any_kind), "body": draw(_any_body), **draw(_any_sayings)}
