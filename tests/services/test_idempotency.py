"""By what a request is known again when it comes under the same key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from app.domain.entity import Caller, Role
from app.services.idempotency import idempotent_request
from app.services.states import Sealing

ID = UUID(int=1)
ADA = Caller(1, Role.HUMAN, "ada")


@dataclass(frozen=True, slots=True)
class FormerSealing:
    """What sealing a draft took before somebody could say which state they expect."""

    props: dict[str, Any]
    event_type: str = "wip_sealed"


def fingerprint(**arguments: Any) -> str:
    request = idempotent_request(ADA, "verb", "key", **arguments)
    assert request is not None
    return request.fingerprint


def test_an_argument_that_is_not_given_is_none() -> None:
    assert fingerprint(state=ID, reason=None) == fingerprint(state=ID)
    assert fingerprint(state=ID, reason="why") != fingerprint(state=ID)


def test_a_verb_that_learns_of_another_argument_knows_its_keys_again() -> None:
    former = fingerprint(state=ID, sealing=FormerSealing({"status": "a"}))
    assert fingerprint(state=ID, sealing=Sealing({"status": "a"})) == former
    assert fingerprint(state=ID, sealing=Sealing({"status": "a"}, expected=ID)) != former


def test_a_property_that_is_taken_away_is_given() -> None:
    assert fingerprint(sealing=Sealing({"status": None})) != fingerprint(sealing=Sealing({}))


def test_what_no_store_keeps_is_one_with_what_stands_for_it() -> None:
    assert fingerprint(reason="\ud800") == fingerprint(reason="\ufffd")


def test_nothing_else_can_be_an_argument() -> None:
    with pytest.raises(TypeError):
        fingerprint(reason={1, 2})
