from __future__ import annotations

from typing import Any

from tests.documents import SUPERSEDES, adr, claims, file
from tests.graphql.api import Api

KINDS = ("type", "waitsFor", "isInverted", "isAmbiguous")
LIST = """
query ($project: String, $first: Int = 20, $after: String) {
  pendingReferences(project: $project, first: $first, after: $after) {
    totalCount
    nodes {
      type waitsFor isInverted isAmbiguous validFrom source { label } sourceArtifact { identifier }
    }
    pageInfo { endCursor hasNextPage }
  }
}
"""


async def _waiting(api: Api, **asked: Any) -> dict[str, Any]:
    return dict((await api.ask(LIST, **asked))["pendingReferences"])


async def test_what_waits_is_listed_until_it_arrives(api: Api) -> None:
    filed = await api.file(
        "# ADR-7: Listen\n\nDate: 2026-01-05\n\n"
        "## Status\n\nSuperseded by ADR-9\n\n## Depends on\n\n- SPEC-3\n"
    )
    assert filed["warnings"] == ["2 unresolved references: DEPENDS_ON SPEC-3, ADR-9 SUPERSEDES"]
    listed = await _waiting(api)
    assert listed["totalCount"] == 2
    found = {tuple(node[name] for name in KINDS) for node in listed["nodes"]}
    assert found == {("DEPENDS_ON", "SPEC-3", False, False), ("SUPERSEDES", "ADR-9", True, False)}
    for node in listed["nodes"]:
        assert node["source"] == {"label": "Listen"}
        assert node["sourceArtifact"] == {"identifier": "ADR-7"}
        assert node["validFrom"] == "2026-01-05T00:00:00Z"
    first = await _waiting(api, first=1)
    rest = await _waiting(api, after=first["pageInfo"]["endCursor"])
    assert [*first["nodes"], *rest["nodes"]] == listed["nodes"]
    assert (first["pageInfo"]["hasNextPage"], rest["pageInfo"]["hasNextPage"]) == (True, False)
    await api.file("# ADR-9: Push")
    assert [node["waitsFor"] for node in (await _waiting(api))["nodes"]] == ["SPEC-3"]


async def test_what_waits_is_told_for_a_project(api: Api) -> None:
    await file(api.memory, adr(1, "Poll", references=claims(SUPERSEDES, "ADR-4")), "harbor")
    await file(api.memory, adr(1, "Poll"), "pier")
    assert (await _waiting(api, project="harbor"))["totalCount"] == 1
    assert (await _waiting(api, project="pier"))["totalCount"] == 0
    assert (await api.refused(LIST, project="nowhere"))["extensions"]["code"] == "NOT_FOUND"


async def test_many_that_wait_are_told_in_one_warning(api: Api) -> None:
    cited = " ".join(f"ADR-{number}" for number in range(21, 29))
    filed = await api.file(f"# ADR-7: Listen\n\nIt follows {cited}.")
    (warning,) = filed["warnings"]
    assert warning.startswith("8 unresolved references: REFERENCES ADR-21, ")
    assert warning.endswith(" and 3 more")
    (one,) = (await api.file("# ADR-8: Push\n\nIt follows ADR-30."))["warnings"]
    assert one == "1 unresolved reference: REFERENCES ADR-30"
