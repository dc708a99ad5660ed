"""Random Markdown: what nobody would write, and somebody files one day."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.graphql.odd_words import IDENTIFIERS, RELATIONS, SECTIONS, SENTENCES, STATUSES
from tests.graphql.random_headers import headers
from tests.graphql.random_lines import joined, lines, long_words, picked, raw_text

ODD_BLOCKS = (
    "---", "***", "___", "<div>\n\n<p>x", "<!--", "<!-- ADR-1 -->", "<?php", "<![CDATA[", "</x>", "[a]: b",
    "[ADR-1]: 0001-a.md 'One'", "[]: x", "[^1]: note ADR-2", "    code ADR-3", "\tcode", "+", "-", "1.",
    "&nbsp;", "{.class}", "%% note", "\\newpage", "[toc]", "> [!NOTE]\n> ADR-1", "1986\\. A year",
    "Setext\n===",
)  # fmt: skip
HEADING_MARKS = (
    "# ", "## ", "### ", "###### ", "####### ", "#", "#\t", "   # ", "    # ", "## ADR-1: ", "# 7. ",
)  # fmt: skip
NESTED = (("> ", "> "), ("- ", "  "), ("1. ", "   "), ("> - ", ">   "), ("* > ", "  > "), (">", ""))


def _section(level: str, name: str, bullet: str, targets: Sequence[str]) -> str:
    return f"{level} {name}\n\n" + "\n".join(bullet + target for target in targets)


def _table(head: str, rule: str, rows: Sequence[str]) -> str:
    return "\n".join([head, rule, *(f"| {row} |" for row in rows)])


def _nested(parts: Sequence[str], marks: tuple[str, str], times: int) -> str:
    first, rest = marks
    return first * times + "\n\n".join(parts).replace("\n", "\n" + rest * times)


def _document(mark: str, header: str, title: str, body: str, ends: Sequence[str]) -> str:
    """Put a document together, its line ends taken from these in turn."""
    first, *rest = (header + title + body).split("\n")
    return mark + first + "".join(ends[at % len(ends)] + line for at, line in enumerate(rest))


_paragraphs = st.one_of(
    joined(lines, st.sampled_from(["\n", "  \n", "\\\n", " "]), most=3), picked(SENTENCES), long_words
)
_headings = st.builds(
    "{}{}{}".format,
    picked(HEADING_MARKS),
    st.one_of(lines, picked(RELATIONS, SECTIONS, IDENTIFIERS)),
    st.sampled_from(["", "", " ##", "\n===", "\n---", "\n"]),
)
_relations = st.builds(
    _section,
    st.sampled_from(["#", "##", "###"]),
    picked(RELATIONS),
    st.sampled_from(["- ", "* ", "", "> ", "1. ", "- [ ] "]),
    st.lists(st.one_of(picked(IDENTIFIERS), picked(("None", "N/A", "[two](0002-b.md)")), lines), max_size=4),
)
_statuses = st.builds(
    "{}{}".format,
    st.sampled_from(["## Status\n\n", "Status: ", "## Status\n\n> ", "- Status: ", "| Status |\n|---|\n| "]),
    st.one_of(picked(STATUSES), lines),
)
_fences = st.builds(
    "{}\n{}\n{}".format,
    st.sampled_from(["```", "```python", "~~~~", "``` a`b", "````md", "    ", "$$", ":::"]),
    lines,
    st.sampled_from(["```", "~~~~", "", "````", "```` x", "$$"]),
)
_tables = st.builds(
    _table,
    st.sampled_from(["| a | b |", "a|b", "|ADR|Status|", "| \\| | `|` |"]),
    st.sampled_from(["|---|---|", "|:-:|-:|", "-|-", "|---|"]),
    st.lists(lines, max_size=3),
)
_leaves = st.one_of(
    _paragraphs, _paragraphs, _headings, _relations, _statuses, _fences, _tables, picked(ODD_BLOCKS), raw_text
)
_containers = st.builds(
    _nested,
    st.lists(_leaves, min_size=1, max_size=2),
    st.sampled_from(NESTED),
    st.sampled_from([1, 1, 2, 3, 50]),
)
_titles = st.builds(
    "# {}{}\n\n".format,
    st.sampled_from(["", "", "ADR-1: ", "ADR 2 - ", "3. ", "SPEC-020 ", "ADR-0001", "PEP 484 – "]),
    lines,
)
_documents = st.builds(
    _document,
    st.sampled_from(["", "", "", "", "\ufeff", "\n", " "]),
    headers,
    st.one_of(_titles, _titles, st.just("")),
    joined(
        st.one_of(_leaves, _leaves, _leaves, _containers),
        st.sampled_from(["\n\n", "\n\n", "\n", "\n \n", "\n\n\n"]),
        most=6,
    ),
    st.sampled_from([("\n",), ("\n",), ("\n",), ("\r\n",), ("\r",), ("\n", "\r\n", "\r", "\n\r")]),
)


@st.composite
def markdown(draw: st.DrawFn) -> str:
    """Return any Markdown, and much that is none."""
    return draw(_documents)
