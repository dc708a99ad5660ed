"""What a status word says."""

from __future__ import annotations

import pytest

from app.domain.recall import StateFlag
from app.domain.status_words import SUPERSEDED, flag_of_status, is_known, may_put_in_force, was_in_force


@pytest.mark.parametrize(
    ("status", "flag"),
    [
        (None, StateFlag.CURRENT),
        ("", StateFlag.CURRENT),
        ("Accepted", StateFlag.CURRENT),
        ("Final", StateFlag.CURRENT),
        ("Some word nobody foresaw", None),
        (SUPERSEDED, StateFlag.HISTORICAL),
        ("Superseded by ADR-9", StateFlag.HISTORICAL),
        ("**DEPRECATED** since 2020", StateFlag.HISTORICAL),
        ("Withdrawn", StateFlag.HISTORICAL),
        ("draft", StateFlag.WIP),
        ("Work in progress", StateFlag.WIP),
        ("Under review (round 2)", StateFlag.WIP),
        ("Ｄｒａｆｔ", StateFlag.WIP),
        ("Not accepted", StateFlag.HISTORICAL),
        ("Not yet approved", StateFlag.WIP),
        ("No longer in use", StateFlag.HISTORICAL),
        ("Not superseded", StateFlag.CURRENT),
        ("To be superseded", StateFlag.CURRENT),
        ("Won’t do", StateFlag.HISTORICAL),
        ("On-Hold", StateFlag.WIP),
        ("Active review", StateFlag.WIP),
        ("Approved pending legal", StateFlag.WIP),
        ("Returned for revision", StateFlag.WIP),
        ("Accepted with revisions", StateFlag.CURRENT),
        ("Partially implemented", StateFlag.CURRENT),
        ("Conditionally accepted", StateFlag.CURRENT),
        ("Tentatively accepted", StateFlag.WIP),
        ("Accepted but deprecated", StateFlag.HISTORICAL),
        ("Merged into ADR-9", StateFlag.HISTORICAL),
        ("amended-in-part", StateFlag.CURRENT),
        ("Provisionally Superseded", StateFlag.CURRENT),
        ("✅ Accepted", StateFlag.CURRENT),
        ("2024-05-01: Rejected", StateFlag.HISTORICAL),
        ("1. Accepted", StateFlag.CURRENT),
        ("not rejected", None),
        ("not yet rejected", None),
        ("not yet superseded", StateFlag.CURRENT),
        ("to be rejected", None),
        ("no longer deprecated", StateFlag.CURRENT),
        ("is no longer deprecated", StateFlag.CURRENT),
        ("no longer rejected", None),
        ("no longer in review", None),
        ("no longer needed", StateFlag.HISTORICAL),
        ("formerly deprecated", None),
        ("not deprecated", StateFlag.CURRENT),
        ("never accepted", StateFlag.HISTORICAL),
        ("never rejected", None),
        ("never superseded", StateFlag.CURRENT),
        ("not only accepted", None),
        ("not only accepted but implemented", None),
        ("not accepted yet", StateFlag.WIP),
        ("not draft", None),
        ("not fully accepted", None),
        ("not valid any more", StateFlag.HISTORICAL),
        ("was not accepted", StateFlag.HISTORICAL),
        ("has not been approved", None),
        ("isn't accepted", None),
        ("cannot be accepted", None),
        ("should be rejected", None),
        ("may be superseded", None),
        ("Accepted and superseded", StateFlag.HISTORICAL),
        ("Proposed and accepted", StateFlag.CURRENT),
        ("Rejected, later accepted", None),
        ("Accepted by the board, but later rejected by all", StateFlag.HISTORICAL),
        ("Accepted " + "after much talk " * 8 + "but later rejected", StateFlag.HISTORICAL),
        ("Accepted " + "after much talk " * 100 + "but later rejected", None),
        ("Accepted with much…", None),
        ("Proposed | Accepted | Rejected", None),
        ("{accepted}", None),
        ("3 approved, 2 rejected", None),
    ],
)
def test_a_status_is_read_by_its_leading_words(status: str | None, flag: StateFlag | None) -> None:
    assert flag_of_status(status) is flag


@pytest.mark.parametrize(
    "status", ["Accepted", "In force", "Partly superseded by ADR-9", "draft", "Withdrawn"]
)
def test_words_that_say_something_are_known(status: str) -> None:
    assert is_known(status)


@pytest.mark.parametrize("status", ["Acccepted", "Foo", "?"])
def test_other_words_are_not(status: str) -> None:
    assert not is_known(status)
    assert flag_of_status(status) is None
    assert may_put_in_force(status)


@pytest.mark.parametrize("status", [SUPERSEDED, "Superseded by ADR-9", "Deprecated", "Retired", "obsolete"])
def test_what_ended_had_been_in_force(status: str) -> None:
    assert was_in_force(status)


@pytest.mark.parametrize("status", [None, "", "Accepted", "Draft", "Rejected", "Withdrawn in May", "Foo"])
def test_what_holds_or_never_held_has_not_ended(status: str | None) -> None:
    assert not was_in_force(status)
