"""What a hit is worth: which ground wins, and how it is said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.domain.recall import FlagGround, StateFlag
from app.domain.temporal import Branch, EntityState, Interval
from app.services.recall.annotation import FormerName, Standing, annotate

ENTITY, SUCCESSOR = UUID(int=1), UUID(int=2)
PRISM = FormerName("PrismGR", "Project", "Prism")


def _state(branch: Branch = Branch.COMMITTED, **props: Any) -> EntityState:
    valid = Interval(datetime(2020, 1, 1, tzinfo=UTC))
    return EntityState(UUID(int=3), ENTITY, branch, valid, valid.start, None, props, None, "ada")


def _standing(**known: Any) -> Standing:
    facts: dict[str, Any] = {
        "entity": ENTITY,
        "committed": _state(identifier="ADR-1", title="Queue", status="Accepted"),
        "wip": None,
        "newer_version": False,
        "superseded_by": None,
        "former_names": (),
    }
    return Standing(**(facts | known))


WITHDRAWN = _state(identifier="ADR-1", status="Withdrawn by its author")
DRAFT = _state(identifier="ADR-1", status="Draft")
WIP = _state(Branch.WIP, identifier="ADR-1")
SUPERSEDED_BY = (SUCCESSOR, "ADR-2 Queues")
OWN, MENTION = FlagGround.OWN_STATE, FlagGround.MENTION
IS_SUPERSEDED = "[historical: ADR-1 is superseded by ADR-2 Queues]"
IS_OLDER = "[historical: ADR-1 has a newer version]"
IS_FORMER = "[historical: current Project is Prism, this reflects PrismGR]"
HAS_DRAFT = "[wip: ADR-1 has a draft that is not sealed]"
CURRENT, HISTORICAL, IN_WORK = StateFlag.CURRENT, StateFlag.HISTORICAL, StateFlag.WIP


@pytest.mark.parametrize(
    ("known", "flag", "ground", "summary", "replacement"),
    [
        ({}, CURRENT, OWN, None, None),
        ({"superseded_by": SUPERSEDED_BY}, HISTORICAL, OWN, IS_SUPERSEDED, SUCCESSOR),
        ({"newer_version": True}, HISTORICAL, OWN, IS_OLDER, ENTITY),
        ({"newer_version": True, "superseded_by": SUPERSEDED_BY}, HISTORICAL, OWN, IS_SUPERSEDED, SUCCESSOR),
        (
            {"committed": WITHDRAWN},
            HISTORICAL,
            OWN,
            "[historical: the status of ADR-1 is Withdrawn by its author]",
            None,
        ),
        ({"committed": DRAFT}, IN_WORK, OWN, "[wip: the status of ADR-1 is Draft]", None),
        ({"wip": WIP}, IN_WORK, OWN, HAS_DRAFT, None),
        ({"wip": WIP, "newer_version": True}, HISTORICAL, OWN, IS_OLDER, ENTITY),
        ({"committed": None}, None, None, None, None),
        ({"committed": _state(status=7)}, CURRENT, OWN, None, None),
        ({"former_names": (PRISM,)}, HISTORICAL, MENTION, IS_FORMER, None),
        ({"committed": None, "former_names": (PRISM,)}, HISTORICAL, MENTION, IS_FORMER, None),
        (
            {"newer_version": True, "former_names": (PRISM,)},
            HISTORICAL,
            OWN,
            f"{IS_OLDER} {IS_FORMER}",
            ENTITY,
        ),
        (
            {"committed": DRAFT, "former_names": (PRISM,)},
            IN_WORK,
            OWN,
            f"[wip: the status of ADR-1 is Draft] {IS_FORMER}",
            None,
        ),
    ],
)
def test_the_own_state_decides_and_then_the_name_used(
    known: dict[str, Any],
    flag: StateFlag | None,
    ground: FlagGround | None,
    summary: str | None,
    replacement: UUID | None,
) -> None:
    said = annotate(_standing(**known), prefer_wip=True)
    assert (said.flag, said.ground, said.summary, said.superseded_by) == (flag, ground, summary, replacement)


def test_a_draft_beside_counts_only_for_who_wants_drafts() -> None:
    standing = _standing(wip=WIP)
    assert annotate(standing, prefer_wip=True).state == WIP
    committed = annotate(standing, prefer_wip=False)
    assert (committed.flag, committed.state) == (CURRENT, standing.committed)


def test_the_longest_former_name_is_said() -> None:
    longer = FormerName("PrismGR Classic", "Project", "Prism")
    said = annotate(_standing(former_names=(longer, PRISM)), prefer_wip=True)
    assert said.summary == "[historical: current Project is Prism, this reflects PrismGR Classic]"


@pytest.mark.parametrize(
    ("props", "label"),
    [({"title": "Queue"}, "Queue"), ({"identifier": 7}, "this document"), ({}, "this document")],
)
def test_a_document_without_identifier_is_called_by_its_title(props: dict[str, Any], label: str) -> None:
    said = annotate(_standing(committed=_state(**props), newer_version=True), prefer_wip=True)
    assert said.summary == f"[historical: {label} has a newer version]"
