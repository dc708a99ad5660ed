"""Markdown in, references in the ledger out."""

from __future__ import annotations

from itertools import count

import pytest

from app.services.container import Memory
from app.services.filing import StatedDocument, document_from
from tests.documents import ProjectFixture, adr, day, edges, pending

RECORDS = (1, 3, 4, 5, 6, 7, 8, 9, 10, 17)
SPECIFICATIONS = (5, 20)
_NUMBERS = count(100)


@pytest.fixture(scope="module")
async def known(shared_memory: Memory) -> ProjectFixture:
    """A project that holds whatever the documents name."""
    desk = ProjectFixture(shared_memory, "known")
    await desk.file_all(*(adr(number, f"Old {number}") for number in RECORDS))
    for number in SPECIFICATIONS:
        await desk.file(adr(number, f"Wire {number}", kind="SPEC", identifier=f"SPEC-{number}"))
    return desk


def to(relation: str, *targets: str) -> set[tuple[str, str]]:
    """Return edges of one type by their targets."""
    return {(relation, target) for target in targets}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "## Decision\nUse it.\n```sh\n## Supersedes\nADR-0001\n```\n## Implements\nSPEC-020\n",
            to("IMPLEMENTS", "spec-20"),
            id="MDP-01",
        ),
        pytest.param(
            "## Implements\nSPEC-020\n~~~\n## Supersedes\nADR-0001\n~~~~\n",
            to("IMPLEMENTS", "spec-20"),
            id="MDP-01 tildes",
        ),
        pytest.param(
            "## Decision\n- Do:\n\n  ```sh\n  ## Supersedes\n  ADR-0001\n  ```\n## Implements\nSPEC-020\n",
            to("IMPLEMENTS", "spec-20"),
            id="MDP-01 in a list",
        ),
        pytest.param(
            "## Implements\nSPEC-020\n\n    ## Supersedes\n    ADR-0001\n\n```\n# Supersedes\nADR-0003\n",
            to("IMPLEMENTS", "spec-20"),
            id="MDP-01 indented, never closed",
        ),
        pytest.param(
            "## Supersedes\n- ADR-0004\n---\nADR-0009 is related history.\n",
            to("SUPERSEDES", "adr-4") | to("REFERENCES", "adr-9"),
            id="MDP-03",
        ),
        pytest.param(
            "## Supersedes\n> ADR-0003\n---\nADR-0009 is related history.\n",
            to("REFERENCES", "adr-9"),
            id="MDP-03 after a quote",
        ),
        pytest.param(
            "## Supersedes\n- ADR-0004\n```\nx\n```\n---\nADR-0009 is related history.\n",
            to("SUPERSEDES", "adr-4") | to("REFERENCES", "adr-9"),
            id="MDP-03 after a fence",
        ),
        pytest.param(
            "## Supersedes\n* ADR-0004\n* * *\nADR-0009 is related history.\n",
            to("SUPERSEDES", "adr-4") | to("REFERENCES", "adr-9"),
            id="MDP-03 stars",
        ),
        pytest.param(
            "Supersedes\n---\nADR-0004\n\nContext\n===\nADR-0009 was slow.\n",
            to("SUPERSEDES", "adr-4") | to("REFERENCES", "adr-9"),
            id="MDP-03 an underlined heading is one",
        ),
        pytest.param(
            "## Supersedes\nWrite lines such as `ADR-0004` or `[[ADR-0004]]` here.\n\nADR-0005\n",
            to("SUPERSEDES", "adr-5"),
            id="MDP-05",
        ),
        pytest.param(
            "## Supersedes\n``ADR-0003 ` [[ADR-0004]]``\n<!-- ADR-0001 -->\n\nADR-0005\n",
            to("SUPERSEDES", "adr-5"),
            id="MDP-05 two ticks, a comment",
        ),
        pytest.param(
            "## Supersedes\n<code>ADR-0004</code> <pre>ADR-0003</pre>\n\nADR-0005\n",
            to("SUPERSEDES", "adr-5"),
            id="MDP-05 tags of code",
        ),
        pytest.param(
            "## Supersedes\n- ~~ADR-0004~~ ADR-0005\n- ~~[[ADR-3]]\n  and [1](0001-x.md)~~\n",
            to("SUPERSEDES", "adr-5"),
            id="MDP-05 struck out",
        ),
        pytest.param(
            "## Supersedes\n[`0004-x.md`](0004-x.md) and ADR-0005\n",
            to("SUPERSEDES", "adr-4", "adr-5"),
            id="MDP-05 a link whose label is code is a link",
        ),
        pytest.param("## Related\n```sh\nif [[ -n ADR-9 ]]; then :; fi\n```\n", set(), id="MDP-06"),
        pytest.param("## Related\n`[[ -n ADR-9 ]]` and `a[[0]]`\n", set(), id="MDP-06 inline"),
        pytest.param("## Related\n\n    x = [[ADR-9, 2], [3, 4]]\n", set(), id="MDP-06 array"),
        pytest.param(
            "## Related\n- run:\n\n      [[ -f ADR-9 ]] && [[Notes]]\n\n> [[ADR-9]]\n",
            set(),
            id="MDP-06 indented in a list, quoted",
        ),
        pytest.param("---\nsupersedes: 0017\n---", to("SUPERSEDES", "adr-17"), id="MDP-10"),
        pytest.param(
            "---\nsupersedes: [0008, 0010]\n---", to("SUPERSEDES", "adr-8", "adr-10"), id="MDP-10 list"
        ),
        pytest.param(
            '---\nsupersedes:\n  - 010\n  - "0008"\n---',
            to("SUPERSEDES", "adr-10", "adr-8"),
            id="MDP-10 no octal numbers",
        ),
        pytest.param(
            "---\nsupersedes: 8 and 0010\n---", to("SUPERSEDES", "adr-8", "adr-10"), id="MDP-10 and"
        ),
        pytest.param(
            "---\nsupersedes: 8; ADR 10\n---", to("SUPERSEDES", "adr-8", "adr-10"), id="MDP-10 semicolon"
        ),
        pytest.param(
            "---\nsupersedes: {0008: the cache, 0010: the queue}\n---",
            to("SUPERSEDES", "adr-8", "adr-10"),
            id="MDP-10 mapping",
        ),
        pytest.param(
            "## Supersedes\n\n## Context\nADR-0003 was slow.\n", to("REFERENCES", "adr-3"), id="MDP-16"
        ),
        pytest.param(
            "## Supersedes\n<!-- nothing yet -->\n## Context\nADR-0003 was slow.\n",
            to("REFERENCES", "adr-3"),
            id="MDP-16 a comment",
        ),
        pytest.param(
            "## Supersedes\n### Context\nADR-0003 was slow.\n",
            to("REFERENCES", "adr-3"),
            id="MDP-16 a deeper heading",
        ),
        pytest.param(
            "## Supersedes\n---\nADR-0003 was slow.\n", to("REFERENCES", "adr-3"), id="MDP-16 a rule"
        ),
        pytest.param(
            "---\nsupersedes:\nrelated: ADR-3\n---", to("RELATES_TO", "adr-3"), id="MDP-16 an empty field"
        ),
        pytest.param("### Implements ###\nSPEC-5\n", to("IMPLEMENTS", "spec-5"), id="MDP-17"),
        pytest.param("## Implements: ##\nSPEC-5\n", to("IMPLEMENTS", "spec-5"), id="MDP-17 colon"),
        pytest.param("###### **Implements** #\nSPEC-5\n", to("IMPLEMENTS", "spec-5"), id="MDP-17 bold"),
        pytest.param("## 3. _Implements_  ####  \nSPEC-5\n", to("IMPLEMENTS", "spec-5"), id="MDP-17 number"),
        pytest.param(
            "## Related\nUses RFC-2119 words, UTF-8, SHA-256, ISO-8601, CVE-2024-1234, GPT-4 and SPEC-020.\n",
            to("RELATES_TO", "spec-20"),
            id="REF-01",
        ),
        pytest.param(
            "## Related\nCVE-2024, AES-128-GCM, X-ADR-7, ADR-7-2, ADR-7.1, v2-1 and PLAN 5x; SPEC-020\n",
            to("RELATES_TO", "spec-20"),
            id="REF-01 parts of longer names",
        ),
        pytest.param(
            "## Related\nADR-0007's rule, (ADR-4), ADR-9, \u201cADR-5\u201d and ADR-6\u2014that one.\n",
            to("RELATES_TO", "adr-7", "adr-4", "adr-9", "adr-5", "adr-6"),
            id="REF-01 among marks",
        ),
        pytest.param(
            "## Supersedes\n- ADR-0003\n- [ADR 4](0004-x.md), ADR-0005 and ADR-6\n## Amends\nADR-0007\n",
            to("SUPERSEDES", "adr-3", "adr-4", "adr-5", "adr-6") | to("EXTENDS", "adr-7"),
            id="REF-06",
        ),
        pytest.param(
            "---\nsupersedes: [3, ADR-4]\n---\n## Supersedes\nADR-0003; ADR 4\n\n"
            "## Status\nAccepted, supersedes ADR-3\n",
            to("SUPERSEDES", "adr-3", "adr-4"),
            id="REF-06 said three times",
        ),
        pytest.param(
            "## Supersedes\n| old | why |\n|---|---|\n| ADR-3 | slow |\n| ADR-4 | see ADR-9 |\n",
            to("SUPERSEDES", "adr-3", "adr-4") | to("REFERENCES", "adr-9"),
            id="REF-06 a table",
        ),
        pytest.param(
            "## Supersedes\n1. ADR-3\n   - ADR-4\n2. ADR-5 & ADR-6\n\n## Related\nADR-3\n",
            to("SUPERSEDES", "adr-3", "adr-4", "adr-5", "adr-6") | to("RELATES_TO", "adr-3"),
            id="REF-06 a nested list, and related as well",
        ),
        pytest.param(
            "## Supersedes\n<!-- ADR-XXXX or ADR-0000 -->\nADR-NNNN, ACME-000, N/A, none\n",
            set(),
            id="REF-12",
        ),
        pytest.param(
            "## Supersedes\nADR-<number>, ADR-{n} or [ADR-###](0000-title.md)\n", set(), id="REF-12 marks"
        ),
        pytest.param(
            "## Supersedes\nTBD\n\n## Related\n- ADR-nnn\n- ADR-????\n- -\n", set(), id="REF-12 to be told"
        ),
        pytest.param(
            "---\nsupersedes: [ADR-XXXX, N/A, '-', none]\nrequires: ADR-000\n---", set(), id="REF-12 a header"
        ),
        pytest.param("## Supersedes\n[[ADR-XXXX]], [[]] or [[ ]]\n", set(), id="REF-12 wiki links"),
    ],
)
async def test_a_document_makes_these_references_and_leaves_nothing_waiting(
    known: ProjectFixture, text: str, expected: set[tuple[str, str]]
) -> None:
    number = next(_NUMBERS)
    filed = await known.file(
        document_from(StatedDocument("ADR", text, f"ADR-{number}", created_at=day(2026)))
    )
    believed = await edges(known)
    assert {edge[1:] for edge in believed if edge[0] == filed.entity.key} == expected
    assert not any(target == filed.entity.key for _, _, target in believed)
    assert await pending(known) == set()
