"""Odd letters and odd shapes over the API: each document is filed and found, or refused with a reason."""

from __future__ import annotations

import pytest

from tests.documents import ProjectFixture
from tests.graphql.api import Api

FOUND = """
query ($query: String!, $project: String!) {
  recall(query: $query, project: $project, first: 1) { hits { artifact { id body } } }
}
"""

DOCUMENTS = [
    pytest.param("# שלום عالم\n\nمرحبا findable, שלום.\n", id="right_to_left"),
    pytest.param("# Safe\u202egpj.exe\u202c\n\n\u2066findable\u2069 text\n", id="bidi_controls"),
    pytest.param("# z\u0300\u0301\u0302\u0303\n\n" + "e\u0301" * 200 + " findable\n", id="combining"),
    pytest.param("# Zero\u200bwidth\u2060\n\nThe findable word\u200d.\n", id="zero_width"),
    pytest.param("# 👨‍👩‍👧‍👦 🇩🇪🇫🇷\n\n👍🏽 findable 🏴󠁧󠁢󠁥󠁮󠁧󠁿\n", id="emoji"),
    pytest.param("# 決定記録\n\n我们决定使用队列 findable 한국어 日本語。\n", id="cjk"),
    pytest.param("\ufeff# Mark\r\n\r\nfindable\r\n", id="mark_and_crlf"),
    pytest.param("# Return\r\rfindable\r", id="lone_returns"),
    pytest.param("findable " + "word " * 4_000, id="one_line"),
    pytest.param("findable " + "a9" * 5_000, id="one_word"),
    pytest.param("# Deep\n\nfindable\n\n" + "> " * 1_000 + "end\n", id="quotes"),
    pytest.param("# Deep\n\nfindable\n\n" + "- " * 1_000 + "end\n", id="lists"),
    pytest.param("# Deep\n\nfindable\n\n" + "[" * 1_000 + "x" + "]" * 1_000 + "\n", id="brackets"),
    pytest.param("# Deep\n\nfindable\n\n" + "*a " * 1_000 + "a*" * 1_000 + "\n", id="emphasis"),
    pytest.param("# Page\n\n<script>\nalert('findable')\n</script>\n\n<div onclick=x>\n", id="html"),
    pytest.param("# Table\n\n|a|b|\n|-|-|\n" + "|x|y|\n" * 300 + "|findable|z|\n", id="table"),
    pytest.param("# Open\n\n```\nfindable\n# ADR-9\n", id="open_fence"),
    pytest.param("---\na: &a [x, x]\nb: [*a, *a]\n---\n\nfindable\n", id="bomb"),
    pytest.param("---\n- a\n---\n\nfindable\n", id="front_matter_list"),
    pytest.param(
        "---\n" + "".join(f"f{n}: x\n" for n in range(2_000)) + "---\n\nfindable\n", id="many_fields"
    ),
    pytest.param("---\ntitle: A\ntitle: B\n---\n\nfindable\n", id="twice"),
    pytest.param(f"---\nsummary: {'word ' * 20_000}\n---\n\nfindable\n", id="long_field"),
    pytest.param(f"---\nstatus: {'x' * 10_000}\nauthor: {'y' * 10_000}\n---\n\nfindable\n", id="long_status"),
]


@pytest.mark.parametrize("body", DOCUMENTS)
async def test_an_odd_document_is_filed_once_and_found_by_its_words(desk: ProjectFixture, body: str) -> None:
    api = Api(desk.memory)
    first = await api.file(body, project=desk.project)
    assert (first["problems"], first["created"]) == ([], True)
    again = await api.file(body, project=desk.project)
    assert (again["created"], again["artifact"]) == (False, first["artifact"])
    data = await api.ask(FOUND, query="findable", project=desk.project)
    (hit,) = data["recall"]["hits"]
    assert hit["artifact"]["id"] == first["artifact"]["id"]
    assert "findable" in hit["artifact"]["body"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param("", "a document needs a title or a body", id="empty"),
        pytest.param(" \n\t\u00a0\u3000\n", "a document needs a title or a body", id="white_space"),
        pytest.param(
            f"# h\n{'text ' * 24}\n" * 5_001,
            "the body has 5001 passages; at most 5000 are allowed",
            id="headings",
        ),
    ],
)
async def test_what_cannot_be_filed_is_refused_with_a_reason(
    desk: ProjectFixture, body: str, reason: str
) -> None:
    payload = await Api(desk.memory).file(body, project=desk.project)
    (problem,) = payload["problems"]
    assert (problem["code"], problem["field"]) == ("INVALID", "body")
    assert problem["message"].startswith(reason)
