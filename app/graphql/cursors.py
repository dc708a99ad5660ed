"""Cursors: a place in a sorted list, to the microsecond, as text that clients need not read."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime, timedelta
from uuid import UUID

import orjson

from app.domain.page import Position
from app.errors import Invalid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LONGEST_CURSOR = 256


def cursor_of(order: str, position: Position) -> str:
    """Answer the cursor of a position in a list of this order."""
    parts = [order, (position.at - EPOCH) // MICROSECOND, str(position.id)]
    return base64.urlsafe_b64encode(orjson.dumps(parts)).decode()


def position_of(order: str, cursor: str) -> Position:
    """Answer the position that a cursor marks; raises Invalid for one that no list of this order gave."""
    try:
        given, microseconds, item = _parts(cursor)
        position = Position(EPOCH + microseconds * MICROSECOND, UUID(item))
    except (ValueError, TypeError, OverflowError, AttributeError, binascii.Error):
        raise Invalid(
            "this cursor is not one that a list here gave; start without after", field="after"
        ) from None
    if given != order:
        raise Invalid(f"this cursor belongs to a list of {given}, not of {order}", field="after")
    return position


def _parts(cursor: str) -> tuple[str, int, str]:
    if len(cursor) > LONGEST_CURSOR:
        raise ValueError("longer than any cursor")
    order, microseconds, item = orjson.loads(base64.b64decode(cursor, altchars=b"-_", validate=True))
    if not isinstance(order, str) or type(microseconds) is not int or not isinstance(item, str):
        raise TypeError("not the parts of a cursor")
    return order, microseconds, item
