"""The prefixes that the names of what is imported bring."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PREFIX = re.compile(r"(?:[^/]*/)*(?P<prefix>[A-Z]{2,16})[-_ ]?[0-9]")


def prefixes_among(names: Iterable[str]) -> frozenset[str]:
    """Answer the prefixes in capitals that names such as RFC-12 or x/RFC-12 begin with."""
    matches = (_PREFIX.match(name) for name in names)
    return frozenset(match["prefix"] for match in matches if match is not None)
