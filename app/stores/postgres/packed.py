"""Numbers as the ledger packs them: big-endian, and of an artifact's number the lower 32 bits."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Numbers = NDArray[np.int64]
"""Numbers of artifacts."""


def unpacked(packed: Iterable[bytes], kind: str) -> NDArray[Any]:
    """Answer packed numbers one after the other; `kind` is `>u4` or `>i8`."""
    found = np.frombuffer(b"".join(packed), kind)
    return found.astype(found.dtype.newbyteorder("="))


def whole_numbers(lower: NDArray[np.uint32], last: Numbers) -> Numbers:
    """Answer artifact numbers from their lower 32 bits and the last number of the block of each."""
    if not len(last) or last.max() < 1 << 32:
        return lower.astype(np.int64)
    below: NDArray[np.uint32] = last.astype(np.uint32) - lower
    return last - below


def microseconds(moment: datetime) -> int:
    """Answer a moment as it is packed: in microseconds since the beginning of 2000."""
    return (moment - _EPOCH) // _MICROSECOND
