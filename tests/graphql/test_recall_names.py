"""Names with signs in them, filed and recalled the whole way: in whole, in part and in other spellings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from app.services.container import Memory
from tests.graphql.api import Api
from tests.graphql.test_recall import cited, recall

# By project: what is looked for, the oldest, and the newer documents that an encoder prefers to it.
SHELVES: Mapping[str, Mapping[str, str]] = {
    "numbered": {
        "APART": "a TDR of page 0032",
        "NEXT": "see TDR-0033 for framing",
        "OTHERWISE": "see TDR-32 for framing",
        "SOUGHT": "see TDR-0032 for framing",
    },
    "snake": {"APART": "jitter comes with a retry", "SOUGHT": "call retry_with_jitter() before commit"},
    "camel": {
        "APART": "the scope of a tenant is missing",
        "SOUGHT": "raises MissingTenantScope when unset",
    },
    "hyphens": {"APART": "the eu is west of the edge", "SOUGHT": "deploy lane edge-eu-west"},
    "dots": {"APART": "toml is for settings", "SOUGHT": "config lives in settings.toml and Node.js"},
    "paths": {
        "APART": "py files that fuse a search of src",
        "SHORTER": "edit search/fuse.py first",
        "SOUGHT": "edit src/search/fuse.py first",
    },
    "links": {"APART": "adr 7 is an example by ex", "SOUGHT": "see https://ex.example/adr/7"},
    "languages": {
        "D": "grade c",
        "C": "Plain C kernel",
        "B": "We use C# here",
        "A": "We use C++ here",
    },
    "departments": {"APART": "plan r and plan d for budgets", "SOUGHT": "the R&D budget"},
}


@pytest.fixture(scope="module")
async def shelves(shared_memory: Memory) -> Api:
    api = Api(shared_memory)
    for project, bodies in SHELVES.items():
        for place, (identifier, body) in enumerate(bodies.items(), start=1):
            await api.file(
                body,
                project=project,
                identifier=identifier,
                title="Note",
                createdAt=f"20{25 - place}-01-01T00:00:00Z",
            )
    return api


def _found_by_words(result: Mapping[str, Any]) -> list[str]:
    """Return the identifiers of the hits that the lexical leg proposed, in the order of the hits."""
    return [
        hit["artifact"]["identifier"]
        for hit in result["hits"]
        if "LEXICAL" in {share["leg"] for share in hit["explanation"]}
    ]


@pytest.mark.parametrize(
    ("case", "project", "query"),
    [
        ("LEX-02", "numbered", "tdr0032"),
        ("LEX-02", "numbered", "0032"),
        ("LEX-04", "snake", "retry_with_jitter"),
        ("LEX-04", "snake", '"retry with jitter"'),
        ("LEX-04", "snake", "jitter"),
        ("LEX-04", "snake", "retry_with_jitter()"),
        ("LEX-05", "camel", "missing tenant scope"),
        ("LEX-05", "camel", "tenant scope"),
        ("LEX-06", "hyphens", "eu-west"),
        ("LEX-06", "hyphens", "edge-eu"),
        ("LEX-06", "hyphens", "edge-eu-west"),
        ("LEX-06", "hyphens", "west"),
        ("LEX-07", "dots", "settings"),
        ("LEX-07", "dots", "toml"),
        ("LEX-07", "dots", "settings.toml"),
        ("LEX-07", "dots", "node"),
        ("LEX-08", "paths", "fuse.py"),
        ("LEX-08", "paths", "search/fuse.py"),
        ("LEX-08", "paths", "fuse"),
        ("LEX-09", "links", "https://ex.example/adr/7"),
        ("LEX-09", "links", "ex.example"),
        ("LEX-09", "links", "ex.example/adr/7"),
    ],
)
async def test_what_holds_a_name_is_recalled_by_its_words(
    shelves: Api, case: str, project: str, query: str
) -> None:
    assert "SOUGHT" in _found_by_words(await recall(shelves, query, project=project)), case


@pytest.mark.parametrize(
    ("case", "project", "query", "first"),
    [
        ("LEX-02", "numbered", "TDR-0032", "SOUGHT"),
        ("LEX-02", "numbered", '"TDR-0032"', "SOUGHT"),
        ("LEX-02", "numbered", "tdr 0032", "SOUGHT"),
        ("LEX-02 glued", "numbered", "tdr0032", "SOUGHT"),
        ("LEX-02 dash", "numbered", "TDR\u20130032", "SOUGHT"),
        ("LEX-02 underscore", "numbered", "tdr_0032?", "SOUGHT"),
        ("LEX-02 unpadded", "numbered", "TDR-32", "OTHERWISE"),
        ("LEX-04", "snake", "retry_with_jitter", "SOUGHT"),
        ("LEX-04", "snake", "`retry_with_jitter()`", "SOUGHT"),
        ("LEX-04 camel", "snake", "retryWithJitter", "SOUGHT"),
        ("LEX-05", "camel", "MissingTenantScope", "SOUGHT"),
        ("LEX-05", "camel", "missingtenantscope", "SOUGHT"),
        ("LEX-05 snake", "camel", "MISSING_TENANT_SCOPE", "SOUGHT"),
        ("LEX-05 sub-run", "camel", "TenantScope", "SOUGHT"),
        ("LEX-06", "hyphens", "edge-eu-west", "SOUGHT"),
        ("LEX-06 sub-run", "hyphens", "eu-west", "SOUGHT"),
        ("LEX-06 capitals", "hyphens", "Edge_EU", "SOUGHT"),
        ("LEX-07", "dots", "settings.toml", "SOUGHT"),
        ("LEX-07", "dots", "Node.js", "SOUGHT"),
        ("LEX-08", "paths", "src/search/fuse.py", "SOUGHT"),
        ("LEX-08 here", "paths", "./src/search/fuse.py", "SOUGHT"),
        ("LEX-08 line number", "paths", "src/search/fuse.py:42", "SOUGHT"),
        ("LEX-08 back slashes", "paths", r"src\search\fuse.py", "SOUGHT"),
        ("LEX-08 sub-run", "paths", "search/fuse.py", "SHORTER"),
        ("LEX-09", "links", "https://ex.example/adr/7", "SOUGHT"),
        ("LEX-09 host", "links", "ex.example", "SOUGHT"),
        ("LEX-09 other scheme", "links", "http://ex.example/adr/7/", "SOUGHT"),
        ("LEX-11", "languages", "C++", "A"),
        ("LEX-11", "languages", "C#", "B"),
        ("LEX-11 sentence", "languages", "c++.", "A"),
        ("LEX-11 ampersand", "departments", "R&D", "SOUGHT"),
    ],
)
async def test_the_name_as_it_is_written_leads(
    shelves: Api, case: str, project: str, query: str, first: str
) -> None:
    """However much newer the others are."""
    result = await recall(shelves, query, project=project)
    assert cited(result)[0] == first, case
    assert _found_by_words(result)[0] == first, case


async def test_lex_11_a_language_named_by_signs_is_none_of_the_others(shelves: Api) -> None:
    for query, found in (("C++", ["A"]), ("C#", ["B"]), (".NET", []), ("F#", [])):
        result = await recall(shelves, query, project="languages")
        assert _found_by_words(result) == found
        assert {report["problem"] for report in result["legs"]} == {None}


@pytest.mark.parametrize("query", ["Ma\u0301laga policy", "Málaga policy", "MÁLAGA POLICY", "malaga policy"])
async def test_lex_14_a_composed_title_is_recalled_in_every_spelling(api: Api, query: str) -> None:
    await api.file("Lemons are taxed.", title="Valencia policy", identifier="OTHER")
    await api.file("Oranges are taxed.", title="Málaga policy", identifier="SOUGHT")
    result = await recall(api, query)
    assert cited(result)[0] == _found_by_words(result)[0] == "SOUGHT"


RESOLVE = "query ($form: String!) { resolveAlias(surfaceForm: $form) { entity { label } } }"


@pytest.mark.parametrize(
    ("kept", "typed"),
    [
        ("Québec", "Que\u0301bec"),
        ("Que\u0301bec", "Québec"),
        ("Québec", "ＱＵÉＢＥＣ"),
        ("각 센터", "\u1100\u1161\u11a8 센터"),
    ],
)
async def test_lex_14_a_composed_and_a_decomposed_alias_are_one(api: Api, kept: str, typed: str) -> None:
    await api.file(f"---\naliases: [{kept}]\n---\n# Northern office\n\nOpen.")
    for form in (kept, typed):
        found = (await api.ask(RESOLVE, form=form))["resolveAlias"]
        assert found == {"entity": {"label": "Northern office"}}
        anchors = (await recall(api, form))["anchors"]
        assert [anchor["entity"]["label"] for anchor in anchors] == ["Northern office"]
    again = await api.file(f"---\naliases: [{typed}]\n---\n# Southern office\n\nShut.")
    assert again["warnings"] == [f"left out the alias {typed}: it means another entity"]
    for form in (kept, typed):  # what two documents list is the name of neither alone
        message = (await api.refused(RESOLVE, form=form))["message"]
        assert "ADR Northern office (" in message
        assert "ADR Southern office (" in message


@pytest.mark.parametrize(("kept", "linked"), [("Málaga", "Ma\u0301laga"), ("Ma\u0301laga", "Málaga")])
async def test_lex_14_a_file_is_one_however_its_accents_are_kept(api: Api, kept: str, linked: str) -> None:
    """File systems take accents apart that links have in one."""
    await api.file(f"# Tax\n\n## Related\n\n- [the policy]({linked}.md)", sourceUri="docs/tax.md")
    filed = await api.file("# Policy\n\nOranges.", sourceUri=f"docs/{kept}.md")
    again = await api.file("# Policy\n\nOranges and lemons.", sourceUri=f"docs/{linked}.md")
    assert again["entity"]["id"] == filed["entity"]["id"]
    edges = (await api.ask("{ references { nodes { source { label } target { label } } } }"))["references"]
    assert edges["nodes"] == [{"source": {"label": "Tax"}, "target": {"label": "Policy"}}]
