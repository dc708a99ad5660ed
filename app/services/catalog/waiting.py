"""Telling which references of a document wait for what is not there yet."""

from __future__ import annotations

from collections.abc import Sequence

from app.domain.waiting import WaitingReference

MOST_TOLD = 5


def waiting_told(waiting: Sequence[WaitingReference]) -> tuple[str, ...]:
    """Answer one line about the references that wait for what nothing is called yet; none about no such.

    Those that could mean several things are left out: filing names what they could mean.
    """
    absent = [each for each in waiting if not each.is_ambiguous]
    if not absent:
        return ()
    count = "1 reference waits" if len(absent) == 1 else f"{len(absent)} references wait"
    named = ", ".join(_told(each) for each in absent[:MOST_TOLD])
    more = f" and {len(absent) - MOST_TOLD} more" if len(absent) > MOST_TOLD else ""
    return (f"{count} for what is not there yet: {named}{more}",)


def _told(waiting: WaitingReference) -> str:
    return (
        f"{waiting.waits_for} {waiting.type}"
        if waiting.is_inverted
        else f"{waiting.type} {waiting.waits_for}"
    )
