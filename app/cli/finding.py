"""What an examination found of one part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What was seen of one part; when something is wrong, `told` says what to do.

    What is doubtful fails nothing, but can hardly be meant.
    """

    part: str
    is_well: bool
    told: str
    is_doubtful: bool = False
