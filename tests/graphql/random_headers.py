"""Random front matter: sound, of odd values, and broken."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.graphql.odd_words import DATES, FIELDS, IDENTIFIERS, STATUSES, STRANGE, VALUES
from tests.graphql.random_lines import lines, picked, words

RELATED = ("supersedes", "superseded-by", "requires", "related", "Extends", "see also")
ALIASES = ("[PrismGR, Old Name]", "PrismGR", "[שלום, ADR-2, x]", "[a, b, null]", "[ADR-1, ADR-2, Prism]")


def _header(opening: str, given: Sequence[tuple[str, str]], closing: str) -> str:
    return opening + "".join(f"{name}: {value}\n" for name, value in given) + closing


_telling_fields = st.one_of(
    st.tuples(st.just("status"), picked(STATUSES)),
    st.tuples(st.just("date"), picked(DATES)),
    st.tuples(st.just("aliases"), picked(ALIASES)),
    st.tuples(st.just("id"), picked(IDENTIFIERS)),
    st.tuples(st.sampled_from(RELATED), st.one_of(picked(IDENTIFIERS), picked(STRANGE), words)),
    st.tuples(st.sampled_from(["tags", "author", "summary", "title"]), st.one_of(words, picked(VALUES))),
)
_any_fields = st.tuples(
    picked(FIELDS), st.one_of(picked(VALUES), picked(STATUSES, DATES, IDENTIFIERS), lines)
)
_readable = st.builds(
    _header,
    st.just("---\n"),
    st.lists(st.one_of(_telling_fields, _any_fields), min_size=1, max_size=4),
    st.just("---\n"),
)
_broken = st.builds(
    _header,
    st.sampled_from(["---\n", "--- \n", "", "---\n---\n", "---\n- a\n", "---\n\x00"]),
    st.lists(_any_fields, max_size=4),
    st.sampled_from(["---\n", "...\n", "\n", "", "----\n", "---"]),
)
headers = st.one_of(st.just(""), st.just(""), _readable, _readable, _broken)
