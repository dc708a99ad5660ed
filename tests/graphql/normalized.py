"""Answers as they would read in any other project: without the ids and the time of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from app.graphql.scalars import print_instant

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def normalized(payloads: Sequence[dict[str, Any]]) -> object:
    """Return payloads with each id, and each time something was filed, replaced by its place among them."""
    filed = [payload["artifact"]["recordedAt"] for payload in payloads if payload["artifact"]]
    moments = {moment: f"filed {place}" for place, moment in enumerate(dict.fromkeys(filed))}
    return _normalize(payloads, {**_just_before(moments), **moments}, {})


def _just_before(moments: dict[str, str]) -> dict[str, str]:
    """Return the moments just before others: so begins a document without a date that another superseded."""
    return {
        print_instant(datetime.fromisoformat(moment) - step * timedelta(microseconds=1)): f"{place} - {step}"
        for moment, place in moments.items()
        for step in (1, 2, 3)
    }


def _normalize(value: object, moments: dict[str, str], ids: dict[str, str]) -> object:
    if isinstance(value, dict):
        return {name: _normalize(inner, moments, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [_normalize(inner, moments, ids) for inner in value]
    if isinstance(value, str) and _ID.fullmatch(value):
        return ids.setdefault(value, f"id {len(ids)}")
    return moments.get(value, value) if isinstance(value, str) else value
